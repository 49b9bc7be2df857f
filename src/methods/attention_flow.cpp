// Attention flow (Abnar & Zuidema, 2020). The layers are a network: an edge leads from position k above layer
// i down to position m below it with capacity A_i[k, m] = (1 − r) W_i[k, m] + r [k = m], W_i the attention
// fused over heads, r the share of the residual path. Then
//
//   F_i[k, t] = the maximum flow from position k above layer i to input token t,   Φ_i = F_i / its row sums
//
// one flow problem per pair, all of them exact (numerics/flow.h).
#include <charconv>

#include <fmt/format.h>
#include <headwater/error.h>

#include "explain/aggregate.h"
#include "explain/mixing_steps.h"
#include "methods/method.h"

namespace headwater {

namespace {

// "all", or positions separated by spaces or semicolons; −1 is the last.
std::vector<int> listed_rows(const std::string& text, int tokens) {
  std::vector<int> rows;
  if (text == "all") return rows;
  for (const char *at = text.data(), *end = at + text.size(); at != end;) {
    if (*at == ' ' || *at == ';') {
      ++at;
      continue;
    }
    int row = 0;
    const auto [next, error] = std::from_chars(at, end, row);
    if (row < 0) row += tokens;
    if (error != std::errc() || row < 0 || row >= tokens)
      throw InputError(
          fmt::format("attention_flow: option rows: expected all, or positions from {} to {}, found '{}'",
                      -tokens, tokens - 1, text));
    rows.push_back(row);
    at = next;
  }
  if (rows.empty()) throw InputError("attention_flow: option rows: expected all, or positions, found none");
  return rows;
}

Attribution run(const Study& study, const MethodOptions& options) {
  Attribution result;
  const FlowView view{.rows = listed_rows(options.text("rows"), study.size()),
                      .normalised = options.text("normalise") == "rows"};
  JointMixing joint = fused_mixing(study, {.method = options.method(),
                                           .remedy = "a residual above 0",
                                           .fusion = options.text("fusion"),
                                           .residual = options.share("residual", "r")});
  put_flow(result, joint, view, study.info().dtype, [&](double done) { study.progress(done); });
  if (!view.rows.empty()) result.notes.emplace_back("Rows that were not requested are NaN.");
  return result;
}

std::size_t planned_bytes(const ModelInfo& info, Index tokens, const MethodOptions&) {
  return aggregate_bytes(info.last().layers, tokens, "flow");
}

}  // namespace

extern const Method attention_flow{
    .name = "attention_flow",
    .summary = "How much of each input token can reach a position when attention weights are capacities.",
    .question = Question::Mixing,
    .formula =
        "F[l,k,t] = max-flow from (l,k) to (0,t) with capacities Aₗ = (1−r)·Wₗ + r·I;  Φ = F / row sum",
    .paper = "Abnar & Zuidema, 2020: Quantifying Attention Flow in Transformers. ACL",
    .cost =
        "One forward run and a maximum flow per pair that no bound settles: milliseconds at 20 tokens, "
        "seconds at 128 for all pairs of 12 layers. rows=… computes single positions.",
    .limits =
        "In deep bidirectional encoders flow saturates after a few layers: it becomes a clipped column sum "
        "of the first layer's attention, the same for every position. The result says from which layer on. "
        "It leaves out values, feed-forward layers and the target.",
    .options = {{"residual", "number", "0.5", "share of the residual path, 0 <= r < 1"},
                {"fusion", "mean|max|min", "mean", "how the heads of a layer become one map"},
                {"rows", "text", "all", "positions to compute, such as \"0 5\"; -1 is the last"},
                {"normalise", "rows|none", "rows",
                 "rows: divide rows by their sum, as published; none: give the flows themselves"}},
    .claims = {.rows_sum_to_one = true, .nonnegative = true, .causal = true},
    .sites = {Site::Pattern},
    .aliases = {"flow"},
    .compute = run,
    .planned_bytes = planned_bytes,
};

}  // namespace headwater
