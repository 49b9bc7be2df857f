// Each normalizer rewrites characters; a new character takes the span of the one it comes from.
#include "text/normalizer.h"

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/utf8.h"
#include "text/byte_level.h"
#include "text/precompiled.h"
#include "text/regex.h"
#include "text/unicode.h"

namespace headwater {
namespace {

// Calls put(code point, span) as often as f wishes for each character of the text.
template <class F>
void rewrite_characters(AlignedText& text, F f) {
  AlignedText result;
  result.reserve(text.text.size() + text.text.size() / 8);
  for (std::size_t at = 0; at < text.text.size();) {
    const ByteSpan span = text.spans[at];
    f(next_code_point(text.text, at), [&](char32_t c) { result.append(c, span); });
  }
  text = std::move(result);
}

template <class F>
void keep_characters(AlignedText& text, F keep) {
  rewrite_characters(text, [&](char32_t c, const auto& put) {
    if (keep(c)) put(c);
  });
}

class NormalFormNormalizer final : public Normalizer {
 public:
  explicit NormalFormNormalizer(NormalForm form) : form_(form) {}
  void normalize(AlignedText& text) const override { to_normal_form(text, form_); }

 private:
  NormalForm form_;
};

class LowercaseNormalizer final : public Normalizer {
 public:
  void normalize(AlignedText& text) const override {
    rewrite_characters(text, [](char32_t c, const auto& put) {
      char32_t buffer[2];
      for (const char32_t lower : lowercase(c, buffer)) put(lower);
    });
  }
};

class StripAccentsNormalizer final : public Normalizer {
 public:
  void normalize(AlignedText& text) const override {
    keep_characters(text, [](char32_t c) { return !is_combining_mark(c); });
  }
};

class BertNormalizer final : public Normalizer {
 public:
  explicit BertNormalizer(const JsonView& d)
      : clean_(d.at("clean_text").boolean()),
        space_cjk_(d.at("handle_chinese_chars").boolean()),
        lowercase_(d.at("lowercase").boolean()),
        strip_accents_(d.boolean_or("strip_accents", lowercase_)) {}

  void normalize(AlignedText& text) const override {
    if (clean_ || space_cjk_)
      rewrite_characters(text, [&](char32_t c, const auto& put) { clean_and_space(c, put); });
    if (strip_accents_) to_normal_form(text, NormalForm::Nfd);
    if (strip_accents_ || lowercase_)
      rewrite_characters(text, [&](char32_t c, const auto& put) { strip_and_lower(c, put); });
  }

 private:
  template <class Put>
  void clean_and_space(char32_t c, const Put& put) const {
    const bool line_control = c == '\t' || c == '\n' || c == '\r';
    if (clean_) {
      if (c == 0 || c == 0xFFFD || (!line_control && is_control(c))) return;
      if (line_control || is_space(c)) c = ' ';
    }
    const bool spaced = space_cjk_ && is_cjk_ideograph(c);
    if (spaced) put(U' ');
    put(c);
    if (spaced) put(U' ');
  }

  template <class Put>
  void strip_and_lower(char32_t c, const Put& put) const {
    if (strip_accents_ && is_nonspacing_mark(c)) return;
    if (!lowercase_) return put(c);
    char32_t buffer[2];
    for (const char32_t lower : lowercase(c, buffer)) put(lower);
  }

  bool clean_, space_cjk_, lowercase_, strip_accents_;
};

class PrependNormalizer final : public Normalizer {
 public:
  explicit PrependNormalizer(const JsonView& d) : prefix_(d.at("prepend").string()) {}
  void normalize(AlignedText& text) const override {
    if (text.text.empty()) return;
    text.spans.insert(text.spans.begin(), prefix_.size(), text.spans.front());
    text.text.insert(0, prefix_);
  }

 private:
  std::string prefix_;
};

class ReplaceNormalizer final : public Normalizer {
 public:
  explicit ReplaceNormalizer(const JsonView& d)
      : pattern_(d.at("pattern")), content_(d.at("content").string()) {}

  void normalize(AlignedText& text) const override {
    if (text.text.empty()) return;
    AlignedText result;
    result.reserve(text.text.size());
    for (const Match& m : pattern_.split(text.text)) {
      if (!m.matched) {
        result.append(text, m.begin, m.end);
        continue;
      }
      const std::uint32_t origin = text.spans.front().begin;
      const ByteSpan span = m.end == 0 ? ByteSpan{origin, origin} : text.spans[m.end - 1];
      result.text += content_;
      result.spans.resize(result.text.size(), span);
      require_proportion(result);
    }
    text = std::move(result);
  }

 private:
  Pattern pattern_;
  std::string content_;
};

class StripNormalizer final : public Normalizer {
 public:
  explicit StripNormalizer(const JsonView& d)
      : left_(d.at("strip_left").boolean()), right_(d.at("strip_right").boolean()) {}

  void normalize(AlignedText& text) const override {
    std::size_t begin = 0, end = 0;  // of what stays
    bool started = !left_;
    for (std::size_t at = 0; at < text.text.size();) {
      const std::size_t start = at;
      const bool space = is_space(next_code_point(text.text, at));
      if (!started && !space) begin = start;
      started = started || !space;
      if (!space || !right_) end = at;
    }
    if (!started) end = 0;
    AlignedText result;
    if (begin < end) result.append(text, begin, end);
    text = std::move(result);
  }

 private:
  bool left_, right_;
};

// The whitespace rules of neural machine translation models.
class NmtNormalizer final : public Normalizer {
 public:
  void normalize(AlignedText& text) const override {
    rewrite_characters(text, [](char32_t c, const auto& put) {
      if ((c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F || c == 0x8F ||
          c == 0x9F)
        return;
      const bool space = c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 ||
                         (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 ||
                         c == 0xFEFF || c == 0xFFFD;
      put(space ? U' ' : c);
    });
  }
};

class ByteLevelNormalizer final : public Normalizer {
 public:
  void normalize(AlignedText& text) const override {
    AlignedText result;
    result.reserve(text.text.size() * 2);
    append_byte_level(text, 0, text.text.size(), result);
    text = std::move(result);
  }
};

class PrecompiledNormalizer final : public Normalizer {
 public:
  explicit PrecompiledNormalizer(const JsonView& d) : map_(d.at("precompiled_charsmap")) {}
  void normalize(AlignedText& text) const override { map_.apply(text); }

 private:
  CharacterMap map_;
};

class NormalizerSequence final : public Normalizer {
 public:
  explicit NormalizerSequence(const JsonView& d) {
    for (const JsonView& step : d.at("normalizers").elements()) steps_.push_back(make_normalizer(step));
  }
  void normalize(AlignedText& text) const override {
    for (const auto& step : steps_) {
      step->normalize(text);
      require_proportion(text);
    }
  }

 private:
  std::vector<std::unique_ptr<const Normalizer>> steps_;
};

}  // namespace

std::unique_ptr<const Normalizer> make_normalizer(const JsonView& d) {
  const std::string type = d.at("type").string();
  if (type == "NFC") return std::make_unique<NormalFormNormalizer>(NormalForm::Nfc);
  if (type == "NFD") return std::make_unique<NormalFormNormalizer>(NormalForm::Nfd);
  if (type == "NFKC") return std::make_unique<NormalFormNormalizer>(NormalForm::Nfkc);
  if (type == "NFKD") return std::make_unique<NormalFormNormalizer>(NormalForm::Nfkd);
  if (type == "Lowercase") return std::make_unique<LowercaseNormalizer>();
  if (type == "StripAccents") return std::make_unique<StripAccentsNormalizer>();
  if (type == "BertNormalizer") return std::make_unique<BertNormalizer>(d);
  if (type == "Prepend") return std::make_unique<PrependNormalizer>(d);
  if (type == "Replace") return std::make_unique<ReplaceNormalizer>(d);
  if (type == "Strip") return std::make_unique<StripNormalizer>(d);
  if (type == "Nmt") return std::make_unique<NmtNormalizer>();
  if (type == "ByteLevel") return std::make_unique<ByteLevelNormalizer>();
  if (type == "Precompiled") return std::make_unique<PrecompiledNormalizer>(d);
  if (type == "Sequence") return std::make_unique<NormalizerSequence>(d);
  throw Unsupported(fmt::format(
      "{}.type: expected NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, BertNormalizer, Prepend, Replace, "
      "Strip, Nmt, ByteLevel, Precompiled or Sequence, found \"{}\"",
      d.where(), type));
}

}  // namespace headwater
