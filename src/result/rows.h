// Rows: which rows of a result its output was read from, which of them to show first, and how a row is taken from an
// attribution of any rank.
#pragma once

#include <string>
#include <vector>

#include <headwater/report.h>

namespace headwater {

bool has_axis(const Attribution& attribution, Axis::Kind kind);  // whether its first map has such an axis

Index length_along(const Map& map, Axis::Kind kind);  // 1 if it has no such axis
// The number of the first unit of the map's rows (Query) or columns (Key).
Index first_unit(const Report& report, const Map& map, Axis::Kind kind);

// The patches of a picture, if the input is one; null for texts.
const Sequence* patches_of(const Prediction& prediction);
Index first_patch(const Sequence& sequence);  // units before it are not patches

// The number of units of all sequences.
Index unit_count(const Report& report);

// The first unit of the sequence to which the output's rows belong; positions of targets and outcomes count
// from it.
Index written_from(const Report& report);

// The rows the output was read from (Report::read), counted through all units.
std::vector<Index> rows_read(const Report& report);
// Their texts: "[CLS]"; of several "[CLS], [DIST]". Empty in a view that shows none.
std::string read_names(const Report& report);
// The one of them to look at first: of a target of several tokens the last, which reads all the others; else
// the first.
Index row_to_show(const Report& report);

// The row that a reader names, by position or by a token's text if it occurs only once. Throws InputError.
Index row_named(const Report& report, const std::string& name);

// The weights with which unit `query` reads every unit in one layer, averaged over heads: [T], from all maps
// that have a row of it. A score per unit is its own row. NaN if a causal mask forbids a cell or no map has
// it.
std::vector<double> row_weights(const Report& report, const Attribution& attribution, Index layer,
                                Index query);
// The same for the row the output was read from, which a view may have removed from the map. Units that were
// not measured are NaN too.
std::vector<double> answer_weights(const Report& report, const Attribution& attribution, Index layer);
// The answer's rows of all layers, [layers, T], in the scores' type; the mean if there are several rows.
Tensor answer_rows(const Report& report, const Attribution& attribution);
Index layer_count(const Attribution& attribution);

// The layer a reader should see first. For maps combined across layers it is the last, which contains the
// whole. For maps of single layers it is the one with the most informative answer row: a row's measure is the
// share that goes to words other than its own token, or its distance from an even row (½ Σ |p − 1/n|),
// whichever is less. Scores for a class share one scale in all layers, and their measure is the row's total
// size. Of equal layers the last one is taken.
Index shown_layer(const Report& report, const Attribution& attribution);

// The scale of a row: its largest weight over tokens that are words, so that [CLS] and [SEP] do not wash out
// the text; over all tokens if there is no word.
double word_scale(const Report& report, const std::vector<double>& weights);
// Scale of a result's row in a figure: of a score per token the largest of all, of a map's row as above.
double row_scale(const Report& report, const Attribution& attribution, const std::vector<double>& weights);

}  // namespace headwater
