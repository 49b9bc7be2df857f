// Head: from the last hidden state to logits, as a chain of steps over the rows it reads.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <headwater/model_info.h>

#include "blocks/batch.h"
#include "ops/ops.h"

namespace headwater {

using HeadStep = std::variant<LinearWeights, NormWeights, Activation>;

struct Head {
  enum class Reads {
    All,        // every token (or the positions the batch asks for)
    First,      // [CLS] or <s>
    LastToken,  // the last token that is not padding
  };
  Reads reads = Reads::All;
  std::vector<HeadStep> steps;  // none: the hidden state itself
  int padding_id = -1;          // for LastToken; −1: there is none

  // x [B, T, D] → logits
  Var operator()(const Var& x, const Batch& batch) const;
};

// The part of an architecture's name after the family's ("ForSequenceClassification"), and its task.
// Throws Unsupported naming the heads the family has.
struct HeadName {
  std::string suffix;
  Task task;
};
HeadName head_name(std::string_view architecture, const std::vector<std::string_view>& known,
                   const std::string& where);

}  // namespace headwater
