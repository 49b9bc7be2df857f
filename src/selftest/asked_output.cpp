#include "selftest/asked_output.h"

namespace headwater {
namespace {

// A replay computes only the rows it needs; the gradient of the others is 0.
Tensor in_all_rows(const Tensor& part, const std::vector<int>& rows, const Shape& shape) {
  const Index n = shape[0], T = shape[1], width = part.size() / (n * static_cast<Index>(rows.size()));
  std::vector<double> whole(static_cast<std::size_t>(shape.elements()), 0.0);
  Index from = 0;
  for (Index k = 0; k < n; ++k)
    for (const int row : rows)
      for (Index d = 0; d < width; ++d)
        whole[static_cast<std::size_t>((k * T + row) * width + d)] += part.at(from++);
  return Tensor::of(shape, whole, part.dtype());
}

}  // namespace

AskedOutput::AskedOutput(const Model& model, const Batch& batch) : logits(model.run(tape, batch)) {
  const Index row = logits.value.shape().back(), first = logits.value.size() - row;
  at = first;
  for (Index i = first; i < logits.value.size(); ++i)
    if (logits.value.at(i) > logits.value.at(at)) at = i;
}

Tensor AskedOutput::seed(const Tensor& output, Index copies) const {
  std::vector<double> values(static_cast<std::size_t>(output.size()), 0.0);
  for (Index k = 0; k < copies; ++k) values[static_cast<std::size_t>(k * logits.value.size() + at)] = 1;
  return Tensor::of(output.shape(), values, output.dtype());
}

AtPoints at_points(const AskedOutput& asked, const Place& source, const Tensor& points, Want want) {
  Tape onto(want == Want::Gradients ? Keep::Everything : Keep::Nothing);
  const Changed change{.at = asked.tape.at(source), .copies = points};
  const Replayed replayed = asked.tape.replay({&change, 1}, asked.logits, onto);
  AtPoints found;
  for (Index k = 0; k < points.dim(0); ++k)
    found.values.push_back(replayed.value.value.at(k * asked.logits.value.size() + asked.at));
  if (want == Want::Gradients) {
    const Replayed::Entry& entry = replayed.entries.front();
    const Tensor part = onto.pull_to({entry.var}, replayed.value,
                                     asked.seed(replayed.value.value, points.dim(0)), rules::gradient)
                            .of(entry.var);
    found.gradients = entry.rows ? in_all_rows(part, *entry.rows, points.shape()) : part;
  }
  return found;
}

}  // namespace headwater
