// Reading the weights that blocks need, with the shapes a config.json promises.
#pragma once

#include <optional>
#include <string>

#include "blocks/describe.h"
#include "checkpoint/config.h"
#include "checkpoint/weights.h"
#include "ops/ops.h"

namespace headwater {

enum class Bias { Required, Optional, None };

// "<name>.weight" [out, in] and "<name>.bias" [out].
LinearWeights read_linear(const Weights& w, const std::string& name, Index out, Index in,
                          Bias bias = Bias::Required);
// The same for weights stored the other way round, [in, out] (GPT-2's Conv1D): columns
// [begin, begin + out) of a matrix with `stored` columns.
LinearWeights read_transposed(const Weights& w, const std::string& name, Index in, Index stored, Index begin,
                              Index out);
// "<name>.weight" and "<name>.bias" of a LayerNorm, "<name>.weight" alone of an RMSNorm.
NormWeights read_layer_norm(const Weights& w, const std::string& name, Index width, double eps);
NormWeights read_rms_norm(const Weights& w, const std::string& name, Index width, double eps);
// A table that is also the output projection of a language model, tied to the embedding.
LinearWeights tied_to(const Tensor& table, Tensor bias);

// The activation of this name, or named by this key of the config. Throws Unsupported listing the ones we
// have.
Activation activation_named(const std::string& name, const std::string& key, const std::string& where);
Activation read_activation(const Config& config, const std::string& key, const std::string& otherwise);

// The first scope of these that the file uses ("bert." or nothing): checkpoints are saved either way.
Weights base_scope(const Weights& w, const std::string& name, const std::string& probe);

// The heads that answer for every row alike: none, labels of tokens, the two ends of an answer. Empty for
// other kinds.
std::optional<Head> read_row_head(const Weights& root, const ModelInfo& info,
                                  const std::string& token_classifier = "classifier");

// Of causal families: language model tied to `words` or not, last-token classifier, token classifier (a
// tensor of this name), question answering.
Head read_decoder_head(const Checkpoint& c, const ModelInfo& info, const Tensor& words, bool tied_by_default,
                       const std::string& token_classifier);

}  // namespace headwater
