#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>
#include <headwater/error.h>

#include "cli/arguments.h"

namespace headwater {
namespace {

TEST(Options, AFormatComesFromTheFlagThenTheEndingThenTheDefault) {
  const std::string formats = "terminal|json|html";
  OutputOptions options;
  EXPECT_EQ(options.chosen_format(formats), "terminal");
  options.path = "-";
  EXPECT_EQ(options.chosen_format(formats), "terminal");
  options.path = "dir.d/report.html";
  EXPECT_EQ(options.chosen_format(formats), "html");
  options.path = "report.txt";
  EXPECT_EQ(options.chosen_format(formats, ".txt=terminal .htm=html"), "terminal");
  options.path = "report";
  EXPECT_EQ(options.chosen_format(formats), "terminal");
  options.path = "/dev/fd.3";
  EXPECT_EQ(options.chosen_format(formats), "terminal");
  options.path = "report.png";
  EXPECT_THROW(options.chosen_format(formats), InputError);
  options.format = "json";
  EXPECT_EQ(options.chosen_format(formats), "json");
}

TEST(Options, AModelMustBeNamed) {
  EXPECT_THROW(ModelOptions{}.required_model(), InputError);
}

TEST(Options, ChoicesAndThreadsAreChecked) {
  ModelOptions options;
  CLI::App app;
  Arguments declared(app);
  add_model_options(declared, options);
  EXPECT_THROW(app.parse("--dtype float16"), CLI::ValidationError);
  EXPECT_THROW(app.parse("--threads -1"), CLI::ParseError);
  EXPECT_THROW(app.parse("--threads 4096"), CLI::ValidationError);
  EXPECT_THROW(app.parse("--threads 1x"), CLI::ValidationError);
  app.parse("-t 3 --dtype float64 --revision v2");
  EXPECT_EQ(options.threads, 3);
  EXPECT_EQ(options.load_options().dtype, DType::Float64);
  EXPECT_EQ(options.load_options().revision, "v2");
}

}  // namespace
}  // namespace headwater
