#include "text/pre_tokenizer.h"

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/utf8.h"
#include "text/byte_level.h"
#include "text/unicode.h"

namespace headwater {
namespace {

SplitBehavior behavior_of(const JsonView& view) {
  const std::string name = view.string();
  if (name == "Removed") return SplitBehavior::Removed;
  if (name == "Isolated") return SplitBehavior::Isolated;
  if (name == "MergedWithPrevious") return SplitBehavior::MergedWithPrevious;
  if (name == "MergedWithNext") return SplitBehavior::MergedWithNext;
  if (name == "Contiguous") return SplitBehavior::Contiguous;
  view.fail("Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous");
}

class BertPreTokenizer final : public PreTokenizer {
 public:
  void cut(Pieces& pieces) const override {
    pieces.split_characters(SplitBehavior::Removed, is_space);
    pieces.split_characters(SplitBehavior::Isolated, is_punctuation);
  }
};

class CharacterSplit final : public PreTokenizer {
 public:
  CharacterSplit(SplitBehavior behavior, bool (*is_delimiter)(char32_t))
      : behavior_(behavior), is_delimiter_(is_delimiter) {}
  void cut(Pieces& pieces) const override { pieces.split_characters(behavior_, is_delimiter_); }

 private:
  SplitBehavior behavior_;
  bool (*is_delimiter_)(char32_t);
};

// \w+|[^\w\s]+ : runs of word characters, and runs of what is neither word nor space.
class WhitespacePreTokenizer final : public PreTokenizer {
 public:
  void cut(Pieces& pieces) const override {
    pieces.split(SplitBehavior::Isolated, [](std::string_view text) {
      std::vector<Match> runs;
      int previous = 0;
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = at;
        const char32_t c = next_code_point(text, at);
        const int kind = is_word(c) ? 1 : is_space(c) ? 0 : 2;
        if (kind != 0 && kind == previous) {
          runs.back().end = at;
        } else if (kind != 0) {
          runs.push_back({begin, at, true});
        }
        previous = kind;
      }
      return runs;
    });
  }
};

class ByteLevelPreTokenizer final : public PreTokenizer {
 public:
  explicit ByteLevelPreTokenizer(const JsonView& d)
      : add_prefix_space_(d.at("add_prefix_space").boolean()),
        use_regex_(d.boolean_or("use_regex", true)),
        regex_(R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)", d.where()) {}

  void cut(Pieces& pieces) const override {
    if (add_prefix_space_)
      pieces.rewrite([&](const Piece& piece, AlignedText& out) {
        if (pieces.buffer.text[piece.begin] != ' ') out.append(U' ', pieces.buffer.spans[piece.begin]);
        out.append(pieces.buffer, piece.begin, piece.end);
      });
    if (use_regex_)
      pieces.split(SplitBehavior::Isolated, [&](std::string_view text) { return regex_.split(text); });
    pieces.rewrite([&](const Piece& piece, AlignedText& out) {
      append_byte_level(pieces.buffer, piece.begin, piece.end, out);
    });
  }

 private:
  bool add_prefix_space_, use_regex_;
  Regex regex_;
};

class MetaspacePreTokenizer final : public PreTokenizer {
 public:
  enum class Prepend { First, Never, Always };

  explicit MetaspacePreTokenizer(const JsonView& d)
      : replacement_(d.at("replacement").character()), split_(d.boolean_or("split", true)) {
    append_utf8(replacement_text_, replacement_);
    const auto scheme = d.find("prepend_scheme");
    const std::string name = scheme ? scheme->string() : "always";
    if (name == "first") {
      prepend_ = Prepend::First;
    } else if (name == "never") {
      prepend_ = Prepend::Never;
    } else if (name != "always") {
      scheme->fail("first, never or always");
    }
    // Files from before prepend_scheme say it by add_prefix_space.
    if (!d.boolean_or("add_prefix_space", true)) {
      if (scheme && prepend_ != Prepend::Never) scheme->fail("never, since add_prefix_space is false");
      prepend_ = Prepend::Never;
    }
  }

  void cut(Pieces& pieces) const override {
    pieces.rewrite([&](const Piece& piece, AlignedText& out) { replace_spaces(pieces.buffer, piece, out); });
    if (!split_) return;
    pieces.split(SplitBehavior::MergedWithNext,
                 [&](std::string_view text) { return split_literal(text, replacement_text_); });
  }

 private:
  void replace_spaces(const AlignedText& from, const Piece& piece, AlignedText& out) const {
    const std::string_view text = std::string_view(from.text).substr(piece.begin, piece.end - piece.begin);
    const ByteSpan first = from.spans[piece.begin];
    const bool wanted = prepend_ == Prepend::Always || (prepend_ == Prepend::First && first.begin == 0);
    if (wanted && text.front() != ' ' && !text.starts_with(replacement_text_))
      out.append(replacement_, first);
    for (std::size_t i = piece.begin; i < piece.end; ++i) {
      if (from.text[i] == ' ') {
        out.append(replacement_, from.spans[i]);
      } else {
        out.text += from.text[i];
        out.spans.push_back(from.spans[i]);
      }
    }
  }

  char32_t replacement_;
  std::string replacement_text_;
  bool split_;
  Prepend prepend_ = Prepend::Always;
};

class SplitPreTokenizer final : public PreTokenizer {
 public:
  explicit SplitPreTokenizer(const JsonView& d)
      : pattern_(d.at("pattern")),
        behavior_(behavior_of(d.at("behavior"))),
        invert_(d.at("invert").boolean()) {}

  void cut(Pieces& pieces) const override {
    pieces.split(behavior_, [&](std::string_view text) {
      auto matches = pattern_.split(text);
      if (invert_)
        for (Match& m : matches) m.matched = !m.matched;
      return matches;
    });
  }

 private:
  Pattern pattern_;
  SplitBehavior behavior_;
  bool invert_;
};

class CharDelimiterSplit final : public PreTokenizer {
 public:
  explicit CharDelimiterSplit(const JsonView& d) { append_utf8(delimiter_, d.at("delimiter").character()); }
  void cut(Pieces& pieces) const override {
    pieces.split(SplitBehavior::Removed,
                 [&](std::string_view text) { return split_literal(text, delimiter_); });
  }

 private:
  std::string delimiter_;
};

class PreTokenizerSequence final : public PreTokenizer {
 public:
  explicit PreTokenizerSequence(const JsonView& d) {
    for (const JsonView& step : d.at("pretokenizers").elements()) steps_.push_back(make_pre_tokenizer(step));
  }
  void cut(Pieces& pieces) const override {
    for (const auto& step : steps_) step->cut(pieces);
  }

 private:
  std::vector<std::unique_ptr<const PreTokenizer>> steps_;
};

}  // namespace

std::unique_ptr<const PreTokenizer> make_pre_tokenizer(const JsonView& d) {
  const std::string type = d.at("type").string();
  if (type == "BertPreTokenizer") return std::make_unique<BertPreTokenizer>();
  if (type == "Whitespace") return std::make_unique<WhitespacePreTokenizer>();
  if (type == "WhitespaceSplit") return std::make_unique<CharacterSplit>(SplitBehavior::Removed, is_space);
  if (type == "ByteLevel") return std::make_unique<ByteLevelPreTokenizer>(d);
  if (type == "Metaspace") return std::make_unique<MetaspacePreTokenizer>(d);
  if (type == "Split") return std::make_unique<SplitPreTokenizer>(d);
  if (type == "CharDelimiterSplit") return std::make_unique<CharDelimiterSplit>(d);
  if (type == "Sequence") return std::make_unique<PreTokenizerSequence>(d);
  if (type == "Digits") {
    const bool single = d.boolean_or("individual_digits", false);
    return std::make_unique<CharacterSplit>(single ? SplitBehavior::Isolated : SplitBehavior::Contiguous,
                                            is_number);
  }
  if (type == "Punctuation") {
    const auto behavior = d.find("behavior");
    return std::make_unique<CharacterSplit>(behavior ? behavior_of(*behavior) : SplitBehavior::Isolated,
                                            is_punctuation);
  }
  throw Unsupported(fmt::format(
      "{}.type: expected BertPreTokenizer, Whitespace, WhitespaceSplit, ByteLevel, Metaspace, Split, Digits, "
      "Punctuation, CharDelimiterSplit or Sequence, found \"{}\"",
      d.where(), type));
}

}  // namespace headwater
