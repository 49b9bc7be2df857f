// Stand-ins for tests above the models: a model whose patterns and logits are given, and a tokenizer that
// splits at spaces.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/model.h"
#include "study/inputs.h"
#include "text/tokenizer.h"

namespace headwater::testing {

// Gives every input the same patterns, and as logits what the test says, row by row.
class FakeModel : public Model {
 public:
  explicit FakeModel(ModelInfo info) { info_ = std::move(info); }

  std::vector<Tensor> patterns;  // per layer, [H, T, T]
  Tensor logits;                 // [N], or [T, N] of which batch.positions choose rows
  mutable int runs = 0;
  mutable std::vector<Batch> seen;

 protected:
  void check(const Batch& batch) const override {
    info_.image_size > 0 ? check_pixels(info_, batch) : Model::check(batch);
  }
  Var forward(Tape& tape, const Batch& batch) const override;
};

// Words of the vocabulary separated by spaces, "[CLS]" first and "[SEP]" after each text; a word with a
// hyphen is split into pieces "a", "##b" of one word.
class FakeTokenizer : public Tokenizer {
 public:
  explicit FakeTokenizer(std::vector<std::string> vocabulary);
  Encoding encode(const std::string& text, const std::optional<std::string>& pair,
                  const EncodeOptions& options) const override;
  std::string decode(const std::vector<int>& ids, bool skip_special_tokens) const override;
  int vocabulary_size() const override { return static_cast<int>(pieces_.size()); }
  std::optional<int> id_of(std::string_view piece) const override;
  std::string piece_of(int id) const override;
  std::optional<Index> model_max_length() const override { return {}; }
  std::optional<int> special_id(std::string_view role) const override;
  std::string_view kind() const override { return "WordLevel"; }
  std::string hash() const override { return "fake"; }

 private:
  void append(Encoding& encoding, const std::string& text, int sequence) const;
  std::vector<std::string> pieces_;
};

// A classifier over this tokenizer: labels NEGATIVE and POSITIVE, logits −1 and 2, unless changed.
struct Fixture {
  std::shared_ptr<FakeModel> model;
  LoadedModel loaded;
};
Fixture make_fixture(Task task, std::vector<std::string> labels = {"NEGATIVE", "POSITIVE"});

// Row-stochastic patterns [H, T, T] that differ by layer and head; zero above the diagonal when causal.
Tensor some_pattern(Index heads, Index tokens, int layer, bool causal, DType dtype = DType::Float64);

// A text of a model with one stack, as prepare() gives it.
Prepared prepared_text(const Encoding& encoding);
InputUnits units_of_text(const Encoding& encoding);

}  // namespace headwater::testing
