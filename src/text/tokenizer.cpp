// The pipeline: added tokens are cut out, the rest is normalised, cut into words, each word is cut into
// pieces by the model; then sequences are shortened if asked, and special tokens put around them.
#include "text/tokenizer.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/files.h"
#include "base/utf8.h"
#include "text/added_tokens.h"
#include "text/decoder.h"
#include "text/legacy.h"
#include "text/normalizer.h"
#include "text/post_processor.h"
#include "text/pre_tokenizer.h"
#include "text/regex.h"
#include "text/settings.h"
#include "text/token_model.h"
#include "text/tokenizer_json.h"

namespace headwater {
namespace {

constexpr std::size_t longest_text = std::size_t{1} << 26U;  // far above any model, well within 32-bit spans

template <class T, class Make>
std::unique_ptr<const T> part(const JsonView& root, const std::string& key, Make make) {
  const auto description = root.find(key);
  return description ? make(*description) : nullptr;
}

// Cuts a draft to `length` tokens, from the end or the beginning.
void shorten(Draft& draft, std::size_t length, bool from_left) {
  if (draft.size() <= length) return;
  const auto extra = static_cast<std::ptrdiff_t>(draft.size() - length);
  if (from_left) {
    draft.erase(draft.begin(), draft.begin() + extra);
  } else {
    draft.resize(length);
  }
}

// Shortens the longer sequence first: if the shorter fits into half of the room it stays whole,
// otherwise both get half, the odd token going to the longer one.
void shorten_all(std::vector<Draft>& drafts, std::size_t room, bool from_left) {
  if (drafts.size() == 1) return shorten(drafts[0], room, from_left);
  const bool first_is_shorter = drafts[0].size() <= drafts[1].size();
  Draft& shorter = drafts[first_is_shorter ? 0 : 1];
  Draft& longer = drafts[first_is_shorter ? 1 : 0];
  const std::size_t small = std::min(shorter.size(), room / 2);
  shorten(shorter, small, from_left);
  shorten(longer, room - small, from_left);
}

class PipelineTokenizer final : public Tokenizer {
 public:
  PipelineTokenizer(const JsonView& root, Entries* vocabulary, TokenizerSettings settings, std::string hash)
      : settings_(std::move(settings)),
        hash_(std::move(hash)),
        model_(make_token_model(root.at("model"), vocabulary)),
        normalizer_(part<Normalizer>(root, "normalizer", make_normalizer)),
        pre_tokenizer_(part<PreTokenizer>(root, "pre_tokenizer", make_pre_tokenizer)),
        post_processor_(part<PostProcessor>(root, "post_processor", make_post_processor)),
        decoder_(part<Decoder>(root, "decoder", make_decoder)) {
    if (root.string_or("version", "1.0") != "1.0") root.at("version").fail("\"1.0\"");
    add_tokens(root);
    if (!post_processor_) post_processor_ = begin_and_end();
  }

  Encoding encode(const std::string& text, const std::optional<std::string>& pair,
                  const EncodeOptions& options) const override {
    require_text(text, "text");
    if (pair) require_text(*pair, "pair");
    Encoding result;
    result.text = text;
    result.pair = pair.value_or("");
    result.has_pair = pair.has_value();
    const Texts texts{result.text, result.pair};
    const RegexBudget budget(result.text.size() + result.pair.size());
    std::vector<Pieces> pieces(pair ? 2 : 1);  // tokens look into them until the end
    std::vector<Draft> drafts;
    for (std::size_t i = 0; i < pieces.size(); ++i)
      drafts.push_back(tokenize(texts[i], static_cast<int>(i), pieces[i]));
    result.truncated = limit_length(drafts, options);
    if (post_processor_) post_processor_->process(drafts, options.add_special_tokens, texts);
    for (const Draft& draft : drafts)
      for (const DraftToken& token : draft) result.tokens.push_back(finished(token));
    return result;
  }

  std::string decode(const std::vector<int>& ids, bool skip_special_tokens) const override {
    std::vector<std::string> pieces;
    for (const int id : ids) {
      std::string piece;
      if (added_.token(id) != nullptr) {
        piece = added_.spelling(id);
      } else if (const auto known = model_->piece_of(id)) {
        piece = *known;
      } else {
        continue;
      }
      if (skip_special_tokens && added_.is_special(piece)) continue;
      pieces.push_back(std::move(piece));
    }
    if (decoder_) {
      std::size_t bytes = 0;
      for (const std::string& piece : pieces) bytes += piece.size();
      const RegexBudget budget(bytes);
      decoder_->decode(pieces);
      return fmt::format("{}", fmt::join(pieces, ""));
    }
    return fmt::format("{}", fmt::join(pieces, " "));
  }

  int vocabulary_size() const override { return static_cast<int>(model_->size() + added_.beyond(*model_)); }

  std::optional<int> id_of(std::string_view piece) const override {
    const auto id = added_.id_of(piece);
    return id ? id : model_->id_of(piece);
  }

  std::string piece_of(int id) const override {
    if (const AddedToken* token = added_.token(id)) return token->content;
    return std::string(model_->piece_of(id).value_or(""));
  }

  std::optional<Index> model_max_length() const override { return settings_.model_max_length; }

  std::optional<int> special_id(std::string_view role) const override {
    const auto found = settings_.roles.find(std::string(role));
    return found == settings_.roles.end() ? std::nullopt : id_of(found->second.content);
  }

  std::string_view kind() const override { return model_->kind(); }
  std::string hash() const override { return hash_; }

 private:
  static void require_text(const std::string& text, const char* name) {
    if (text.size() > longest_text)
      throw InputError(
          fmt::format("{}: expected at most {} bytes, found {}; split it", name, longest_text, text.size()));
    require_utf8(text, name);
  }

  void add_tokens(const JsonView& root) {
    std::vector<AddedToken> tokens;
    if (const auto list = root.find("added_tokens"))
      for (const JsonView& token : list->elements()) tokens.push_back(added_token_from(token));
    added_.add(tokens, *model_, normalizer_.get());
    // Tokens that only the files beside it know are added behind.
    std::vector<AddedToken> more;
    const auto is_new = [&](const AddedToken& token) { return !added_.id_of(token.content); };
    std::copy_if(settings_.added.begin(), settings_.added.end(), std::back_inserter(more), is_new);
    for (const auto& [role, token] : settings_.roles)
      if (is_new(token)) more.push_back(token);
    if (!more.empty()) added_.add(more, *model_, normalizer_.get());
  }

  // Where tokenizer.json has no post-processor, add_bos_token and add_eos_token make one.
  std::unique_ptr<const PostProcessor> begin_and_end() const {
    const auto bos = settings_.add_bos ? special_id("bos_token") : std::nullopt;
    const auto eos = settings_.add_eos ? special_id("eos_token") : std::nullopt;
    if (!bos && !eos) return nullptr;
    Json special = Json::object(), single = Json::array(), pair = Json::array();
    const auto put = [&](Json& list, const char* role, int id, int type) {
      const std::string& piece = settings_.roles.at(role).content;
      special[piece] = {{"id", piece}, {"ids", {id}}, {"tokens", {piece}}};
      list.push_back({{"SpecialToken", {{"id", piece}, {"type_id", type}}}});
    };
    for (const int type : {0, 1}) {
      if (bos) put(pair, "bos_token", *bos, type);
      pair.push_back({{"Sequence", {{"id", type == 0 ? "A" : "B"}, {"type_id", type}}}});
      if (eos) put(pair, "eos_token", *eos, type);
      if (type == 0) single = pair;
    }
    const Json description = {
        {"type", "TemplateProcessing"}, {"single", single}, {"pair", pair}, {"special_tokens", special}};
    return make_post_processor(JsonView(description, "tokenizer_config.json"));
  }

  Draft tokenize(std::string_view text, int sequence, Pieces& pieces) const {
    pieces = added_.extract(text, normalizer_.get());
    if (pre_tokenizer_) pre_tokenizer_->cut(pieces);
    Draft draft;
    std::vector<ModelToken> tokens;
    for (std::size_t word = 0; word < pieces.list.size(); ++word) {
      const Piece& piece = pieces.list[word];
      tokens.clear();
      if (piece.token >= 0) {
        tokens.push_back({piece.token, 0, piece.end - piece.begin, pieces.view(piece)});
      } else {
        model_->tokenize(pieces.view(piece), tokens);
      }
      for (const ModelToken& token : tokens) {
        const ByteSpan span = original_span(pieces, piece, token);
        draft.push_back(
            {token.id, span.begin, span.end, static_cast<int>(word), sequence, sequence, false, token.value});
      }
    }
    return draft;
  }

  static ByteSpan original_span(const Pieces& pieces, const Piece& piece, const ModelToken& token) {
    const auto& spans = pieces.buffer.spans;
    const std::size_t last = piece.end - 1;
    // A model with affixes and byte fallback counts more bytes than the word has; stay within it.
    const std::size_t begin = std::min(piece.begin + token.begin, last);
    const std::size_t end = std::min(piece.begin + token.end, piece.end);
    return {spans[begin].begin, spans[std::max(end, begin + 1) - 1].end};
  }

  // True if something was cut off.
  bool limit_length(std::vector<Draft>& drafts, const EncodeOptions& options) const {
    const bool pair = drafts.size() == 2;
    const std::size_t added =
        post_processor_ && options.add_special_tokens ? post_processor_->added(pair) : 0;
    std::size_t length = added;
    for (const Draft& draft : drafts) length += draft.size();
    const Index limit = options.max_length > 0 ? options.max_length : settings_.model_max_length.value_or(0);
    if (limit <= 0 || length <= static_cast<std::size_t>(limit)) return false;
    if (!options.truncate)
      throw InputError(fmt::format(
          "text: expected at most {} tokens, found {}; cut it with --truncate or shorten it", limit, length));
    if (static_cast<std::size_t>(limit) < added)
      throw InputError(
          fmt::format("max_length: expected at least the {} special tokens, found {}", added, limit));
    shorten_all(drafts, static_cast<std::size_t>(limit) - added, settings_.truncate_left);
    return true;
  }

  Token finished(const DraftToken& draft) const {
    return {.id = draft.id,
            .piece = draft.special ? std::string(draft.value) : piece_of(draft.id),
            .begin = draft.begin,
            .end = draft.end,
            .word = draft.word,
            .segment = draft.segment,
            .type_id = draft.type_id,
            .special = draft.special};
  }

  TokenizerSettings settings_;
  std::string hash_;
  std::unique_ptr<const TokenModel> model_;
  std::unique_ptr<const Normalizer> normalizer_;
  std::unique_ptr<const PreTokenizer> pre_tokenizer_;
  std::unique_ptr<const PostProcessor> post_processor_;
  std::unique_ptr<const Decoder> decoder_;
  AddedTokens added_;
};

std::string sha256_of(std::string_view bytes) {
  return sha256_hex(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

std::shared_ptr<const Tokenizer> build(TokenizerJson file, const std::string& where,
                                       TokenizerSettings settings, std::string hash) {
  const JsonView root(file.json, where);
  root.object();
  return std::make_shared<PipelineTokenizer>(root, file.vocabulary ? &*file.vocabulary : nullptr,
                                             std::move(settings), std::move(hash));
}

}  // namespace

std::vector<int> Encoding::ids() const {
  std::vector<int> ids;
  for (const Token& token : tokens) ids.push_back(token.id);
  return ids;
}

std::vector<int> Encoding::type_ids() const {
  std::vector<int> ids;
  for (const Token& token : tokens) ids.push_back(token.type_id);
  return ids;
}

std::string_view Encoding::source(const Token& token) const {
  const std::string_view from = token.segment == 0 ? text : pair;
  return from.substr(static_cast<std::size_t>(token.begin),
                     static_cast<std::size_t>(token.end - token.begin));
}

std::shared_ptr<const Tokenizer> Tokenizer::from_json(std::string_view text, const std::string& where) {
  return build(parse_tokenizer_json(text, where), where, {}, sha256_of(text));
}

std::shared_ptr<const Tokenizer> Tokenizer::load(const std::string& folder) {
  TokenizerSettings settings = read_settings(folder);
  const std::string path = folder + "/tokenizer.json";
  if (file_exists(path)) {
    const std::string text = read_file(path);
    return build(parse_tokenizer_json(text, path), path, std::move(settings), sha256_of(text));
  }
  if (const auto legacy = read_legacy(folder, settings))
    return build({legacy->description, std::nullopt}, legacy->where, std::move(settings),
                 sha256_of(legacy->bytes));
  throw FormatError(
      fmt::format("{}: expected tokenizer.json, vocab.txt, or vocab.json and merges.txt, found none of them; "
                  "save the tokenizer with tokenizer.save_pretrained(folder)",
                  folder));
}

}  // namespace headwater
