#include "explain/pushed_parts.h"

#include <algorithm>

#include "study/memory.h"

namespace headwater {
namespace {

constexpr Rules given{.norm = Rules::Norm::FrozenScale, .softmax = Rules::Softmax::Constant};

// The parts of the tokens [begin, begin + count) of the sequence that is read, [count, 1, T, D].
Tensor pushed(const Study& study, const PartsWanted& wanted, Index begin, Index count) {
  const Tape& tape = *study.run().tape;
  const AttentionKind& kind = wanted.kind;
  const auto place_of = [&](Site site) { return kind.at(site, wanted.layer); };
  const Place at = place_of(wanted.at), values = place_of(kind.sites.v), input = place_of(kind.before);
  const Tensor v = tape.at(values).value;
  if (wanted.at == kind.sites.out || kind.is_cross()) {
    // With grouped queries several heads read the same columns, so one head's part is taken at the mix.
    PushHooks hooks;
    if (wanted.head >= 0)
      hooks.made = [&](Place place, Tensor& part) {
        if (place != place_of(kind.sites.z)) return;
        const Index H = tape.at(kind.pattern(wanted.layer)).value.dim(1), E = part.shape().back() / H;
        part = part.clone();
        dispatch(part.dtype(), [&]<class R>(R) {
          for (Index i = 0; i < part.size(); ++i)
            if (i / E % H != wanted.head) part.data<R>()[i] = 0;
        });
      };
    return tape.push(tape.at(values), one_row_each(v, begin, count), given, {at}, hooks).at(at);
  }
  const PushHooks hooks{.rules = {}, .made = [&](Place place, Tensor& part) {
                          if (place == values) part = one_row_each(v, begin, count);
                          if (place == place_of(Site::MlpOut))
                            part = Tensor::zeros(part.shape(), part.dtype());
                        }};
  const Var x = tape.at(input);
  return tape.push(x, one_row_each(x.value, begin, count), given, {at}, hooks).at(at);
}

}  // namespace

Tensor one_row_each(const Tensor& x, Index begin, Index count) {
  const Index T = x.dim(1), W = x.dim(2);
  Tensor parts = Tensor::zeros(x.shape().with_front(count), x.dtype());
  dispatch(x.dtype(), [&]<class R>(R) {
    for (Index k = 0; k < count; ++k)
      std::copy_n(x.data<R>() + (begin + k) * W, W, parts.data<R>() + (k * T + begin + k) * W);
  });
  return parts;
}

void for_pushed_parts(const Study& study, const PartsWanted& wanted,
                      const std::function<void(Index, const Tensor&)>& f) {
  const Tensor pattern = study.at(wanted.kind.pattern(wanted.layer));
  const Index T = pattern.dim(2), S = pattern.dim(3);
  const std::size_t each = passing_bytes(study.info(), std::max(T, S), 1);
  const auto tile =
      std::clamp<Index>(static_cast<Index>(study.scratch / std::max<std::size_t>(1, each)), 1, S);
  for (Index begin = 0; begin < S; begin += tile) {
    const Index count = std::min(tile, S - begin);
    const Tensor parts = pushed(study, wanted, begin, count);
    for (Index k = 0; k < count; ++k) f(begin + k, parts.rows(k, 1).reshaped({parts.dim(2), parts.dim(3)}));
  }
}

Tensor pushed_residual(const Study& study, const PartsWanted& wanted) {
  const Tape& tape = *study.run().tape;
  const Place at = wanted.kind.at(wanted.at, wanted.layer);
  const Var x = tape.at(wanted.kind.at(wanted.kind.before, wanted.layer));
  // The pattern is constant and the values belong to another stack, so the attention itself carries nothing
  // of x.
  const Tensor part = tape.push(x, x.value.reshaped(x.value.shape().with_front(1)), given, {at}).at(at);
  return part.reshaped({part.dim(2), part.dim(3)});
}

std::size_t pushed_bytes(const ModelInfo& info, Index tokens) {
  return info.plain_blocks ? 0 : passing_bytes(info, tokens, 1);
}

}  // namespace headwater
