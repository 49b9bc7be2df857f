#include "support/fakes.h"

#include <algorithm>
#include <cmath>

#include <headwater/error.h>

namespace headwater::testing {

Var FakeModel::forward(Tape& tape, const Batch& batch) const {
  ++runs;
  seen.push_back(batch);
  for (std::size_t layer = 0; layer < patterns.size(); ++layer)
    tape.leaf(patterns[layer].reshaped(patterns[layer].shape().with_front(1)),
              {Site::Pattern, static_cast<int>(layer)});
  const std::size_t count =
      batch.pixels.empty() ? batch.ids.size() : static_cast<std::size_t>(batch.pixels.dim(0));
  std::vector<double> all;
  const Index width = logits.shape().back();
  std::vector<int> rows = batch.positions;
  if (logits.rank() == 2 && rows.empty())
    for (int t = 0; t < logits.dim(0); ++t) rows.push_back(t);
  for (std::size_t b = 0; b < count; ++b) {
    if (logits.rank() == 1) {
      const std::vector<double> one = logits.to_doubles();
      all.insert(all.end(), one.begin(), one.end());
    }
    for (const int row : logits.rank() == 1 ? std::vector<int>{} : rows)
      for (Index k = 0; k < width; ++k) all.push_back(logits.at((row % logits.dim(0)) * width + k));
  }
  const auto B = static_cast<Index>(count);
  const Shape shape = logits.rank() == 1 ? Shape{B, width} : Shape{B, static_cast<Index>(rows.size()), width};
  return tape.leaf(Tensor::of(shape, all, info().dtype), Site::Logits);
}

FakeTokenizer::FakeTokenizer(std::vector<std::string> vocabulary)
    : pieces_{"[CLS]", "[SEP]", "[MASK]", "[UNK]"} {
  pieces_.insert(pieces_.end(), vocabulary.begin(), vocabulary.end());
}

std::optional<int> FakeTokenizer::id_of(std::string_view piece) const {
  const auto found = std::find(pieces_.begin(), pieces_.end(), piece);
  if (found == pieces_.end()) return {};
  return static_cast<int>(found - pieces_.begin());
}

std::string FakeTokenizer::piece_of(int id) const {
  return id < 0 || id >= vocabulary_size() ? "" : pieces_[static_cast<std::size_t>(id)];
}

std::optional<int> FakeTokenizer::special_id(std::string_view role) const {
  const std::map<std::string_view, int> ids{
      {"cls_token", 0}, {"sep_token", 1}, {"mask_token", 2}, {"unk_token", 3}};
  const auto found = ids.find(role);
  if (found == ids.end()) return {};
  return found->second;
}

void FakeTokenizer::append(Encoding& encoding, const std::string& text, int sequence) const {
  int word = -1;
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    std::size_t end = std::min(text.find_first_of(" -", at), text.size());
    if (end == at) end = at + 1;
    const bool inside = at > 0 && text[at - 1] == '-';
    if (!inside) ++word;
    const std::string piece = (inside ? "##" : "") + text.substr(at, end - at);
    const std::optional<int> id = id_of(piece);
    encoding.tokens.push_back({.id = id.value_or(3),
                               .piece = id ? piece : "[UNK]",
                               .begin = static_cast<Index>(at),
                               .end = static_cast<Index>(end),
                               .word = word,
                               .segment = sequence,
                               .type_id = sequence});
    at = end < text.size() && text[end] == '-' ? end + 1 : end;
  }
}

Encoding FakeTokenizer::encode(const std::string& text, const std::optional<std::string>& pair,
                               const EncodeOptions& options) const {
  Encoding encoding{.text = text, .pair = pair.value_or(""), .has_pair = pair.has_value()};
  const auto special = [&](int id, int sequence) {
    if (options.add_special_tokens)
      encoding.tokens.push_back({.id = id,
                                 .piece = pieces_[static_cast<std::size_t>(id)],
                                 .segment = sequence,
                                 .type_id = sequence,
                                 .special = true});
  };
  special(0, 0);
  append(encoding, text, 0);
  special(1, 0);
  if (pair) {
    append(encoding, *pair, 1);
    special(1, 1);
  }
  const auto length = static_cast<Index>(encoding.tokens.size());
  if (options.max_length > 0 && length > options.max_length) {
    if (!options.truncate) throw InputError("fake tokenizer: too long");
    encoding.tokens.resize(static_cast<std::size_t>(options.max_length));
    encoding.truncated = true;
  }
  return encoding;
}

std::string FakeTokenizer::decode(const std::vector<int>& ids, bool skip_special_tokens) const {
  std::string out;
  for (const int id : ids) {
    if (skip_special_tokens && id < 2) continue;
    if (!out.empty()) out += ' ';
    out += piece_of(id);
  }
  return out;
}

Fixture make_fixture(Task task, std::vector<std::string> labels) {
  auto tokenizer = std::make_shared<FakeTokenizer>(
      std::vector<std::string>{"not", "bad", "at", "all", "good", "un", "##able", "film"});
  ModelInfo info;
  info.family = info.model_type = "fake";
  info.architecture = "FakeModel";
  info.task = task;
  info.last().layers = 2;
  info.last().heads = info.last().groups = 2;
  info.vocabulary = tokenizer->vocabulary_size();
  info.positions = 12;
  info.labels = std::move(labels);
  info.last().causal = task == Task::TextGeneration;
  info.dtype = DType::Float64;
  Fixture fixture{.model = std::make_shared<FakeModel>(info)};
  fixture.model->logits = Tensor::of({2}, std::vector<double>{-1, 2});
  fixture.loaded.model = fixture.model;
  fixture.loaded.tokenizer = tokenizer;
  return fixture;
}

Tensor some_pattern(Index heads, Index tokens, int layer, bool causal, DType dtype) {
  std::vector<double> values;
  for (Index h = 0; h < heads; ++h)
    for (Index i = 0; i < tokens; ++i) {
      std::vector<double> row;
      double sum = 0;
      for (Index j = 0; j < tokens; ++j) {
        const double w = causal && j > i
                             ? 0.0
                             : std::exp(std::sin(static_cast<double>(1 + h + 3 * i + 7 * j + 11 * layer)));
        row.push_back(w);
        sum += w;
      }
      for (const double w : row) values.push_back(w / sum);
    }
  return Tensor::of({heads, tokens, tokens}, values, dtype);
}

Prepared prepared_text(const Encoding& encoding) {
  return {.batch = Batch{.ids = {encoding.ids()}}, .encoding = encoding};
}

InputUnits units_of_text(const Encoding& encoding) {
  return units_of(ModelInfo{}, prepared_text(encoding));
}

}  // namespace headwater::testing
