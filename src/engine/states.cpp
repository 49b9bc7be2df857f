#include "engine/states.h"

#include <fmt/format.h>
#include <headwater/error.h>

#include "tape/tape.h"

namespace headwater {

std::vector<std::vector<double>> hidden_vectors(const LoadedModel& loaded, const Input& input, int position) {
  const ModelInfo& info = loaded.info();
  if (is_encoder_decoder(info))
    throw Unsupported(fmt::format("states: {} has two sequences of hidden vectors", info.architecture));
  Prepared prepared = prepare(loaded, input);
  if (is_vocabulary(info.task)) prepared.batch.positions = {0};  // the task head's output is not needed
  Tape tape(Keep::Sites);
  loaded.model->run(tape, prepared.batch);
  std::vector<std::vector<double>> states;
  for (int l = 0; l <= info.last().layers; ++l) {
    const Tensor state =
        tape.at(l == 0 ? Place{Site::ResidPre, 0} : Place{Site::ResidPost, l - 1}).value;  // [1, T, D]
    const Index T = state.dim(1), D = state.dim(2);
    if (position < 0 || position >= T)
      throw InputError(fmt::format("position: expected 0 to {}, found {}", T - 1, position));
    std::vector<double> row;
    for (Index d = 0; d < D; ++d) row.push_back(state.at(position * D + d));
    states.push_back(std::move(row));
  }
  return states;
}

}  // namespace headwater
