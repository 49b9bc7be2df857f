// Plausibility on cue words (Mohebbi et al., 2023): the average precision of ζ, 1 at the first token of every
// cue word, ranked by the row s of the method's map at the target,
//
//   AP = Σ_n (R_n − R_{n−1}) P_n
//
// tied scores sharing one threshold; per layer, the figure is the last layer's.
#include "evaluation/metrics/cue_rows.h"

namespace headwater {

extern const Evaluation cue_precision;
const Evaluation cue_precision{
    .name = "cue_precision",
    .summary = "How well the target's row ranks the cue words first, layer by layer.",
    .formula = "AP = Σ_n (R_n − R_{n−1}) P_n of the cue tokens ranked by the row at the target",
    .paper =
        "Mohebbi, Zuidema, Chrupała and Alishahi, 2023: Quantifying Context Mixing in Transformers. EACL",
    .better = Evaluation::Better::Higher,
    .needs = Evaluation::Needs::Cues,
    .curve_over = "layer",
    .measure = over_cues<cue_average_precision>,
    .points = layer_points,
};

}  // namespace headwater
