// Plausibility on cue words (Mohebbi et al., 2023): with s the row of the method's map at the target, made to
// sum to 1, special tokens included, and ζ 1 at the first token of every cue word,
//
//   s · ζ
//
// per layer; the figure is the last layer's. Rows of signed scores count by their size.
#include "evaluation/metrics/cue_rows.h"

namespace headwater {

extern const Evaluation cue_mass;
const Evaluation cue_mass{
    .name = "cue_mass",
    .summary = "The share of the target's row that goes to the cue words, layer by layer.",
    .formula = "Σ_{j ∈ cues} s_j, s the row at the target divided by its sum",
    .paper =
        "Mohebbi, Zuidema, Chrupała and Alishahi, 2023: Quantifying Context Mixing in Transformers. EACL",
    .better = Evaluation::Better::Higher,
    .needs = Evaluation::Needs::Cues,
    .curve_over = "layer",
    .measure = over_cues<share_on_cues>,
    .points = layer_points,
};

}  // namespace headwater
