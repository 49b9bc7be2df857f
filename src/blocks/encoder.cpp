#include "blocks/encoder.h"

#include <numeric>

#include <fmt/format.h>
#include <headwater/error.h>

namespace headwater {

Var PostNormEncoder::operator()(Tape& tape, const Batch& batch,
                                const std::vector<std::vector<int>>& position_ids) const {
  Var x = embed(tape, words, batch.ids, Site::Embed);  // [B, T, D']
  if (!segments.empty()) {
    std::vector<std::vector<int>> types = batch.type_ids;
    if (types.empty())
      for (const auto& row : batch.ids) types.emplace_back(row.size(), 0);
    x = add(x, embed(tape, segments, types));
  }
  x = add(x, embed(tape, positions, position_ids), Site::EmbedSum);
  x = headwater::norm(x, norm, project ? Place{} : Site::ResidPre);
  if (project) x = linear(x, *project, Site::ResidPre);
  for (std::size_t l = 0; l < blocks.size(); ++l)
    x = post_norm_block(x, blocks[l], {.layout = layout, .cache = batch.cache},
                        {.layer = static_cast<int>(l)});
  return x;
}

std::vector<std::vector<int>> counted_positions(const Batch& batch) {
  std::vector<int> row(batch.ids.front().size());
  std::iota(row.begin(), row.end(), static_cast<int>(past_of(batch)));
  std::vector<std::vector<int>> positions(batch.ids.size(), row);
  return positions;
}

PostNormEncoder read_bert_encoder(const Weights& base, const Config& config, ModelInfo& info,
                                  Index embedding) {
  if (const std::string kind = config.text("position_embedding_type", "absolute"); kind != "absolute")
    throw Unsupported(fmt::format(
        "{}: position_embedding_type '{}' is not implemented; supported is absolute", config.where(), kind));
  if (config.boolean("add_cross_attention", false))
    throw Unsupported(config.where() + ": add_cross_attention is not implemented");
  const double eps = config.number("layer_norm_eps", 1e-12);
  const Activation f = read_activation(config, "hidden_act", "gelu");
  const Index d = info.last().width, types = config.positive("type_vocab_size", 2);
  info.segments = static_cast<int>(types);
  if (config.boolean("is_decoder", false)) make_causal(info.last());

  PostNormEncoder e;
  e.layout = layout_of(info);
  e.words = base.get("embeddings.word_embeddings.weight", {info.vocabulary, embedding});
  e.positions = base.get("embeddings.position_embeddings.weight", {info.positions, embedding});
  e.segments = base.get("embeddings.token_type_embeddings.weight", {types, embedding});
  e.norm = read_layer_norm(base, "embeddings.LayerNorm", embedding, eps);
  if (embedding != d) e.project = read_linear(base, "embeddings_project", d, embedding);
  for (int l = 0; l < info.last().layers; ++l) {
    const Weights w = base.scope(fmt::format("encoder.layer.{}", l));
    e.blocks.push_back(
        {.attention = AttentionWeights{.q = read_linear(w, "attention.self.query", d, d),
                                       .k = read_linear(w, "attention.self.key", d, d),
                                       .v = read_linear(w, "attention.self.value", d, d),
                                       .out = read_linear(w, "attention.output.dense", d, d)},
         .attention_norm = read_layer_norm(w, "attention.output.LayerNorm", d, eps),
         .mlp = MlpWeights{.gate = {},
                           .up = read_linear(w, "intermediate.dense", info.last().feed_forward, d),
                           .down = read_linear(w, "output.dense", d, info.last().feed_forward),
                           .f = f},
         .mlp_norm = read_layer_norm(w, "output.LayerNorm", d, eps)});
  }
  return e;
}

LinearWeights vocabulary_projection(const Weights& w, const std::string& name, const std::string& bias,
                                    const Config& config, const PostNormEncoder& encoder) {
  const Index vocabulary = encoder.words.dim(0), width = encoder.words.dim(1);
  if (config.boolean("tie_word_embeddings", true)) {
    w.ignore(name);  // the same numbers again, in older files
    return tied_to(encoder.words, w.get(bias, {vocabulary}));
  }
  if (!w.has(name + ".bias"))
    return {.weight = std::make_shared<Matrix>(w.get(name + ".weight", {vocabulary, width})),
            .bias = w.get(bias, {vocabulary})};
  w.ignore(bias);  // Hugging Face reads the untied layer's own
  return read_linear(w, name, vocabulary, width);
}

}  // namespace headwater
