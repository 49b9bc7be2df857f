// Brunner et al., 2020. Four questions of one model:
//
//   levels    how many dimensions of a head's attention its output does not fix, by the length of the text:
//             n (n − rank V) for any matrix, n (n − rank [V, 1]) where rows sum to 1
//   lengths   how far effective attention is from attention (Pearson over all cells), by the length of the text
//   tokens    the share of tokens whose hidden vector is nearest to their own embedding, after every layer
//   mixing    the share of a hidden vector that goes back to its own token (hidden token attribution), and
//             the share of tokens that are not their own largest contributor, after every layer
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <headwater/error.h>

#include "reproductions/reproduction.h"
#include "reproductions/shared/data.h"
#include "reproductions/shared/maps.h"

namespace headwater {
namespace {

constexpr int mlp_epochs = 30;
constexpr std::size_t texts_per_length = 2, most_mixed_texts = 4, longest_mixed = 24;

// An independent public run of the naive map: BERT-base uncased, 5,000 sentences of BookCorpus, distance L2,
// the whole vocabulary; after layers 1 to 12.
constexpr double independent[]{1.000, .947, .905, .787, .607, .508, .451, .383, .413, .251, .181, .419};

void tell(const ReproduceRequest& request, const std::string& what, double done) {
  if (request.progress) request.progress({.method = what, .done = done});
}

// Words of the sentences from `first` on, as many as make exactly n tokens; empty if no number of words does.
std::string text_of_length(const Engine& engine, const std::vector<LabelledInput>& sentences,
                           std::size_t first, std::size_t n) {
  std::string text;
  for (std::size_t s = first; s < sentences.size(); ++s) {
    std::string word;
    for (const char c : sentences[s].input.text + " ") {
      word += c;
      if (c != ' ') continue;
      text += word;
      word.clear();
      const std::size_t tokens = engine.tokenize({.text = text}).size();
      if (tokens == n) return text;
      if (tokens > n) return "";
    }
  }
  return "";
}

std::vector<std::string> texts_of_length(const Engine& engine, const std::vector<LabelledInput>& sentences,
                                         std::size_t n) {
  std::vector<std::string> texts;
  for (std::size_t s = 0; s < sentences.size() && texts.size() < texts_per_length; s += 7)
    if (std::string text = text_of_length(engine, sentences, s, n); !text.empty())
      texts.push_back(std::move(text));
  return texts;
}

double mean_detail(const Attribution& result, const char* name) {
  return mean_with_error(detail_of(result, name).to_doubles()).mean;
}

struct LengthFigures {
  std::size_t tokens = 0;
  double rank = 0, free = 0, free_sum = 0, pearson = 0, null_energy = 0;
};

std::vector<LengthFigures> measured_lengths(const ReproduceRequest& request,
                                            const std::vector<LabelledInput>& sentences) {
  const ModelInfo& info = request.engine.info();
  const auto width = static_cast<std::size_t>(info.last().head_width);
  std::vector<LengthFigures> figures;
  for (const std::size_t n :
       {width / 4, width / 2, width, width + 1, width + 2, width + width / 4, 2 * width, 3 * width}) {
    if (n < 4 || (info.positions > 0 && n > static_cast<std::size_t>(info.positions))) continue;
    tell(request, fmt::format("effective attention, {} tokens", n), static_cast<double>(figures.size()) / 32);
    std::vector<double> rank, free, free_sum, pearson, energy;
    for (const std::string& text : texts_of_length(request.engine, sentences, n)) {
      Request ask{.input = {.text = text}, .target = {}, .methods = {{.name = "effective_attention"}}};
      if (info.task == Task::FillMask) ask.target.position = 0;
      const Report report = request.engine.explain(ask);
      const Attribution& result = report.attributions.front();
      rank.push_back(mean_detail(result, "rank"));
      free.push_back(mean_detail(result, "nullity_L0") * static_cast<double>(n));
      free_sum.push_back(mean_detail(result, "nullity_L1") * static_cast<double>(n));
      pearson.push_back(mean_detail(result, "pearson"));
      energy.push_back(mean_detail(result, "null_energy"));
    }
    if (!rank.empty())
      figures.push_back({n, mean_with_error(rank).mean, mean_with_error(free).mean,
                         mean_with_error(free_sum).mean, mean_with_error(pearson).mean,
                         mean_with_error(energy).mean});
  }
  return figures;
}

void add_lengths(Reproduced& made, const std::vector<LengthFigures>& figures, int width) {
  FigureTable table{
      .title = "Attention that the head's output does not fix, by length (mean over heads)",
      .header = {"tokens", "published", "rank of V", "free dimensions", "with rows of sum 1",
                 "Pearson(A, A⊥)", "‖A − A⊥‖ / ‖A‖"},
      .rows = {},
      .notes = {"The paper counts for heads of full rank: attention is identifiable up to as many tokens as "
                "a value vector is wide, and one more where rows sum to 1. The correlation is a curve in the "
                "paper, which falls once a text is longer than that; no values are quoted."}};
  bool threshold = true, falls = true;
  std::string beyond;  // the first length beyond, and what is free there
  double before = 2;
  for (const LengthFigures& f : figures) {
    const bool fixed = f.tokens <= static_cast<std::size_t>(width);
    table.rows.push_back({std::to_string(f.tokens), fixed ? "identifiable" : "not identifiable",
                          figure(f.rank, 1), figure(f.free, 0), figure(f.free_sum, 0), figure(f.pearson, 3),
                          figure(f.null_energy, 3)});
    if (!fixed) threshold = threshold && f.free > 0;
    if (!fixed && beyond.empty())
      beyond = fmt::format("values are {} wide; {} free dimensions at {} tokens", width, figure(f.free, 0),
                           f.tokens);
    if (!fixed) falls = falls && f.pearson < before;
    if (!fixed) before = f.pearson;
  }
  made.tables.push_back(std::move(table));
  made.findings.push_back({"attention is not identifiable for texts longer than a head's values are wide",
                           outcome_if(threshold), beyond.empty() ? "no text was longer" : beyond});
  if (!figures.empty())
    made.findings.push_back(
        {"effective attention departs from attention as texts get longer", outcome_if(falls),
         fmt::format("Pearson {} at {} tokens", figure(figures.back().pearson, 3), figures.back().tokens)});
}

const IdentifyCell* find_cell(const IdentifyReport& report, TokenMap map, TokenDistance distance, int state,
                              bool control) {
  for (const IdentifyCell& cell : report.cells)
    if (cell.map == map && cell.distance == distance && cell.state == state && cell.trained_on == state &&
        cell.control == control)
      return &cell;
  return nullptr;
}

double found_rate(const IdentifyReport& report, TokenMap map, TokenDistance distance, int state,
                  bool control = false) {
  const IdentifyCell* cell = find_cell(report, map, distance, state, control);
  return cell == nullptr ? std::nan("") : cell->rates.id.rate;
}

IdentifyReport identified(const ReproduceRequest& request, const std::vector<LabelledInput>& sentences,
                          TokenPool pool) {
  IdentifyRequest ask;
  ask.pool = pool;
  ask.seed = request.seed;
  ask.control = pool == TokenPool::Sentence;
  if (pool == TokenPool::Vocabulary) {
    ask.maps = {TokenMap::Naive};
    ask.distances = {TokenDistance::L2};
  }
  for (const LabelledInput& sentence : sentences)
    ask.texts.push_back({.text = sentence.input.text, .truncate = true});
  ask.progress = [&](const Progress& p) { tell(request, "token identifiability", 0.3 + 0.2 * p.done); };
  return request.engine.identify(ask);
}

// The trained map with one hidden layer, for one distance and fewer steps than published: it takes longest.
IdentifyReport identified_by_mlp(const ReproduceRequest& request,
                                 const std::vector<LabelledInput>& sentences) {
  IdentifyRequest ask{.maps = {TokenMap::Mlp}, .distances = {TokenDistance::Cosine}, .control = false};
  ask.seed = request.seed;
  ask.mlp = {.hidden = 1000, .learning_rate = 1e-3, .batch = 256, .patience = 5, .epochs = mlp_epochs};
  for (const LabelledInput& sentence : sentences)
    ask.texts.push_back({.text = sentence.input.text, .truncate = true});
  ask.progress = [&](const Progress& p) { tell(request, "token identifiability, MLP", 0.5 + 0.1 * p.done); };
  return request.engine.identify(ask);
}

// Whether the independent run's model is this one: published beside ours for BERT-base alone.
bool is_bert_base(const ModelInfo& info) {
  return info.family == "bert" && info.last().layers == 12 && info.last().width == 768 &&
         info.vocabulary == 30522;
}

void add_tokens(Reproduced& made, const ReproduceRequest& request,
                const std::vector<LabelledInput>& sentences) {
  const IdentifyReport within = identified(request, sentences, TokenPool::Sentence),
                       among_all = identified(request, sentences, TokenPool::Vocabulary),
                       trained = identified_by_mlp(request, sentences);
  const bool published = is_bert_base(request.engine.info());
  FigureTable table{
      .title = "Tokens identified by their hidden vector, %",
      .header = {"after layer", "naive cosine", "naive L2", "linear cosine", "linear L2", "MLP cosine",
                 "untrained, naive cosine", "naive L2, whole vocabulary", "an independent run of it"},
      .rows = {},
      .notes = {}};
  int linear_better = 0, mlp_better = 0, cosine_better = 0;
  for (const int state : within.states) {
    const auto rate = [&](TokenMap map, TokenDistance distance) {
      return found_rate(within, map, distance, state);
    };
    const double naive = rate(TokenMap::Naive, TokenDistance::Cosine),
                 naive_l2 = rate(TokenMap::Naive, TokenDistance::L2),
                 linear = rate(TokenMap::Linear, TokenDistance::Cosine);
    const double mlp = found_rate(trained, TokenMap::Mlp, TokenDistance::Cosine, state);
    linear_better += linear >= naive ? 1 : 0;
    mlp_better += mlp >= naive ? 1 : 0;
    cosine_better += naive >= naive_l2 ? 1 : 0;
    table.rows.push_back({state == 0 ? "embeddings" : std::to_string(state), percent(naive),
                          percent(naive_l2), percent(linear),
                          percent(rate(TokenMap::Linear, TokenDistance::L2)), percent(mlp),
                          percent(found_rate(within, TokenMap::Naive, TokenDistance::Cosine, state, true)),
                          percent(found_rate(among_all, TokenMap::Naive, TokenDistance::L2, state)),
                          published && state > 0 ? percent(independent[state - 1]) : "–"});
  }
  table.notes.push_back(fmt::format(
      "{} sentences, split {}/{}/{} by sentence; chance {} within a sentence. The paper has curves, "
      "of which no values are quoted; the last column is a public run over 5,000 sentences of "
      "BookCorpus. Untrained: the same architecture with random weights. The MLP has 1000 hidden units as "
      "published, learning rate 1e-3 and at most {} epochs, where the paper searches the rate and trains "
      "longer.",
      within.texts, within.train_texts, within.validation_texts, within.test_texts, percent(within.chance.id),
      mlp_epochs));
  made.tables.push_back(std::move(table));
  const auto states = static_cast<int>(within.states.size());
  const double first = found_rate(within, TokenMap::Linear, TokenDistance::Cosine, within.states.front()),
               last = found_rate(within, TokenMap::Linear, TokenDistance::Cosine, within.states.back());
  made.findings.push_back({"tokens stay identifiable in all layers by a learned map, less so with depth",
                           outcome_if(last > 0.5 && last <= first),
                           fmt::format("linear, cosine: {} of the embeddings, {} after the last layer",
                                       percent(first), percent(last))});
  made.findings.push_back(
      {"learned maps identify more than the naive one",
       outcome_if(2 * linear_better > states && 2 * mlp_better > states),
       fmt::format("linear in {} of {} states, MLP in {}", linear_better, states, mlp_better)});
  made.findings.push_back({"cosine identifies more than L2 (identity is mostly in the angle)",
                           outcome_if(2 * cosine_better > states),
                           fmt::format("naive: in {} of {} states", cosine_better, states)});
}

struct LayerMixing {
  std::vector<double> self;  // share of every token's own contribution
  std::size_t not_own = 0;
  double near = 0, far = 0;  // mean share of a token 1 or 2 away, and of one 8 or more away
  std::size_t near_count = 0, far_count = 0;
};

void add_map(const Tensor& map, std::vector<LayerMixing>& layers) {
  const Index L = map.dim(0), T = map.dim(1);
  layers.resize(static_cast<std::size_t>(L));
  for (Index l = 0; l < L; ++l)
    for (Index j = 0; j < T; ++j) {
      LayerMixing& layer = layers[static_cast<std::size_t>(l)];
      Index top = 0;
      for (Index i = 0; i < T; ++i) {
        const double share = map.at((l * T + j) * T + i);
        if (share > map.at((l * T + j) * T + top)) top = i;
        const Index distance = std::abs(i - j);
        if (distance == 1 || distance == 2) {
          layer.near += share;
          ++layer.near_count;
        } else if (distance >= 8) {
          layer.far += share;
          ++layer.far_count;
        }
      }
      layer.self.push_back(map.at((l * T + j) * T + j));
      layer.not_own += top != j ? 1 : 0;
    }
}

struct Mixing2020 {
  std::vector<LayerMixing> layers;
  std::size_t texts = 0, tokens = 0;
};

Mixing2020 measured_mixing(const ReproduceRequest& request, const std::vector<LabelledInput>& sentences) {
  Mixing2020 found;
  for (std::size_t s = 0; s < sentences.size() && found.texts < most_mixed_texts; ++s) {
    const std::string& text = sentences[s].input.text;
    const std::size_t length = request.engine.tokenize({.text = text}).size();
    if (length > longest_mixed || length < 12) continue;
    Request ask{.input = {.text = text}, .target = {}, .methods = {{.name = "hidden_token_attribution"}}};
    if (request.engine.info().task == Task::FillMask) ask.target.position = 0;
    ask.progress = [&](const Progress& p) {
      tell(request, "hidden token attribution",
           0.6 + 0.4 * (static_cast<double>(found.texts) + p.done) / static_cast<double>(most_mixed_texts));
    };
    add_map(only_map(request.engine.explain(ask).attributions.front()), found.layers);
    ++found.texts;
    found.tokens += length;
  }
  if (found.layers.empty())
    throw InputError(
        fmt::format("{}: expected sentences of 12 to {} tokens, found none", request.data, longest_mixed));
  return found;
}

double not_own_share(const LayerMixing& layer) {
  return static_cast<double>(layer.not_own) / static_cast<double>(layer.self.size());
}

double near_share(const LayerMixing& layer) {
  return layer.near / static_cast<double>(layer.near_count);
}

double far_share(const LayerMixing& layer) {
  return layer.far / static_cast<double>(layer.far_count);
}

void add_mixing(Reproduced& made, const Mixing2020& found) {
  const std::vector<LayerMixing>& layers = found.layers;
  FigureTable table{
      .title = "Hidden token attribution: how much of a hidden vector comes from its own token",
      .header = {"after layer", "own share, median", "published", "not their own largest contributor",
                 "published", "share of a token 1–2 away", "8 or more away"},
      .rows = {},
      .notes = {fmt::format("{} sentences, {} tokens. Frobenius norm of the derivative by the first "
                            "block's input; shares depend on the norm, ranks hardly.",
                            found.texts, found.tokens)}};
  for (std::size_t l = 0; l < layers.size(); ++l)
    table.rows.push_back({std::to_string(l + 1), percent(median_of(layers[l].self)),
                          l + 1 == layers.size() ? "7.5 %"
                          : l == 0               ? "below 50 %"
                                                 : "–",
                          percent(not_own_share(layers[l])), l + 2 >= layers.size() ? "about 30 %" : "–",
                          percent(near_share(layers[l])), percent(far_share(layers[l]))});
  made.tables.push_back(std::move(table));
  const LayerMixing &first = layers.front(), &last = layers.back();
  const double own_first = median_of(first.self), own_last = median_of(last.self);
  made.findings.push_back(
      {"after the first layer less than half of a hidden vector goes back to its own token",
       outcome_if(own_first < 0.5), fmt::format("median {}", percent(own_first))});
  made.findings.push_back({"a token's own share falls with depth", outcome_if(own_last < own_first),
                           fmt::format("median {} after the first layer, {} after the last (published 7.5 %)",
                                       percent(own_first), percent(own_last))});
  made.findings.push_back(
      {"in the last layers many tokens are not their own largest contributor (published 30 %)",
       outcome_if(not_own_share(last) > 0.1),
       fmt::format("{} after the last layer", percent(not_own_share(last)))});
  made.findings.push_back(
      {"mixing is mostly local: near tokens give more than far ones",
       outcome_if(near_share(last) > far_share(last)),
       fmt::format("{} of a token 1–2 away, {} of one 8 or more away, after the last layer",
                   percent(near_share(last)), percent(far_share(last)))});
}

Reproduced run(const ReproduceRequest& request) {
  const ModelInfo& info = request.engine.info();
  const std::string file =
      data_file(request.data, {"msr_paraphrase_train.txt", "train.tsv", "dev.tsv", "texts.txt"});
  const std::vector<LabelledInput> all = read_examples(file, 2000), some = read_examples(file, request.limit);
  Reproduced made{
      .here = {fmt::format(
                   "{}; {}", described(info),
                   is_bert_base(info) ? "the paper's model, not fine-tuned" : "not the paper's BERT-base"),
               fmt::format("first sentences of {}, {} of them for token identifiability", file, some.size())},
      .tables = {},
      .findings = {}};
  add_lengths(made, measured_lengths(request, all), info.last().head_width);
  add_tokens(made, request, some);
  add_mixing(made, measured_mixing(request, some));
  return made;
}

}  // namespace

extern const Reproduction brunner2020;
const Reproduction brunner2020{
    .name = "brunner2020",
    .paper = "Brunner et al., 2020: On Identifiability in Transformers. ICLR",
    .summary =
        "Does a head's output determine its attention, and do hidden vectors still identify their tokens?",
    .published_with = "BERT-base uncased (12 layers, heads of width 64), sentences of MRPC",
    .model = "BERT-base uncased",
    .data = "MRPC, or any file of sentences",
    .limit = 120,
    .run = run};

}  // namespace headwater
