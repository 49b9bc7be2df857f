#include "text/token_model.h"

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/json.h"

namespace headwater {
namespace {

std::string guess_type(const JsonView& d) {
  if (d.find("merges")) return "BPE";
  const auto vocabulary = d.find("vocab");
  if (vocabulary && vocabulary->json().is_array()) return "Unigram";
  return d.find("continuing_subword_prefix") ? "WordPiece" : "WordLevel";
}

}  // namespace

std::unique_ptr<const TokenModel> make_token_model(const JsonView& d, Entries* vocabulary) {
  const std::string type = d.find("type") ? d.at("type").string() : guess_type(d);
  if (type == "WordPiece") return make_wordpiece(d, vocabulary);
  if (type == "BPE") return make_bpe(d, vocabulary);
  if (type == "Unigram") return make_unigram(d);
  if (type == "WordLevel") return make_word_level(d, vocabulary);
  throw Unsupported(
      fmt::format("{}.type: expected WordPiece, BPE, Unigram or WordLevel, found \"{}\"", d.where(), type));
}

}  // namespace headwater
