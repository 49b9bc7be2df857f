#include "text/post_processor.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/json.h"
#include "base/utf8.h"
#include "text/byte_level.h"
#include "text/unicode.h"

namespace headwater {
namespace {

// Far above any model's, and far below what would fill the memory for a text of one letter.
constexpr std::size_t most_added = 1 << 12, most_parts = 64, most_sequences = 8, most_steps = 64;

struct SpecialToken {
  int id;
  std::string piece;
};

// ["[CLS]", 101]
SpecialToken special_token_from(const JsonView& view) {
  const auto parts = view.elements();
  if (parts.size() != 2) view.fail("[piece, id]");
  return {parts[1].id(), parts[0].string()};
}

DraftToken draft_of(const SpecialToken& token, int sequence, int type_id) {
  return {token.id, 0, 0, -1, sequence, type_id, true, token.piece};
}

bool is_visible_space(char32_t c) {
  return is_space(c) || c == character_of_byte(' ');
}

Index characters_forward(std::string_view text, Index from, std::size_t count) {
  auto at = static_cast<std::size_t>(from);
  for (; count > 0 && at < text.size(); --count) next_code_point(text, at);
  return static_cast<Index>(at);
}

Index characters_back(std::string_view text, Index from, std::size_t count) {
  auto at = static_cast<std::size_t>(from);
  for (; count > 0 && at > 0; --count) {
    do --at;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U);
  }
  return static_cast<Index>(at);
}

// Takes leading and trailing spaces out of the spans. A single space at the start is left alone when the
// pre-tokenizer has put it there, since no byte of the original stands for it.
void trim_spans(Draft& draft, bool add_prefix_space, const Texts& texts) {
  for (std::size_t i = 0; i < draft.size(); ++i) {
    DraftToken& token = draft[i];
    const std::u32string value = to_utf32(token.value);
    auto leading = static_cast<std::size_t>(std::find_if_not(value.begin(), value.end(), is_visible_space) -
                                            value.begin());
    const auto trailing = static_cast<std::size_t>(
        std::find_if_not(value.rbegin(), value.rend(), is_visible_space) - value.rbegin());
    const std::string_view text = texts[token.segment == 0 ? 0 : 1];
    if ((i == 0 || token.begin == 0) && add_prefix_space && leading == 1) leading = 0;
    token.begin = std::min(characters_forward(text, token.begin, leading), token.end);
    token.end = std::max(characters_back(text, token.end, trailing), token.begin);
  }
}

class ByteLevelProcessor final : public PostProcessor {
 public:
  explicit ByteLevelProcessor(const JsonView& d)
      : add_prefix_space_(d.at("add_prefix_space").boolean()), trim_(d.at("trim_offsets").boolean()) {}
  std::size_t added(bool) const override { return 0; }
  void process(std::vector<Draft>& drafts, bool, const Texts& texts) const override {
    if (!trim_) return;
    for (Draft& draft : drafts) trim_spans(draft, add_prefix_space_, texts);
  }

 private:
  bool add_prefix_space_, trim_;
};

// [CLS] A [SEP] B [SEP]
class BertProcessing final : public PostProcessor {
 public:
  explicit BertProcessing(const JsonView& d)
      : cls_(special_token_from(d.at("cls"))), sep_(special_token_from(d.at("sep"))) {}
  std::size_t added(bool pair) const override { return pair ? 3 : 2; }
  void process(std::vector<Draft>& drafts, bool add_special_tokens, const Texts&) const override {
    if (!add_special_tokens) return;
    for (std::size_t i = 0; i < drafts.size(); ++i) {
      const int sequence = i == 0 ? 0 : 1;
      if (i == 0) drafts[i].insert(drafts[i].begin(), draft_of(cls_, 0, 0));
      drafts[i].push_back(draft_of(sep_, sequence, sequence));
    }
  }

 private:
  SpecialToken cls_, sep_;
};

// <s> A </s> </s> B </s>, all of type 0
class RobertaProcessing final : public PostProcessor {
 public:
  explicit RobertaProcessing(const JsonView& d)
      : cls_(special_token_from(d.at("cls"))),
        sep_(special_token_from(d.at("sep"))),
        trim_(d.at("trim_offsets").boolean()),
        add_prefix_space_(d.at("add_prefix_space").boolean()) {}
  std::size_t added(bool pair) const override { return pair ? 4 : 2; }
  void process(std::vector<Draft>& drafts, bool add_special_tokens, const Texts& texts) const override {
    for (std::size_t i = 0; i < drafts.size(); ++i) {
      if (trim_) trim_spans(drafts[i], add_prefix_space_, texts);
      for (DraftToken& token : drafts[i]) token.type_id = 0;
      if (!add_special_tokens) continue;
      const int sequence = i == 0 ? 0 : 1;
      drafts[i].insert(drafts[i].begin(), draft_of(i == 0 ? cls_ : sep_, sequence, 0));
      drafts[i].push_back(draft_of(sep_, sequence, 0));
    }
  }

 private:
  SpecialToken cls_, sep_;
  bool trim_, add_prefix_space_;
};

class TemplateProcessing final : public PostProcessor {
 public:
  explicit TemplateProcessing(const JsonView& d) : where_(d.where()) {
    const JsonView special = d.at("special_tokens");
    for (const auto& [name, unused] : special.object().items()) read_special(special.at(name), name);
    single_ = read_template(d.at("single"), 1);
    pair_ = read_template(d.at("pair"), 2);
  }

  std::size_t added(bool pair) const override {
    std::size_t count = 0;
    for (const Part& part : pair ? pair_ : single_)
      if (part.special != nullptr) count += part.special->size();
    return count;
  }

  void process(std::vector<Draft>& drafts, bool add_special_tokens, const Texts&) const override {
    if (drafts.size() > 2)
      throw Unsupported(fmt::format("{}: a template cannot follow another template in a Sequence", where_));
    std::vector<Draft> result;
    int sequence = 0;
    for (const Part& part : drafts.size() == 2 ? pair_ : single_) {
      if (part.special == nullptr) {
        sequence = part.sequence;
        result.push_back(drafts[static_cast<std::size_t>(sequence)]);
        for (DraftToken& token : result.back()) token.type_id = part.type_id;
      } else if (add_special_tokens) {
        result.emplace_back();
        for (const SpecialToken& token : *part.special)
          result.back().push_back(draft_of(token, sequence, part.type_id));
      }
    }
    drafts = std::move(result);
  }

 private:
  struct Part {
    int sequence = 0;
    int type_id = 0;
    const std::vector<SpecialToken>* special = nullptr;  // null: a sequence
  };

  void read_special(const JsonView& d, const std::string& name) {
    const auto ids = d.at("ids").elements();
    const auto pieces = d.at("tokens").elements();
    if (ids.size() != pieces.size()) d.fail("as many tokens as ids");
    std::vector<SpecialToken> tokens;
    for (std::size_t i = 0; i < ids.size(); ++i) tokens.push_back({ids[i].id(), pieces[i].string()});
    special_[name] = std::move(tokens);
  }

  std::vector<Part> read_template(const JsonView& list, int sequences) const {
    std::vector<Part> parts;
    std::size_t added = 0, texts = 0;
    for (const JsonView& element : list.elements()) {
      if (parts.size() == most_parts) list.fail(fmt::format("at most {} parts", most_parts));
      Part part;
      const auto sequence = element.find("Sequence");
      const JsonView body = sequence ? *sequence : element.at("SpecialToken");
      part.type_id = static_cast<int>(body.at("type_id").integer(0, INT32_MAX));
      const JsonView id = body.at("id");
      if (sequence) {
        const std::string name = id.string();
        if (name != "A" && !(name == "B" && sequences == 2)) id.fail(sequences == 2 ? "A or B" : "A");
        part.sequence = name == "A" ? 0 : 1;
        if (++texts > most_sequences) list.fail(fmt::format("at most {} sequences", most_sequences));
      } else {
        const auto found = special_.find(id.string());
        if (found == special_.end()) id.fail("a key of special_tokens");
        part.special = &found->second;
        added += found->second.size();
        if (added > most_added) list.fail(fmt::format("at most {} special tokens", most_added));
      }
      parts.push_back(part);
    }
    return parts;
  }

  std::string where_;
  std::map<std::string, std::vector<SpecialToken>> special_;
  std::vector<Part> single_, pair_;
};

class ProcessorSequence final : public PostProcessor {
 public:
  explicit ProcessorSequence(const JsonView& d) {
    const JsonView processors = d.at("processors");
    for (const JsonView& step : processors.elements()) {
      if (steps_.size() == most_steps) processors.fail(fmt::format("at most {} of them", most_steps));
      steps_.push_back(make_post_processor(step));
    }
  }
  std::size_t added(bool pair) const override {
    std::size_t count = 0;
    for (const auto& step : steps_) count += step->added(pair);
    return count;
  }
  void process(std::vector<Draft>& drafts, bool add_special_tokens, const Texts& texts) const override {
    for (const auto& step : steps_) step->process(drafts, add_special_tokens, texts);
  }

 private:
  std::vector<std::unique_ptr<const PostProcessor>> steps_;
};

}  // namespace

std::unique_ptr<const PostProcessor> make_post_processor(const JsonView& d) {
  const std::string type = d.at("type").string();
  if (type == "BertProcessing") return std::make_unique<BertProcessing>(d);
  if (type == "RobertaProcessing") return std::make_unique<RobertaProcessing>(d);
  if (type == "ByteLevel") return std::make_unique<ByteLevelProcessor>(d);
  if (type == "TemplateProcessing") return std::make_unique<TemplateProcessing>(d);
  if (type == "Sequence") return std::make_unique<ProcessorSequence>(d);
  throw Unsupported(
      fmt::format("{}.type: expected BertProcessing, RobertaProcessing, ByteLevel, TemplateProcessing or "
                  "Sequence, found \"{}\"",
                  d.where(), type));
}

}  // namespace headwater
