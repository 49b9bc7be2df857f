// What replaces a token that is removed: the embedding of a special token, nothing, the mean, or for images a
// patch of one colour. Also the baselines of integrated gradients.
//
// Note [Same ids]. A replacement is a row that an edit puts at Site::Embed while the model runs on the
// original ids. Positions, segments and the row a classifier reads therefore stay the same: some families
// count positions, or look for the last token, by skipping [PAD] ids.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "study/study.h"

namespace headwater {

enum class Replacement { Mask, Unknown, Pad, Zero, Mean, Black, Delete };

// "auto" is [MASK] if the tokenizer has it, otherwise the mean. Throws InputError, with the possible names,
// if the tokenizer has no such token, or if a replacement for texts is requested for an image or the reverse.
Replacement replacement_of(std::string_view name, const Study& study);
std::string describe(Replacement replacement);  // "[MASK]'s embedding", for notes

// The tokens that the tokenizer's template added, or that come before an image's patches; none if unknown.
std::vector<bool> special_tokens(const Study& study);

// The replacement of every unit at Site::Embed, [T, D]; means are those of the unit's own sequence. Not for
// Delete.
Tensor absent_rows(const Study& study, Replacement replacement);

// The baseline at a place, [T, D]: the values there when all tokens except the `kept` ones are replaced. Zero
// means zero at the place itself.
Tensor baseline_at(const Study& study, Site at, Replacement replacement, const std::vector<bool>& kept);

// The tokens that the path from the baseline to the input moves; the others are not measured. Empty: all.
std::vector<bool> moved_tokens(const Tensor& baseline, const Tensor& input);

}  // namespace headwater
