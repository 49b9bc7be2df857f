// A mask over padding is −∞ in the scores of every key beyond the text, in every layer.
#include "methods/effective_attention/padding.h"

#include <limits>
#include <utility>

#include <headwater/error.h>

namespace headwater {

namespace {

void forbid_keys_from(Tensor& scores, Index text) {
  const Index keys = scores.shape().back();
  dispatch(scores.dtype(), [&]<class R>(R) {
    R* values = scores.data<R>();
    for (Index i = 0; i < scores.size(); ++i)
      if (i % keys >= text) values[i] = -std::numeric_limits<R>::infinity();
  });
}

}  // namespace

std::vector<Tensor> padded_values(const Study& study, Index length) {
  const ModelInfo& info = study.info();
  if (info.last().causal || study.sequences().front().rows > 0)
    throw Unsupported("padding: the published recipe pads texts of bidirectional encoders, found " +
                      info.architecture + "; leave the compat option out");
  if (!study.special_ids.pad)
    throw InputError("padding: expected a vocabulary with a padding token, found none");
  const Index text = study.size();
  Batch batch = study.batch();
  for (auto& row : batch.ids) row.resize(as_size(length), *study.special_ids.pad);
  for (auto& row : batch.type_ids) row.resize(as_size(length), 0);
  std::vector<Edit> mask;
  mask.reserve(as_size(info.last().layers));
  for (int l = 0; l < info.last().layers; ++l)
    mask.push_back({{Site::Scores, l}, [text](Tensor& scores) { forbid_keys_from(scores, text); }});
  Tape tape(Keep::Sites, std::move(mask));
  study.model().run(tape, batch);
  std::vector<Tensor> values;
  for (int l = 0; l < info.last().layers; ++l) {
    const Tensor v = tape.at(Site::V, l).value;
    values.push_back(v.reshaped({length, v.shape().back()}));
  }
  return values;
}

}  // namespace headwater
