//   pre-norm    mid = x + out(z),        output = mid + down(hidden(norm(mid)))
//   post-norm   mid = norm(x + out(z)),  output = norm(mid + down(hidden(mid)))
//
//   z = mix(pattern, v),   hidden(n) = f(up n)  or  f(gate n) ⊙ up n
#include "blocks/recognise.h"

namespace headwater {
namespace {

class BlockReader {
 public:
  BlockReader(const Tape& tape, BlockAt at) : tape_(tape), at_(at) {}

  std::optional<PlainBlock> block() {
    for (const Site site : {Site::ResidPre, Site::V, Site::Pattern, Site::Z, Site::AttnOut, Site::ResidMid,
                            Site::MlpOut, Site::ResidPost})
      if (!tape_.recorded(at_(site))) return {};
    found_.pre_norm = is_add(tape_.op_at(at_(Site::ResidPost)).op);
    if (!attention() || !(found_.pre_norm ? pre_norm() : post_norm())) return {};
    found_.plain_scores = scores();
    return found_;
  }

 private:
  bool is(const Var& var, Site site) const { return var.id == tape_.spot(at_(site)).id; }
  bool sums(const Origin& sum, Site a, Site b) const {
    return is_add(sum.op) && is(sum.inputs[0], a) && is(sum.inputs[1], b);
  }
  // Reads the weights of the op, if it is a product; says where it reads from.
  std::optional<Var> product(const Origin& from, LinearWeights& to) const {
    const LinearWeights* found = as_linear(from.op);
    if (found == nullptr) return {};
    to = *found;
    return from.inputs[0];
  }
  std::optional<Var> normed(const Origin& from, NormWeights& to) const {
    const NormWeights* found = as_norm(from.op);
    if (found == nullptr) return {};
    to = *found;
    return from.inputs[0];
  }

  bool attention() {
    const Origin mix = tape_.op_at(at_(Site::Z));
    const HeadLayout* heads = as_attention_mix(mix.op);
    if (heads == nullptr || !is(mix.inputs[0], Site::Pattern) || !is(mix.inputs[1], Site::V)) return false;
    found_.heads = *heads;
    const auto z = product(tape_.op_at(at_(Site::AttnOut)), found_.weights.attention.out);
    const auto read = product(tape_.op_at(at_(Site::V)), found_.weights.attention.v);
    if (!z || !read || !is(*z, Site::Z)) return false;
    read_ = *read;
    return true;
  }

  bool pre_norm() {
    const auto stream = normed(tape_.origin_of(read_), found_.weights.attention_norm);
    if (!stream || !is(*stream, Site::ResidPre)) return false;
    if (!sums(tape_.op_at(at_(Site::ResidMid)), Site::ResidPre, Site::AttnOut)) return false;
    if (!sums(tape_.op_at(at_(Site::ResidPost)), Site::ResidMid, Site::MlpOut)) return false;
    const std::optional<Var> input = feed_forward();
    if (!input) return false;
    const auto mid = normed(tape_.origin_of(*input), found_.weights.mlp_norm);
    return mid && is(*mid, Site::ResidMid);
  }

  bool post_norm() {
    const auto first = normed(tape_.op_at(at_(Site::ResidMid)), found_.weights.attention_norm);
    const auto second = normed(tape_.op_at(at_(Site::ResidPost)), found_.weights.mlp_norm);
    if (!first || !second || !is(read_, Site::ResidPre)) return false;
    if (!sums(tape_.origin_of(*first), Site::ResidPre, Site::AttnOut)) return false;
    if (!sums(tape_.origin_of(*second), Site::ResidMid, Site::MlpOut)) return false;
    const std::optional<Var> input = feed_forward();
    return input && is(*input, Site::ResidMid);
  }

  // Where the feed-forward part reads from, if it is one of ours.
  std::optional<Var> feed_forward() {
    MlpWeights& mlp = found_.weights.mlp;
    const auto hidden = product(tape_.op_at(at_(Site::MlpOut)), mlp.down);
    if (!hidden) return {};
    Origin made = tape_.origin_of(*hidden);
    if (const std::optional<Activation> f = as_activation(made.op)) {
      mlp.f = *f;
      return product(tape_.origin_of(made.inputs[0]), mlp.up);
    }
    if (!is_multiply(made.op)) return {};
    const Origin gate = tape_.origin_of(made.inputs[0]);
    const std::optional<Activation> f = as_activation(gate.op);
    if (!f) return {};
    mlp.f = *f;
    mlp.gate.emplace();
    const auto to_gate = product(tape_.origin_of(gate.inputs[0]), *mlp.gate);
    const auto to_up = product(tape_.origin_of(made.inputs[1]), mlp.up);
    return to_gate && to_up && to_gate->id == to_up->id ? to_up : std::nullopt;
  }

  bool scores() {
    const Origin made = tape_.op_at(at_(Site::Scores));
    AttentionWeights& w = found_.weights.attention;
    if (as_attention_scores(made.op) == nullptr) return false;
    const auto q = product(tape_.op_at(at_(Site::Q)), w.q), k = product(tape_.op_at(at_(Site::K)), w.k);
    return q && k && q->id == read_.id && k->id == read_.id;
  }

  const Tape& tape_;
  BlockAt at_;
  PlainBlock found_{};
  Var read_;  // what queries, keys and values are made of
};

}  // namespace

std::optional<PlainBlock> plain_block(const Tape& tape, BlockAt at) {
  return BlockReader(tape, at).block();
}

const NormWeights* final_norm(const Tape& tape, BlockAt last) {
  const Place place{Site::FinalNorm, 0, last.stack};
  if (!tape.recorded(place)) return nullptr;
  const Origin made = tape.op_at(place);
  const bool follows = made.op != nullptr && made.inputs[0].id == tape.spot(last(Site::ResidPost)).id;
  return follows ? as_norm(made.op) : nullptr;
}

}  // namespace headwater
