// What stands in for a token that is taken away: the embedding of a special token, nothing, the mean, or for
// images a patch of one colour. Also the baselines of integrated gradients.
//
// Note [Same ids]. A replacement is a row at Site::Embed put in by an edit, while the model runs on the ids
// as they are. So positions, segments and the row a classifier reads stay what they were: some families count
// positions, or look for the last token, by skipping [PAD] ids.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "study/study.h"

namespace headwater {

enum class Replacement { Mask, Unknown, Pad, Zero, Mean, Black, Delete };

// "auto": [MASK] where the tokenizer has one, otherwise the mean. Throws InputError naming what is there
// when the tokenizer has no such token, or a text's replacement is asked for an image or the reverse.
Replacement replacement_of(std::string_view name, const Study& study);
std::string describe(Replacement replacement);  // "[MASK]'s embedding", for notes

// Tokens that the tokenizer's template added, or that stand before an image's patches; none if unknown.
std::vector<bool> special_tokens(const Study& study);

// What every unit is replaced by at Site::Embed, [T, D]; means are those of its own sequence. Not for Delete.
Tensor absent_rows(const Study& study, Replacement replacement);

// The baseline at a place, [T, D]: the tokens' values there when all but the `kept` ones are replaced.
// Zero is zero at the place itself.
Tensor baseline_at(const Study& study, Site at, Replacement replacement, const std::vector<bool>& kept);

// Which tokens a way from the baseline to the input moves; the others are not measured on it. Empty: all.
std::vector<bool> moved_tokens(const Tensor& baseline, const Tensor& input);

}  // namespace headwater
