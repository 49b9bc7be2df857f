// The post-norm encoder that BERT, RoBERTa, ELECTRA and DistilBERT share: summed embeddings, a norm, blocks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "blocks/batch.h"
#include "blocks/cache.h"
#include "blocks/describe.h"
#include "blocks/read.h"
#include "blocks/transformer.h"

namespace headwater {

inline constexpr SizeDefaults bert_base{
    .width = 768, .layers = 12, .heads = 12, .feed_forward = 3072, .positions = 512, .vocabulary = 30522};

struct PostNormEncoder {
  Tensor words, positions;  // [V, D'], [P, D']
  Tensor segments;          // [types, D'], or empty
  NormWeights norm;
  std::optional<LinearWeights> project;  // D' → D, where the embedding is narrower than the stream
  std::vector<BlockWeights> blocks;
  HeadLayout layout{};

  // The last hidden state; position_ids [B][T] are rows of `positions`.
  Var operator()(Tape& tape, const Batch& batch, const std::vector<std::vector<int>>& position_ids) const;
};

// 0 … T−1 for every row; with a cache, from the tokens it has read on.
std::vector<std::vector<int>> counted_positions(const Batch& batch);

// Reads the tensors as BERT names them (embeddings.*, encoder.layer.N.*) and completes `info`.
// `embedding` is the width of the tables.
PostNormEncoder read_bert_encoder(const Weights& base, const Config& config, ModelInfo& info,
                                  Index embedding);

// The output projection of a masked language model: tied to the word embeddings unless the config says
// otherwise. `name` is the untied layer, `bias` the tied layer's bias.
LinearWeights vocabulary_projection(const Weights& w, const std::string& name, const std::string& bias,
                                    const Config& config, const PostNormEncoder& encoder);

}  // namespace headwater
