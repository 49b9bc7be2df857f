#include "support/sum_model.h"

#include "ops/ops.h"

namespace headwater::testing {

SumModel::SumModel(Task task) {
  info_.family = info_.model_type = "sum";
  info_.architecture = "SumModel";
  info_.task = task;
  info_.last().layers = info_.last().heads = info_.last().groups = info_.last().head_width =
      info_.last().width = 1;
  info_.vocabulary = 20;
  info_.positions = 20;
  info_.labels = {"sum", "nothing"};
  info_.dtype = DType::Float64;
}

Var SumModel::forward(Tape& tape, const Batch& batch) const {
  std::vector<double> table;
  for (int id = 0; id < info_.vocabulary; ++id) table.push_back(id == mask ? 1 : 10 + id);
  const Var x = embed(tape, Tensor::of({info_.vocabulary, 1}, table), batch.ids, Site::Embed);
  const Index B = x.value.dim(0), T = x.value.dim(1);
  const bool rows = info_.task != Task::TextClassification;
  std::vector<int> wanted = batch.positions;
  if (rows && wanted.empty())
    for (int t = 0; t < T; ++t) wanted.push_back(t);
  std::vector<double> logits;
  for (Index b = 0; b < B; ++b) {
    const auto e = [&](Index t) { return t < T ? x.value.at(b * T + t) : 0.0; };
    double sum = 0;
    for (Index t = 0; t < T; ++t) sum += e(t);
    if (!rows) logits.insert(logits.end(), {sum + 2 * e(0) * e(1), 0});
    for (const int t : rows ? wanted : std::vector<int>{}) logits.insert(logits.end(), {e(t) + sum, 0});
  }
  return tape.leaf(Tensor::of(rows ? Shape{B, static_cast<Index>(wanted.size()), 2} : Shape{B, 2}, logits),
                   Site::Logits);
}

}  // namespace headwater::testing
