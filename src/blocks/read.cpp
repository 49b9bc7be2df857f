#include "blocks/read.h"

#include <fmt/format.h>
#include <headwater/error.h>

namespace headwater {

LinearWeights read_linear(const Weights& w, const std::string& name, Index out, Index in, Bias bias) {
  LinearWeights linear;
  linear.weight = std::make_shared<Matrix>(w.get(name + ".weight", {out, in}));
  const bool wanted = bias == Bias::Required || (bias == Bias::Optional && w.has(name + ".bias"));
  if (wanted) linear.bias = w.get(name + ".bias", {out});
  return linear;
}

LinearWeights read_transposed(const Weights& w, const std::string& name, Index in, Index stored, Index begin,
                              Index out) {
  const Tensor all = w.get(name + ".weight", {in, stored});
  const Tensor all_bias = w.get(name + ".bias", {stored});
  Tensor weight({out, in}, all.dtype());
  Tensor bias({out}, all.dtype());
  dispatch(all.dtype(), [&]<class R>(R) {
    for (Index o = 0; o < out; ++o) {
      for (Index i = 0; i < in; ++i) weight.data<R>()[o * in + i] = all.data<R>()[i * stored + begin + o];
      bias.data<R>()[o] = all_bias.data<R>()[begin + o];
    }
  });
  return {.weight = std::make_shared<Matrix>(std::move(weight)), .bias = std::move(bias)};
}

NormWeights read_layer_norm(const Weights& w, const std::string& name, Index width, double eps) {
  return {.gamma = w.get(name + ".weight", {width}), .beta = w.get(name + ".bias", {width}), .eps = eps};
}

NormWeights read_rms_norm(const Weights& w, const std::string& name, Index width, double eps) {
  return {.gamma = w.get(name + ".weight", {width}), .beta = {}, .eps = eps};
}

LinearWeights tied_to(const Tensor& table, Tensor bias) {
  return {.weight = std::make_shared<Matrix>(table), .bias = std::move(bias)};
}

Activation activation_named(const std::string& name, const std::string& key, const std::string& where) {
  if (name == "gelu" || name == "gelu_python") return Activation::Gelu;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_python_tanh" || name == "gelu_fast")
    return Activation::GeluTanh;
  if (name == "relu") return Activation::Relu;
  if (name == "silu" || name == "swish") return Activation::Silu;
  if (name == "tanh") return Activation::Tanh;
  if (name == "quick_gelu") return Activation::QuickGelu;
  throw Unsupported(
      fmt::format("{}: {} '{}' is not implemented; supported are gelu, gelu_new, gelu_pytorch_tanh, "
                  "relu, silu, tanh and quick_gelu",
                  where, key, name));
}

Activation read_activation(const Config& config, const std::string& key, const std::string& otherwise) {
  return activation_named(config.text(key, otherwise), key, config.where());
}

std::optional<Head> read_row_head(const Weights& root, const ModelInfo& info,
                                  const std::string& token_classifier) {
  const std::string kind = head_kind(info);
  const Index d = info.last().width, labels = static_cast<Index>(info.labels.size());
  if (kind == "Model") return Head{};
  if (kind == "ForTokenClassification")
    return Head{.steps = {read_linear(root, token_classifier, labels, d)}};
  if (kind == "ForQuestionAnswering") return Head{.steps = {read_linear(root, "qa_outputs", 2, d)}};
  return {};
}

Weights base_scope(const Weights& w, const std::string& name, const std::string& probe) {
  return w.has(name + "." + probe) ? w.scope(name) : w;
}

Head read_decoder_head(const Checkpoint& c, const ModelInfo& info, const Tensor& words, bool tied_by_default,
                       const std::string& token_classifier) {
  const std::string kind = head_kind(info);
  const Index d = info.last().width, labels = static_cast<Index>(info.labels.size());
  if (std::optional<Head> head = read_row_head(c.weights, info, token_classifier)) return std::move(*head);
  if (kind == "ForSequenceClassification")
    return {.reads = Head::Reads::LastToken,
            .steps = {read_linear(c.weights, "score", labels, d, Bias::None)},
            .padding_id = c.config.id("pad_token_id", -1)};
  if (c.config.boolean("tie_word_embeddings", tied_by_default)) {
    c.weights.ignore("lm_head");  // the same numbers again, in older files
    return {.steps = {tied_to(words, {})}};
  }
  return {.steps = {read_linear(c.weights, "lm_head", info.vocabulary, d, Bias::None)}};
}

}  // namespace headwater
