// Every tokenizer in tests/golden/tokenizers gives exactly the ids, spans, words, types and text that the
// reference implementation gave (make_goldens.py) on the hardest lines.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/json.h"
#include "support/source_folder.h"
#include "text/tokenizer.h"

namespace headwater {
namespace {

namespace fs = std::filesystem;

const fs::path root = fs::path(HEADWATER_SOURCE_DIR) / "tests/golden/tokenizers";

struct Golden {
  std::string name;
  fs::path tokenizer;  // a tokenizer.json or a folder
  fs::path cases;
};

std::vector<Golden> all_goldens() {
  std::vector<Golden> goldens;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const fs::path& path = entry.path();
    if (path.extension() == ".cases") {
      goldens.push_back({path.stem(), fs::path(path).replace_extension(".json"), path});
    } else if (path.filename() == "cases") {
      goldens.push_back({"legacy_" + path.parent_path().filename().string(), path.parent_path(), path});
    }
  }
  std::sort(goldens.begin(), goldens.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return goldens;
}

class TokenizerGolden : public ::testing::TestWithParam<Golden> {};

void check(const Tokenizer& tokenizer, const Json& expected) {
  const auto pair = expected[1].is_null() ? std::nullopt : std::optional(expected[1].get<std::string>());
  const auto limit = expected[3].get<Index>();
  const Encoding encoding = tokenizer.encode(
      expected[0], pair,
      {.add_special_tokens = expected[2], .truncate = limit > 0, .max_length = limit > 0 ? limit : 100000});
  std::vector<Index> spans;
  std::vector<int> words;
  for (const Token& token : encoding.tokens) {
    spans.push_back(token.begin);
    spans.push_back(token.end);
    words.push_back(token.word);
  }
  SCOPED_TRACE(expected.dump(-1, ' ', true));
  EXPECT_EQ(encoding.ids(), expected[4].get<std::vector<int>>());
  EXPECT_EQ(spans, expected[5].get<std::vector<Index>>());
  EXPECT_EQ(words, expected[6].get<std::vector<int>>());
  EXPECT_EQ(encoding.type_ids(), expected[7].get<std::vector<int>>());
  EXPECT_EQ(tokenizer.decode(encoding.ids(), false), expected[8].get<std::string>());
}

TEST_P(TokenizerGolden, EqualsTheReference) {
  const Golden& golden = GetParam();
  const auto tokenizer = is_directory(golden.tokenizer)
                             ? Tokenizer::load(golden.tokenizer)
                             : Tokenizer::from_json(read_file(golden.tokenizer), golden.name);
  std::ifstream in(golden.cases);
  int count = 0;
  for (std::string line; std::getline(in, line); ++count) check(*tokenizer, Json::parse(line));
  EXPECT_GE(count, 70);
}

INSTANTIATE_TEST_SUITE_P(All, TokenizerGolden, ::testing::ValuesIn(all_goldens()),
                         [](const auto& golden) { return golden.param.name; });

TEST(TokenizerGoldens, AreThere) {
  EXPECT_GE(all_goldens().size(), 20U);
}

}  // namespace
}  // namespace headwater
