// Focus: the one row of a map that a reader should see first, and how it is read out of an attribution of any
// rank.
#pragma once

#include <string>
#include <vector>

#include <headwater/report.h>

namespace headwater {

bool has_axis(const Attribution& attribution, Axis::Kind kind);  // of its first map

Index length_along(const Map& map, Axis::Kind kind);  // 1 where it has no such axis
// Where the rows (Query), or the columns (Key), of a map begin among all units.
Index first_unit(const Report& report, const Map& map, Axis::Kind kind);

// The patches of a picture, if the input is one; null for texts.
const Sequence* patches_of(const Prediction& prediction);
Index first_patch(const Sequence& sequence);  // what stands before it is no patch

// Tokens of one word, which neither of them is a special one of.
bool same_word(const Unit& a, const Unit& b);

// How many units there are in all sequences.
Index unit_count(const Report& report);

// The first unit of the sequence whose rows the output has: positions of targets and outcomes count from it.
Index written_from(const Report& report);

// The row the output was read from, counted through all units: the target's position; for a whole-text head
// the first token, or the last one of a causal model; of a target of several tokens the last row, which reads
// all the others.
Index focus_row(const Report& report);
// All rows it was read from: several for several tokens. Of a report without a view.
std::vector<Index> focus_rows(const Report& report);

// The row a reader asks for: a position, or a token's text where it stands only once. Throws InputError.
Index row_named(const Report& report, const std::string& name);

// What unit `query` reads of every unit in one layer, averaged over heads: [T], from all maps that have a row
// of it. A score per unit is its own row. NaN where a causal mask forbids it, or no map says.
std::vector<double> row_weights(const Report& report, const Attribution& attribution, Index layer,
                                Index query);
// The same for the row the output was read from, which a view may have taken out of the map. NaN too where
// nothing was measured.
std::vector<double> answer_weights(const Report& report, const Attribution& attribution, Index layer);
// All layers of it, [layers, T], in the scores' type: the mean over the rows where there are several.
Tensor answer_rows(const Report& report, const Attribution& attribution);
Index layer_count(const Attribution& attribution);

// Whether each layer's map stands for that layer alone; others hold what all layers below passed on.
bool maps_by_layer(const Attribution& attribution);

// The layer a reader should see first. Maps taken through the layers end in the whole: the last. Of maps
// layer by layer it is the one whose answer row says most: the share of it that goes to words other than the
// row's own token, or its distance from an even row (½ Σ |p − 1/n|), whichever is less. Scores for a class
// are on one scale in all layers: there it counts by the row's whole size. Of equals the last.
Index shown_layer(const Report& report, const Attribution& attribution);

// Whether the scores depend on what is explained; a map of mixing or a raw pattern is the same for every
// target.
bool knows_class(const Attribution& attribution);

// Scale of a row: its largest weight over tokens that are words, so that [CLS] and [SEP] do not wash out the
// text; over all tokens when there is no word.
double word_scale(const Report& report, const std::vector<double>& weights);
// Scale of a result's row in a figure: of a score per token the largest of all, of a map's row as above.
double row_scale(const Report& report, const Attribution& attribution, const std::vector<double>& weights);

}  // namespace headwater
