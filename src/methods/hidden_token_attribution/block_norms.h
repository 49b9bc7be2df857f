// The norms |∂e_j / ∂x_i| between the tokens of an input and the hidden vectors of every layer: exactly from
// a basis of tangents, or estimated from a few of them with error bars.
#pragma once

#include <cstdint>
#include <vector>

#include <headwater/report.h>

#include "study/study.h"

namespace headwater {

enum class BlockNorm { Frobenius, Spectral, Ones, GradientTimesInput };
enum class Differentiated {
  Stream,
  Sum,
  Word,
  Local
};  // e⁰, before its norm, the word row, the block's input
enum class TangentMode { Exact, Probes, Guided };

struct BlockNormSettings {
  BlockNorm norm = BlockNorm::Frobenius;
  Differentiated with_respect_to = Differentiated::Stream;
  TangentMode mode = TangentMode::Exact;
  Index guided = 24, probes = 8;  // directions per token: chosen by backward passes, and random
  std::uint64_t seed = 0;
  bool heads = false;  // of every head's output as well
};

struct BlockNorms {
  std::vector<double> norms, variances;  // [L, T, T]: row j, column i; variance of each norm, 0 where exact
  std::vector<double> heads;             // [L, H, T, T], if asked
  std::vector<Check> checks;
};

// Width of the vectors differentiated by.
Index source_width(const Study& study, Differentiated with_respect_to);

BlockNorms block_norms(const Study& study, const BlockNormSettings& settings);

// Bytes beyond the recorded run.
std::size_t block_norm_bytes(const ModelInfo& info, Index tokens, const BlockNormSettings& settings);

}  // namespace headwater
