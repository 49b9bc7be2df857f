// Filling a ModelInfo from config.json: what every family needs the same way.
#pragma once

#include <string_view>
#include <vector>

#include <headwater/model_info.h>

#include "blocks/head.h"
#include "checkpoint/checkpoint.h"

namespace headwater {

// The config's names for the sizes; families differ in spelling and in defaults.
struct SizeKeys {
  std::string_view width = "hidden_size", layers = "num_hidden_layers", heads = "num_attention_heads",
                   feed_forward = "intermediate_size", positions = "max_position_embeddings",
                   head_width = "head_dim";
};
struct SizeDefaults {  // 0 positions: the family has no limit; 0 words: it reads no text
  Index width, layers, heads, feed_forward, positions, vocabulary;
};

// Reads type, architecture, task, sizes and labels; checks that heads divide the width and that the layers
// are not more than a file could hold. A model that reads no text reads pictures. `bare` is the architecture
// to assume when the config names none.
ModelInfo describe(const Checkpoint& checkpoint, std::string_view family,
                   const std::vector<std::string_view>& known, std::string_view bare, const SizeKeys& keys,
                   const SizeDefaults& defaults);

// A stack whose tokens see only what stands before them is a decoder.
void make_causal(Stack& stack);

// How attention splits its width, scores divided by √E.
HeadLayout layout_of(const ModelInfo& info);

// What follows the family's name in the architecture: "ForSequenceClassification", "Model", …
std::string head_kind(const ModelInfo& info);

}  // namespace headwater
