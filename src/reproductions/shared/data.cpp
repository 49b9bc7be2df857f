#include "reproductions/shared/data.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headwater/error.h>

#include "base/files.h"
#include "base/strings.h"
#include "corpus/corpus_reader.h"

namespace headwater {
namespace {

constexpr std::string_view closing = ".,;:!?";

// The columns of the paraphrase corpus have names of their own, and its name ends as if it had none.
CorpusOptions options_for(const std::string& file) {
  CorpusOptions options{.file = file};
  if (std::filesystem::path(file).filename().string().starts_with("msr_paraphrase")) {
    options.format = "tsv";
    options.header = "yes";
    options.text_column = "4";
    options.pair_column = "5";
    options.label_column = "1";
  }
  return options;
}

std::string bare(const std::string& word) {
  return word.substr(0, word.find_last_not_of(closing) + 1);
}

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words = split(text, ' ');
  std::erase(words, "");
  return words;
}

// Where two sentences differ in one word alone; none: not so.
bool set_difference(MinimalPair& pair) {
  const std::vector<std::string> good = split_words(pair.good), bad = split_words(pair.bad);
  if (good.size() != bad.size()) return false;
  int different = 0;
  for (std::size_t w = 0; w < good.size(); ++w)
    if (good[w] != bad[w]) {
      ++different;
      pair.position = w;
    }
  if (different != 1) return false;
  pair.good_word = bare(good[pair.position]);
  pair.bad_word = bare(bad[pair.position]);
  return !pair.good_word.empty() && !pair.bad_word.empty();
}

}  // namespace

std::string data_file(const std::string& data, const std::vector<std::string>& names) {
  if (data.empty())
    throw InputError(
        fmt::format("--data: expected a file, or a folder with {}, found none", fmt::join(names, " or ")));
  if (!is_directory(data)) {
    if (!file_exists(data))
      throw InputError(fmt::format("{}: expected a file or a folder, found neither", data));
    return data;
  }
  for (const std::string& name : names)
    if (std::string path = fmt::format("{}/{}", data, name); file_exists(path)) return path;
  throw InputError(fmt::format("{}: expected one of {} in it, found none; --data may name the file itself",
                               data, fmt::join(names, ", ")));
}

std::string mask_token(const Engine& engine) {
  for (const char* mask : {"[MASK]", "<mask>"})
    for (const Unit& token : engine.tokenize({.text = mask}))
      if (token.piece == mask) return mask;
  throw Unsupported(fmt::format("mask: {} has no token [MASK] or <mask>", engine.info().architecture));
}

std::vector<std::size_t> evenly_spaced(std::size_t all, std::size_t count) {
  std::vector<std::size_t> chosen;
  if (count == 0 || count > all) count = all;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(i * all / count);
  return chosen;
}

std::vector<LabelledInput> read_examples(const std::string& file, std::size_t limit) {
  CorpusReader reader(options_for(file));
  std::vector<LabelledInput> all, chosen;
  while (std::optional<Example> example = reader.next())
    all.push_back({std::move(example->input), std::move(example->gold)});
  if (all.empty()) throw InputError(fmt::format("{}: expected texts, found none", file));
  for (const std::size_t i : evenly_spaced(all.size(), limit)) {
    all[i].input.truncate = true;
    chosen.push_back(std::move(all[i]));
  }
  return chosen;
}

std::vector<MinimalPair> read_minimal_pairs(const std::string& file, std::size_t limit) {
  CorpusReader reader(
      {.file = file, .format = "jsonl", .text_column = "sentence_good", .pair_column = "sentence_bad"});
  std::vector<MinimalPair> all, chosen;
  while (const std::optional<Example> example = reader.next()) {
    MinimalPair pair{.good = example->input.text, .bad = example->input.pair.value_or("")};
    if (set_difference(pair)) all.push_back(std::move(pair));
  }
  if (all.empty())
    throw InputError(fmt::format("{}: expected pairs that differ in one word, found none", file));
  for (const std::size_t i : evenly_spaced(all.size(), limit)) chosen.push_back(std::move(all[i]));
  return chosen;
}

std::string with_word(const MinimalPair& pair, const std::string& replacement) {
  std::vector<std::string> words = split_words(pair.good);
  std::string& word = words[pair.position];
  word = replacement + word.substr(bare(word).size());
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace headwater
