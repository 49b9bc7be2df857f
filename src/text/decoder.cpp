#include "text/decoder.h"

#include <numeric>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/utf8.h"
#include "text/byte_level.h"
#include "text/regex.h"

namespace headwater {
namespace {

std::string joined_pieces(const std::vector<std::string>& pieces) {
  std::string text;
  for (const auto& piece : pieces) text += piece;
  return text;
}

std::string replaced(std::string_view text, std::string_view what, std::string_view with) {
  std::string out;
  for (const Match& m : split_literal(text, what))
    out += m.matched ? with : text.substr(m.begin, m.end - m.begin);
  return out;
}

// Length of the longest start of a well-formed sequence at `at`, at least 1.
std::size_t malformed_length(std::string_view bytes, std::size_t at) {
  const auto first = static_cast<unsigned char>(bytes[at]);
  const std::size_t wanted = first >= 0xF0 && first <= 0xF4 ? 4 : first >= 0xE0 && first <= 0xEF ? 3 : 1;
  std::size_t length = 1;
  while (length + 1 < wanted && at + length < bytes.size()) {
    const auto c = static_cast<unsigned char>(bytes[at + length]);
    unsigned least = 0x80, most = 0xBF;
    if (length == 1) {
      if (first == 0xE0) least = 0xA0;
      if (first == 0xED) most = 0x9F;
      if (first == 0xF0) least = 0x90;
      if (first == 0xF4) most = 0x8F;
    }
    if (c < least || c > most) break;
    ++length;
  }
  return length;
}

// Malformed bytes become U+FFFD, one for each maximal part of a sequence.
std::string lossy_utf8(std::string_view bytes) {
  std::string out;
  while (!bytes.empty()) {
    const auto bad = first_invalid_utf8(bytes);
    out += bytes.substr(0, bad.value_or(bytes.size()));
    if (!bad) break;
    out += "\uFFFD";
    bytes.remove_prefix(*bad + malformed_length(bytes, *bad));
  }
  return out;
}

class ByteLevelDecoder final : public Decoder {
 public:
  void decode(std::vector<std::string>& pieces) const override {
    std::string bytes;
    for (const std::string& piece : pieces) {
      std::string part;
      for (std::size_t at = 0; at < piece.size();) {
        const auto byte = byte_of_character(next_code_point(piece, at));
        if (!byte) {
          part = piece;  // not of the alphabet: an added token, as it is
          break;
        }
        part += static_cast<char>(*byte);
      }
      bytes += part;
    }
    pieces = {lossy_utf8(bytes)};
  }
};

class WordPieceDecoder final : public Decoder {
 public:
  explicit WordPieceDecoder(const JsonView& d)
      : prefix_(d.at("prefix").string()), cleanup_(d.at("cleanup").boolean()) {}

  void decode(std::vector<std::string>& pieces) const override {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      std::string& piece = pieces[i];
      if (i > 0) piece = piece.starts_with(prefix_) ? piece.substr(prefix_.size()) : " " + piece;
      if (cleanup_) piece = clean(piece);
    }
  }

 private:
  static std::string clean(std::string text) {
    static constexpr std::pair<std::string_view, std::string_view> rules[] = {
        {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
        {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
    for (const auto& [what, with] : rules) text = replaced(text, what, with);
    return text;
  }

  std::string prefix_;
  bool cleanup_;
};

class MetaspaceDecoder final : public Decoder {
 public:
  explicit MetaspaceDecoder(const JsonView& d)
      : prepends_(d.boolean_or("add_prefix_space", true) &&
                  d.string_or("prepend_scheme", "always") != "never") {
    append_utf8(replacement_, d.at("replacement").character());
  }
  void decode(std::vector<std::string>& pieces) const override {
    for (std::size_t i = 0; i < pieces.size(); ++i)
      pieces[i] = replaced(pieces[i], replacement_, i == 0 && prepends_ ? "" : " ");
  }

 private:
  std::string replacement_;
  bool prepends_;
};

class ByteFallbackDecoder final : public Decoder {
 public:
  void decode(std::vector<std::string>& pieces) const override {
    std::vector<std::string> out;
    std::string bytes;
    const auto flush = [&] {
      if (!first_invalid_utf8(bytes)) {
        if (!bytes.empty()) out.push_back(bytes);
      } else {
        out.insert(out.end(), bytes.size(), "\uFFFD");
      }
      bytes.clear();
    };
    for (std::string& piece : pieces) {
      if (const auto byte = byte_of(piece)) {
        bytes += static_cast<char>(*byte);
        continue;
      }
      flush();
      out.push_back(std::move(piece));
    }
    flush();
    pieces = std::move(out);
  }

 private:
  // "<0xNN>"
  static std::optional<unsigned char> byte_of(std::string_view piece) {
    if (piece.size() != 6 || !piece.starts_with("<0x") || piece.back() != '>') return std::nullopt;
    unsigned value = 0;
    for (const char c : piece.substr(3, 2)) {
      unsigned digit = 0;
      if (c >= '0' && c <= '9') {
        digit = static_cast<unsigned>(c - '0');
      } else if (c >= 'A' && c <= 'F') {
        digit = static_cast<unsigned>(c - 'A' + 10);
      } else if (c >= 'a' && c <= 'f') {
        digit = static_cast<unsigned>(c - 'a' + 10);
      } else {
        return std::nullopt;
      }
      value = value * 16 + digit;
    }
    return static_cast<unsigned char>(value);
  }
};

class FuseDecoder final : public Decoder {
 public:
  void decode(std::vector<std::string>& pieces) const override { pieces = {joined_pieces(pieces)}; }
};

class StripDecoder final : public Decoder {
 public:
  explicit StripDecoder(const JsonView& d)
      : start_(static_cast<std::size_t>(d.at("start").integer(0, INT32_MAX))),
        stop_(static_cast<std::size_t>(d.at("stop").integer(0, INT32_MAX))) {
    append_utf8(content_, d.at("content").character());
  }
  void decode(std::vector<std::string>& pieces) const override {
    for (std::string& piece : pieces) {
      std::string_view rest = piece;
      for (std::size_t i = 0; i < start_ && rest.starts_with(content_); ++i)
        rest.remove_prefix(content_.size());
      for (std::size_t i = 0; i < stop_ && rest.ends_with(content_); ++i) rest.remove_suffix(content_.size());
      piece = std::string(rest);
    }
  }

 private:
  std::string content_;
  std::size_t start_, stop_;
};

class ReplaceDecoder final : public Decoder {
 public:
  explicit ReplaceDecoder(const JsonView& d)
      : pattern_(d.at("pattern")), content_(d.at("content").string()) {}
  void decode(std::vector<std::string>& pieces) const override {
    for (std::string& piece : pieces) {
      std::string out;
      for (const Match& m : pattern_.split(piece)) {
        if (m.matched) {
          out += content_;
        } else {
          out.append(piece, m.begin, m.end - m.begin);
        }
      }
      piece = std::move(out);
    }
  }

 private:
  Pattern pattern_;
  std::string content_;
};

class BpeDecoder final : public Decoder {
 public:
  explicit BpeDecoder(const JsonView& d) : suffix_(d.at("suffix").string()) {
    if (suffix_.empty()) d.at("suffix").fail("a suffix of at least one character");
  }
  void decode(std::vector<std::string>& pieces) const override {
    for (std::size_t i = 0; i < pieces.size(); ++i)
      pieces[i] = replaced(pieces[i], suffix_, i + 1 == pieces.size() ? "" : " ");
  }

 private:
  std::string suffix_;
};

class DecoderSequence final : public Decoder {
 public:
  explicit DecoderSequence(const JsonView& d) : where_(d.where()) {
    for (const JsonView& step : d.at("decoders").elements()) steps_.push_back(make_decoder(step));
  }
  void decode(std::vector<std::string>& pieces) const override {
    const std::size_t most = (std::size_t{1} << 20U) + 64 * size_of(pieces);
    for (const auto& step : steps_) {
      step->decode(pieces);
      if (size_of(pieces) > most)
        throw FormatError(fmt::format("{}: expected decoders to keep the size of a text, found {} bytes",
                                      where_, size_of(pieces)));
    }
  }

 private:
  static std::size_t size_of(const std::vector<std::string>& pieces) {
    return std::accumulate(pieces.begin(), pieces.end(), std::size_t{0},
                           [](std::size_t sum, const std::string& piece) { return sum + piece.size(); });
  }

  std::string where_;
  std::vector<std::unique_ptr<const Decoder>> steps_;
};

}  // namespace

std::unique_ptr<const Decoder> make_decoder(const JsonView& d) {
  const std::string type = d.at("type").string();
  if (type == "ByteLevel") return std::make_unique<ByteLevelDecoder>();
  if (type == "WordPiece") return std::make_unique<WordPieceDecoder>(d);
  if (type == "Metaspace") return std::make_unique<MetaspaceDecoder>(d);
  if (type == "ByteFallback") return std::make_unique<ByteFallbackDecoder>();
  if (type == "Fuse") return std::make_unique<FuseDecoder>();
  if (type == "Strip") return std::make_unique<StripDecoder>(d);
  if (type == "Replace") return std::make_unique<ReplaceDecoder>(d);
  if (type == "BPEDecoder") return std::make_unique<BpeDecoder>(d);
  if (type == "Sequence") return std::make_unique<DecoderSequence>(d);
  throw Unsupported(
      fmt::format("{}.type: expected ByteLevel, WordPiece, Metaspace, ByteFallback, Fuse, Strip, Replace, "
                  "BPEDecoder or Sequence, found \"{}\"",
                  d.where(), type));
}

}  // namespace headwater
