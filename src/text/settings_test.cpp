// A tokenizer's folder: tokenizer.json or the older files, and the files beside it.
#include "text/settings.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <headwater/error.h>
#include <unistd.h>

#include "support/scratch_folder.h"
#include "text/tokenizer.h"

namespace headwater {
namespace {

namespace fs = std::filesystem;

const char* const small_tokenizer = R"({"version": "1.0", "pre_tokenizer": {"type": "WhitespaceSplit"},
  "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 10,
            "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "un": 3, "##aff": 4, "##able": 5, "a": 6}}})";

class Folder {
 public:
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(scratch_ / name, std::ios::binary) << content;
  }
  std::shared_ptr<const Tokenizer> load() const { return Tokenizer::load(scratch_.path()); }

 private:
  testing::ScratchFolder scratch_;
};

TEST(TokenizerFolder, ReadsSettingsBesideTokenizerJson) {
  const Folder folder;
  folder.write("tokenizer.json", small_tokenizer);
  folder.write(
      "tokenizer_config.json",
      R"({"model_max_length": 2, "unk_token": "[UNK]", "cls_token": {"content": "[CLS]"}, "truncation_side": "left",
                   "add_bos_token": true, "bos_token": "[CLS]", "add_eos_token": true, "eos_token": "[SEP]",
                   "added_tokens_decoder": {"7": {"content": "<new>", "special": true}}})");
  folder.write("special_tokens_map.json", R"({"mask_token": "un", "unk_token": "a"})");
  const auto tokenizer = folder.load();
  EXPECT_EQ(tokenizer->model_max_length(), 2);
  EXPECT_EQ(tokenizer->special_id("cls_token"), 1);
  EXPECT_EQ(tokenizer->special_id("mask_token"), 3);
  EXPECT_EQ(tokenizer->special_id("unk_token"), 0);
  EXPECT_EQ(tokenizer->special_id("pad_token"), std::nullopt);
  EXPECT_EQ(tokenizer->id_of("<new>"), 7);
  EXPECT_EQ(tokenizer->vocabulary_size(), 8);
  EXPECT_EQ(tokenizer->hash().size(), 64U);
  EXPECT_EQ(tokenizer->encode("un a", {}, {.truncate = true, .max_length = 3}).ids(), (std::vector{1, 6, 2}));
}

TEST(TokenizerFolder, AbsurdLimitsAreNone) {
  const Folder folder;
  folder.write("tokenizer.json", small_tokenizer);
  folder.write("tokenizer_config.json", R"({"model_max_length": 1000000000000000019884624838656})");
  EXPECT_EQ(folder.load()->model_max_length(), std::nullopt);
  folder.write("tokenizer_config.json", R"({"model_max_length": 0})");
  EXPECT_THROW(folder.load(), FormatError);
  folder.write("tokenizer_config.json", R"({"added_tokens_decoder": {"x": {"content": "y"}}})");
  EXPECT_THROW(folder.load(), FormatError);
}

TEST(TokenizerFolder, WithoutAnyTokenizerSaysWhatItLookedFor) {
  const Folder folder;
  EXPECT_THROW(folder.load(), FormatError);
  folder.write("vocab.txt", "[UNK]\na\n");
  EXPECT_THROW(folder.load(), FormatError);  // no [CLS]
  folder.write("vocab.txt", "\xff\n");
  EXPECT_THROW(folder.load(), FormatError);
}

}  // namespace
}  // namespace headwater
