#include "corpus/kept_results.h"

#include <filesystem>
#include <fstream>
#include <memory>

#include <gtest/gtest.h>
#include <headwater/error.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "corpus/run_record.h"
#include "support/scratch_folder.h"

namespace headwater {
namespace {

using Start = KeptResults::Start;

class KeptResultsTest : public ::testing::Test {
 protected:
  std::unique_ptr<KeptResults> begin(Start start) const {
    return std::make_unique<KeptResults>("out.jsonl", place_, run_, start);
  }
  std::string refused(Start start) const {
    try {
      begin(start);
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing thrown";
  }
  std::string part() const { return place_ + ".part"; }

  const testing::ScratchFolder scratch_;
  const std::string place_ = scratch_ / "out.jsonl";
  OrderedJson run_{{"inputs", "abc"}, {"options", {{"--method", {"lime"}}}}};
};

TEST_F(KeptResultsTest, AppearsWholeAndLeavesNoTrace) {
  auto results = begin(Start::Anew);
  results->append("{\"line\":1}\n");
  EXPECT_FALSE(file_exists(place_));
  EXPECT_EQ(read_file(part()), "{\"line\":1}\n") << "kept at once";
  results->finish();
  results.reset();
  EXPECT_EQ(read_file(place_), "{\"line\":1}\n");
  EXPECT_FALSE(file_exists(part()));
  EXPECT_FALSE(file_exists(part() + ".run"));
}

TEST_F(KeptResultsTest, NothingWrittenNothingLeft) {
  begin(Start::Anew).reset();
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.path()));
}

TEST_F(KeptResultsTest, GoesOnWithTheLastInput) {
  begin(Start::Anew)
      ->append(
          "{\"line\":2,\"a\":1}\n{\"line\":3,\"error\":{}}\n{\"line\":5,\"b\":1}\n{\"line\":5,\"b\":2}\n{"
          "\"li");
  auto results = begin(Start::Resume);
  EXPECT_EQ(results->next_line(), 5U) << "its second target may not have been the last";
  EXPECT_EQ(results->kept(), 2U);
  EXPECT_EQ(results->failed(), 1U);
  EXPECT_EQ(read_file(part()), "{\"line\":2,\"a\":1}\n{\"line\":3,\"error\":{}}\n");
  results->append("{\"line\":5}\n");
  results->finish();
  EXPECT_EQ(read_file(place_), "{\"line\":2,\"a\":1}\n{\"line\":3,\"error\":{}}\n{\"line\":5}\n");
}

TEST_F(KeptResultsTest, HalfOfTheFirstLineIsNothing) {
  begin(Start::Anew)->append("{\"line\":1");
  EXPECT_EQ(begin(Start::Resume)->next_line(), 0U);
}

TEST_F(KeptResultsTest, ResultsAreNotLostByForgettingToResume) {
  begin(Start::Anew)->append("{\"line\":1}\n");
  EXPECT_EQ(refused(Start::Anew),
            "out.jsonl: expected no results of an earlier run, found some; continue them with --resume, or "
            "remove " +
                part());
  EXPECT_EQ(read_file(part()), "{\"line\":1}\n");
}

TEST_F(KeptResultsTest, AnotherRunIsRefusedAndNamed) {
  begin(Start::Anew)->append("{\"line\":1}\n");
  run_["options"] = {{"--words", "true"}};
  run_["inputs"] = "def";
  const std::string text = refused(Start::Resume);
  EXPECT_NE(text.find("found another: inputs, options --words, options --method differ"), std::string::npos)
      << text;
  std::filesystem::remove(part() + ".run");
  EXPECT_NE(refused(Start::Resume).find("which describes the run of"), std::string::npos);
  EXPECT_EQ(read_file(part()), "{\"line\":1}\n");
}

TEST_F(KeptResultsTest, OthersBytesAreNotCounted) {
  begin(Start::Anew)->append("{\"line\":2}\n{\"line\":1}\n");
  EXPECT_THROW(begin(Start::Resume), FormatError);
  std::ofstream(part() + ".run") << "[";
  EXPECT_THROW(begin(Start::Resume), FormatError);
}

TEST_F(KeptResultsTest, OneRunAtATime) {
  const auto first = begin(Start::Anew);
  EXPECT_NE(refused(Start::Anew).find("found another run writing it"), std::string::npos);
}

// Killed after the file had come to its place, before its traces were removed.
TEST_F(KeptResultsTest, ACompleteRunIsComplete) {
  auto results = begin(Start::Anew);
  results->append("{\"line\":1}\n");
  std::filesystem::copy_file(part() + ".run", scratch_ / "saved");
  results->finish();
  results.reset();
  std::filesystem::rename(scratch_ / "saved", part() + ".run");
  auto again = begin(Start::Resume);
  EXPECT_TRUE(again->complete());
  again->finish();
  EXPECT_EQ(read_file(place_), "{\"line\":1}\n");
  EXPECT_FALSE(file_exists(part() + ".run"));
}

// A job of a cluster may be started again when it has ended; `merge` asks what the file is of.
TEST_F(KeptResultsTest, AShardKeepsItsRecord) {
  run_["options"]["--shard"] = {"1/2"};
  auto results = begin(Start::Anew);
  results->append("{\"line\":1}\n");
  results->finish();
  results.reset();
  EXPECT_FALSE(file_exists(part() + ".run"));
  EXPECT_EQ(read_record(place_), run_);
  EXPECT_TRUE(begin(Start::Resume)->complete());
  EXPECT_EQ(read_record(place_), run_) << "nor does looking at it change that";
  run_["options"]["--shard"] = {"2/2"};
  EXPECT_NE(
      refused(Start::Resume).find("the run that wrote out.jsonl, found another: options --shard differs"),
      std::string::npos);
  write_file(place_, "{\"line\":1}\n{\"line\":2}\n");
  EXPECT_FALSE(read_record(place_)) << "another file";
  EXPECT_FALSE(begin(Start::Resume)->complete());
}

TEST_F(KeptResultsTest, LinesSayWhichInputTheyAreOf) {
  EXPECT_EQ(numbered(7, "{\"a\":1}"), "{\"line\":7,\"a\":1}");
  EXPECT_EQ(numbered(7, "{}"), "{\"line\":7}");
  EXPECT_EQ(failure_line(6, "InputError", "a \"b\"\xFF"),
            "{\"line\":6,\"error\":{\"type\":\"InputError\",\"message\":\"a \\\"b\\\"\xEF\xBF\xBD\"}}");
}

}  // namespace
}  // namespace headwater
