// Token identifiability (Brunner et al., 2020) as an evaluation of a model: per text the share of tokens
// whose hidden vector e, mapped by g, is nearest to their own word's embedding among those of the same text,
//
//   |{t : id(argmin_j d(g(e_t), x_j)) = id(t)}| / T
//
// for the identity (naive) and a linear map (ridge regression, fitted on three fifths of the texts and used
// on another, five times; equal texts stay together), by cosine and L2: what identify --folds 5 counts, text
// by text. The curve runs from what enters the first block (0) to what leaves the last; the figure is the
// latter. Random is the chance of a guess. The command identify has more: an MLP, an untrained control, the
// whole vocabulary.
#include <limits>

#include "evaluation/metrics/evaluation.h"
#include "identifiability/features.h"
#include "identifiability/identify.h"
#include "identifiability/matching.h"
#include "numerics/linear_map.h"

namespace headwater {

namespace {

constexpr int text_folds = 5;
constexpr double token_ridge = 0.1;

std::vector<std::string> rows(const MethodOptions&) {
  return {"naive_cosine", "naive_l2", "linear_cosine", "linear_l2"};
}

std::vector<double> points(const ModelInfo& info, const MethodOptions&) {
  std::vector<double> x;
  for (int state = 0; state <= info.last().layers; ++state) x.push_back(state);
  return x;
}

std::vector<ProbeText> probe_texts(const ModelTrial& trial) {
  std::vector<ProbeText> texts;
  for (const LabelledInput& one : trial.inputs) {
    const Prepared prepared = prepare(trial.loaded, one.input);
    ProbeText text{.ids = prepared.batch.ids.front()};
    if (!prepared.batch.type_ids.empty()) text.type_ids = prepared.batch.type_ids.front();
    for (const Token& token : prepared.encoding.tokens) text.special.push_back(token.special);
    texts.push_back(std::move(text));
  }
  return texts;
}

using Shares = std::vector<std::vector<double>>;  // of one state: [row][text]

// `mapped` and `targets` are those of the chosen texts.
void match(const std::vector<ProbeText>& texts, const std::vector<std::size_t>& chosen, const Tensor& mapped,
           const Tensor& targets, TokenDistance distance, bool content, std::vector<double>& shares) {
  std::vector<const ProbeText*> some;
  for (const std::size_t t : chosen) some.push_back(&texts[t]);
  const std::vector<TextHits> hits = match_in_texts(some, mapped, targets, distance);
  for (std::size_t k = 0; k < chosen.size(); ++k)
    shares[chosen[k]] = static_cast<double>(content ? hits[k].content_id : hits[k].id) /
                        static_cast<double>(content ? some[k]->content() : some[k]->tokens());
}

Shares shares_at(const ModelTrial& trial, const std::vector<ProbeText>& texts, int state, bool content) {
  const ModelInfo& info = trial.loaded.info();
  const std::vector<Tensor> read = capture(
      *trial.loaded.model, texts, {place_of_state(state), place_of_target(TokenTarget::Word, info)}, {});
  const std::vector<Index> first = first_rows(texts);
  Shares shares(4, std::vector<double>(texts.size(), std::numeric_limits<double>::quiet_NaN()));
  for (const std::vector<Part>& parts : split_texts(texts, text_folds, trial.seed).parts) {
    const std::vector<std::size_t> seen = texts_in(parts, Part::Train), unseen = texts_in(parts, Part::Test);
    const Tensor hidden = rows_of(read[0], first, unseen).to(DType::Float64),
                 own = rows_of(read[1], first, unseen).to(DType::Float64),
                 known = rows_of(read[1], first, seen);
    const RidgeFit fit(rows_of(read[0], first, seen), token_ridge);
    for (const TokenDistance distance : {TokenDistance::Cosine, TokenDistance::L2}) {
      const bool cosine = distance == TokenDistance::Cosine;
      std::vector<double>&naive = shares[cosine ? 0 : 1], &linear = shares[cosine ? 2 : 3];
      if (hidden.dim(1) == own.dim(1)) match(texts, unseen, hidden, own, distance, content, naive);
      const LinearMap map = fit.fit(cosine ? unit_rows(known) : known);  // for the distance it is used with
      match(texts, unseen, map(hidden), own, distance, content, linear);
    }
  }
  return shares;
}

std::vector<std::vector<EvaluationValue>> measure(const ModelTrial& trial, const MethodOptions& options) {
  const std::vector<ProbeText> texts = probe_texts(trial);
  const int states = trial.loaded.info().last().layers + 1;
  const bool content = options.text("tokens") == "content";
  std::vector<std::vector<EvaluationValue>> values(texts.size(), std::vector<EvaluationValue>(5));
  for (int state = 0; state < states; ++state) {
    trial.advance(static_cast<double>(state) / states);
    const Shares shares = shares_at(trial, texts, state, content);
    for (std::size_t t = 0; t < texts.size(); ++t) {
      for (std::size_t row = 0; row < 4; ++row) values[t][row].curve.push_back(shares[row][t]);
      const TokenRules<double> chance = chance_of({&texts[t]}, TokenPool::Sentence, 0);
      values[t][4].curve.push_back(content ? chance.content_id : chance.id);
    }
  }
  for (std::vector<EvaluationValue>& text : values)
    for (EvaluationValue& one : text) one.value = one.curve.back();
  return values;
}

// What identify takes for the same maps with one state at a time.
std::size_t model_bytes(const ModelTrial& trial, const MethodOptions&) {
  const IdentifyMemory memory =
      identify_memory({.control = false, .folds = text_folds, .max_memory = trial.max_memory},
                      *trial.loaded.model, probe_texts(trial));
  return memory.fixed + memory.per_state;
}

}  // namespace

extern const Evaluation token_identifiability;
const Evaluation token_identifiability{
    .name = "token_identifiability",
    .summary = "How many hidden vectors are still nearest to their own token's embedding, layer by layer.",
    .formula = "|{t : id(argmin_j d(g(e_t), x_j)) = id(t)}| / T, x the embeddings of the same text",
    .paper =
        "Brunner, Liu, Pascual, Richter, Ciaramita and Wattenhofer, 2020: On Identifiability in "
        "Transformers. ICLR",
    .better = Evaluation::Better::Neither,
    .needs = Evaluation::Needs::Texts,
    .options = {{"tokens", "all|content", "all", "all: all tokens; content: all but special tokens"}},
    .curve_over = "layers passed",
    .points = points,
    .rows = rows,
    .model_bytes = model_bytes,
    .measure_model = measure,
};

}  // namespace headwater
