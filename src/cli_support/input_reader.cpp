#include "cli_support/input_reader.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>

#include <fmt/format.h>
#include <headwater/error.h>
#include <unistd.h>

#include "cli_support/arguments.h"

namespace headwater {
namespace {

void require_one_source(const InputOptions& options) {
  const int sources = int{options.has_text} + int{!options.file.empty()} + int{!options.images.empty()};
  if (sources > 1)
    throw InputError("expected one of a text, --file and --image, found several; give only one of them");
  if (options.tsv && options.has_text)
    throw InputError("--tsv: expected lines from --file or standard input, found a text; use --pair instead");
  if (options.tsv && options.has_pair)
    throw InputError("--tsv: the pair comes from behind the tab; leave --pair out");
  if (options.has_pair && !options.images.empty())
    throw InputError("--pair: expected a text beside it, found --image; leave one of them out");
}

}  // namespace

void add_text_file_options(Arguments& arguments, InputOptions& options) {
  arguments.add("-f,--file", options.file, "Read one text per line; - is standard input")
      .value("FILE")
      .group("Input");
  arguments.add("--tsv", options.tsv, "A tab in a line separates text and pair").group("Input");
  arguments.add("--truncate", options.truncate, "Cut a text that is too long instead of refusing it")
      .group("Input");
}

void add_input_options(Arguments& arguments, InputOptions& options) {
  // One string, not a list: CLI11 would take a list apart at brackets and commas, and [MASK] has them.
  arguments
      .add(
          "text",
          [&options](const std::string& text) {
            options.text = text;
            options.has_text = true;
          },
          "The text; without it, one text per line of --file or standard input")
      .value(" ");
  arguments
      .add(
          "--pair",
          [&options](const std::string& pair) {
            options.pair = pair;
            options.has_pair = true;
          },
          "Second text: premise and hypothesis, question and context")
      .value("TEXT")
      .group("Input");
  arguments.add("-f,--file", options.file, "Read one text per line; - is standard input")
      .value("FILE")
      .group("Input");
  arguments.add("--tsv", options.tsv, "A tab in a line separates text and pair").group("Input");
  arguments
      .add_repeated(
          "--image", [&options](const std::string& path) { options.images.push_back(path); },
          "PNG or JPEG, for image models; may be repeated")
      .value("FILE")
      .group("Input");
  arguments.add("--truncate", options.truncate, "Cut a text that is too long instead of refusing it")
      .group("Input");
}

InputReader::InputReader(const InputOptions& options) : options_(options) {
  require_one_source(options);
  if (options.has_text || !options.images.empty()) return;
  if (options.file.empty() || options.file == "-") {
    if (options.file.empty() && ::isatty(STDIN_FILENO) == 1)
      throw InputError(
          "no text was given; write it in quotes, name a file with -f, or send it to standard input");
    std::ios::sync_with_stdio(false);
    lines_ = &std::cin;
    name_ = "standard input";
    return;
  }
  if (std::filesystem::is_directory(options.file))
    throw InputError(fmt::format("{}: expected a file with one text per line, found a folder", options.file));
  file_.open(options.file, std::ios::binary);
  if (!file_) throw InputError(fmt::format("{}: cannot be opened: {}", options.file, std::strerror(errno)));
  lines_ = &file_;
  name_ = options.file;
}

Input InputReader::from_line(std::string line) const {
  if (line.ends_with('\r')) line.pop_back();
  Input input{.text = {}, .pair = {}, .image = {}, .truncate = options_.truncate};
  const std::size_t tab = options_.tsv ? line.find('\t') : std::string::npos;
  if (tab != std::string::npos) {
    input.pair = line.substr(tab + 1);
    line.resize(tab);
  } else if (options_.has_pair) {
    input.pair = options_.pair;
  }
  input.text = std::move(line);
  return input;
}

std::optional<Input> InputReader::next() {
  if (lines_ != nullptr) {
    std::string line;
    if (!std::getline(*lines_, line)) {
      if (lines_->bad()) throw InputError(fmt::format("{}: cannot be read: {}", name_, std::strerror(errno)));
      return std::nullopt;
    }
    ++count_;
    return from_line(std::move(line));
  }
  if (!options_.images.empty()) {
    if (count_ == options_.images.size()) return std::nullopt;
    return Input{.text = {}, .pair = {}, .image = options_.images[count_++], .truncate = options_.truncate};
  }
  if (count_++ > 0) return std::nullopt;
  Input input{.text = options_.text, .pair = {}, .image = {}, .truncate = options_.truncate};
  if (options_.has_pair) input.pair = options_.pair;
  return input;
}

void InputReader::expect_last(const std::string& what) {
  if (!next()) return;
  throw InputError(
      fmt::format("{}: expected one input for {}", from_arguments() ? "--image" : where(), what));
}

std::string InputReader::where() const {
  return lines_ == nullptr ? std::string() : fmt::format("{}:{}", name_, count_);
}

}  // namespace headwater
