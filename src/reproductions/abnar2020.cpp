// Abnar & Zuidema, 2020. What a masked position attends to, by three readings of the same patterns:
//
//   raw       the layer's own attention, heads averaged
//   rollout   attention carried down to the input tokens, Π (W + I) / 2
//   flow      the most that can flow from an input token to the position, weights being capacities
//
// and, layer by layer, the rank correlation of each with blank-out (a token replaced, the change of the
// answer) and with the size of the input gradient, over the tokens that both measure. The answer is p(good) −
// p(bad) of the verb in a minimal pair, the verb masked; or the predicted label of a classifier.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <headwater/error.h>

#include "reproductions/reproduction.h"
#include "reproductions/shared/data.h"
#include "reproductions/shared/maps.h"

namespace headwater {
namespace {

constexpr const char* readings[]{"attention", "attention_rollout", "attention_flow"};
constexpr const char* reading_names[]{"raw", "rollout", "flow"};

// The paper's tables: Spearman, mean ± standard deviation, layers 1 to 6 of a model trained from scratch on
// verb number.
constexpr const char* published_blank[3][6]{
    {".69 ± .27", ".10 ± .43", "−.11 ± .49", "−.09 ± .52", ".20 ± .45", ".29 ± .39"},
    {".32 ± .26", ".38 ± .27", ".51 ± .26", ".62 ± .26", ".70 ± .25", ".71 ± .24"},
    {".32 ± .26", ".44 ± .29", ".70 ± .25", ".70 ± .22", ".71 ± .22", ".70 ± .22"}};
constexpr const char* published_gradient[3][6]{
    {".53 ± .33", ".16 ± .38", "−.06 ± .42", ".00 ± .47", ".24 ± .40", ".46 ± .35"},
    {".22 ± .31", ".27 ± .32", ".39 ± .32", ".47 ± .32", ".53 ± .32", ".54 ± .31"},
    {".22 ± .31", ".31 ± .34", ".54 ± .32", ".61 ± .28", ".60 ± .28", ".61 ± .28"}};

// [reading][layer][example]
using Correlations = std::vector<std::vector<std::vector<double>>>;

struct Measured {
  Correlations blank, gradient;
  std::size_t examples = 0, left_out = 0;
};

std::vector<double> magnitudes(std::vector<double> row) {
  for (double& v : row) v = std::abs(v);
  return row;
}

void add_example(const Report& report, Measured& measured) {
  const Attribution &blank = report.attributions[3], &gradient = report.attributions[4];
  const std::vector<double> erased = magnitudes(answer_in(blank, 0)), slope = answer_in(gradient, 0);
  std::vector<bool> among = measured_of(blank, erased.size());
  // The masked token cannot be blanked out: its score would be 0 for every sentence.
  if (report.target.position >= 0) among[static_cast<std::size_t>(report.target.position)] = false;
  const auto layers = static_cast<std::size_t>(map_layers(report.attributions[0]));
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t l = 0; l < layers; ++l) {
      const std::vector<double> row = answer_in(report.attributions[r], static_cast<Index>(l));
      // An order that is no order correlates with nothing, as in the paper's script.
      const auto or_zero = [](double v) { return std::isnan(v) ? 0.0 : v; };
      measured.blank[r][l].push_back(or_zero(rank_agreement(row, erased, among)));
      measured.gradient[r][l].push_back(or_zero(rank_agreement(row, slope, among)));
    }
  ++measured.examples;
}

std::vector<MethodSpec> asked_methods() {
  std::vector<MethodSpec> methods;
  for (const char* name : readings) methods.push_back({.name = name});
  methods.push_back({.name = "occlusion", .options = {{"quantity", "probability"}}});
  methods.push_back({.name = "saliency"});
  return methods;
}

Measured measured_all(const ReproduceRequest& request, const std::vector<Request>& asks) {
  const auto layers = static_cast<std::size_t>(request.engine.info().last().layers);
  Measured measured{.blank = Correlations(3, std::vector<std::vector<double>>(layers)), .gradient = {}};
  measured.gradient = measured.blank;
  for (std::size_t i = 0; i < asks.size(); ++i) {
    if (request.progress)
      request.progress(
          {.method = "abnar2020", .done = static_cast<double>(i) / static_cast<double>(asks.size())});
    Request ask = asks[i];
    ask.methods = asked_methods();
    try {
      add_example(request.engine.explain(ask), measured);
    } catch (const InputError&) {
      ++measured.left_out;  // a word that is no token of this vocabulary
    }
  }
  if (measured.examples == 0)
    throw InputError(fmt::format("{}: expected sentences whose verb is one token, found none", request.data));
  return measured;
}

FigureTable correlation_table(const std::string& title, const Correlations& found,
                              const char* const (*published)[6]) {
  FigureTable table{.title = title, .header = {"layer"}, .rows = {}, .notes = {}};
  for (const char* name : reading_names) table.header.emplace_back(name);
  for (const char* name : reading_names)
    if (published != nullptr) table.header.push_back(fmt::format("published {}", name));
  for (std::size_t l = 0; l < found[0].size(); ++l) {
    std::vector<std::string> row{std::to_string(l + 1)};
    for (std::size_t r = 0; r < 3; ++r) row.push_back(figure(mean_with_error(found[r][l])));
    for (std::size_t r = 0; r < 3 && published != nullptr; ++r)
      row.emplace_back(l < 6 ? published[r][l] : "–");
    table.rows.push_back(std::move(row));
  }
  if (published != nullptr)
    table.notes.emplace_back(
        "Published: a model of 6 layers trained from scratch on verb number, layer by layer; layers "
        "of the two models are not the same thing. Mean ± standard deviation over sentences.");
  return table;
}

double mean_over_upper_half(const Correlations& found, std::size_t reading) {
  std::vector<double> means;
  for (std::size_t l = found[reading].size() / 2; l < found[reading].size(); ++l)
    means.push_back(mean_with_error(found[reading][l]).mean);
  return mean_with_error(means).mean;
}

void add_correlations(Reproduced& made, const Measured& measured, bool verbs) {
  made.tables.push_back(correlation_table("Spearman correlation with blank-out", measured.blank,
                                          verbs ? published_blank : nullptr));
  made.tables.push_back(correlation_table("Spearman correlation with input gradients", measured.gradient,
                                          verbs ? published_gradient : nullptr));
  if (!verbs)
    made.tables.back().notes.emplace_back(
        "Published for DistilBERT on SST-2, layers 1, 3, 5, 6: raw .12 .09 .08 .09, rollout "
        ".11 .12 .13 .13, flow .11 .11 .12 .14, all ± about .2, of rows joined by their maximum; "
        "here the row of [CLS].");
  const auto judge_pair = [&](const char* what, const Correlations& found) {
    const double raw = mean_over_upper_half(found, 0);
    for (const std::size_t reading : {std::size_t{1}, std::size_t{2}}) {
      const double ours = mean_over_upper_half(found, reading);
      made.findings.push_back(
          {fmt::format("in the upper layers {} agrees with {} more than raw attention does",
                       reading_names[reading], what),
           outcome_if(ours > raw),
           fmt::format("upper half of the layers: {} {}, raw {}", reading_names[reading], figure(ours),
                       figure(raw))});
    }
  };
  judge_pair("blank-out", measured.blank);
  judge_pair("input gradients", measured.gradient);
  const double first = mean_with_error(measured.blank[1].front()).mean,
               last = mean_with_error(measured.blank[1].back()).mean;
  made.findings.push_back(
      {"rollout's agreement with blank-out grows with depth", outcome_if(last > first),
       fmt::format("{} in the first layer, {} in the last", figure(first), figure(last))});
}

// --- the masked pronouns ----------------------------------------------------------------------------------

struct Pronoun {
  const char *text, *first, *second;  // the sentence with {} for the mask, and the two who may be meant
  const char* published;
};

constexpr Pronoun pronouns[]{
    {"The author talked to Sara about {} book", "author", "sara", "p(his) .0700, p(her) .1019"},
    {"Mary convinced John of {} love.", "mary", "john", "picture only"},
};

double share_at(const Report& report, const std::vector<double>& row, const std::string& word) {
  double sum = 0;
  for (std::size_t t = 0; t < report.prediction.units.size(); ++t) {
    std::string text = report.prediction.units[t].text;
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    if (text == word) sum += row[t];
  }
  return sum;
}

void add_pronouns(Reproduced& made, const Engine& engine, const std::string& mask) {
  FigureTable table{.title = "From [MASK] to the two candidates, last layer (share of the row)",
                    .header = {"sentence", "p(his)", "p(her)", "published", "raw: 1st", "2nd", "rollout: 1st",
                               "2nd", "flow: 1st", "2nd"},
                    .rows = {},
                    .notes = {}};
  for (const Pronoun& pronoun : pronouns) {
    const std::string text = fmt::format(fmt::runtime(pronoun.text), mask);
    Request ask{.input = {.text = text}, .target = {.label = "her"}, .methods = asked_methods()};
    ask.methods.resize(3);
    const Report her = engine.explain(ask);
    ask.target.label = "his";
    ask.methods.resize(1);
    const double his = engine.explain(ask).target.probability;
    std::vector<std::string> row{text, figure(his, 4), figure(her.target.probability, 4), pronoun.published};
    for (std::size_t r = 0; r < 3; ++r) {
      const std::vector<double> weights = answer_in(her.attributions[r], map_layers(her.attributions[r]) - 1);
      row.push_back(figure(share_at(her, weights, pronoun.first), 4));
      row.push_back(figure(share_at(her, weights, pronoun.second), 4));
    }
    table.rows.push_back(std::move(row));
  }
  table.notes.emplace_back(
      "1st and 2nd: the author and Sara; Mary and John. Flow saturates in deep bidirectional models: both "
      "names "
      "may get the same share.");
  made.tables.push_back(std::move(table));
}

// --- what is asked ----------------------------------------------------------------------------------------

std::vector<Request> verb_requests(const ReproduceRequest& request, const std::string& file,
                                   const std::string& mask) {
  std::vector<Request> asks;
  for (const MinimalPair& pair : read_minimal_pairs(file, request.limit))
    asks.push_back({.input = {.text = with_word(pair, mask)},
                    .target = {.label = pair.good_word, .contrast = pair.bad_word, .position = {}},
                    .methods = {}});
  return asks;
}

std::vector<Request> sentence_requests(const ReproduceRequest& request, const std::string& file) {
  std::vector<Request> asks;
  for (const LabelledInput& example : read_examples(file, request.limit))
    asks.push_back({.input = example.input, .target = {}, .methods = {}});
  return asks;
}

Reproduced run(const ReproduceRequest& request) {
  const ModelInfo& info = request.engine.info();
  const bool verbs = info.task == Task::FillMask;
  if (!verbs && info.task != Task::TextClassification)
    throw Unsupported(fmt::format(
        "abnar2020: {} has neither a masked-word head nor labels; use a BertForMaskedLM for verbs "
        "and pronouns, or a classifier for SST-2",
        info.architecture));
  Reproduced made;
  made.here = {described(info)};
  std::vector<Request> asks;
  if (verbs) {
    const std::string file = data_file(request.data, {"distractor_agreement_relative_clause.jsonl",
                                                      "regular_plural_subject_verb_agreement_1.jsonl"});
    const std::string mask = mask_token(request.engine);
    add_pronouns(made, request.engine, mask);
    asks = verb_requests(request, file, mask);
    made.here.push_back(fmt::format(
        "minimal pairs of {} with the verb masked, in place of the paper's own verb-number data and "
        "of the model it trained on them",
        file));
  } else {
    const std::string file = data_file(request.data, {"dev.tsv", "texts.txt"});
    asks = sentence_requests(request, file);
    made.here.push_back(fmt::format("sentences of {} with this classifier in place of DistilBERT", file));
  }
  const Measured measured = measured_all(request, asks);
  made.here.push_back(fmt::format("{} sentences; {} left out because a word is no token", measured.examples,
                                  measured.left_out));
  add_correlations(made, measured, verbs);
  return made;
}

}  // namespace

extern const Reproduction abnar2020;
const Reproduction abnar2020{
    .name = "abnar2020",
    .paper = "Abnar & Zuidema, 2020: Quantifying Attention Flow in Transformers. ACL",
    .summary = "Does attention combined across layers show what matters better than raw attention?",
    .published_with =
        "verb number: 6 layers of 8 heads, width 128, trained from scratch on the data of Linzen et al., "
        "2,000 test "
        "sentences; SST-2: DistilBERT; pronouns: BERT-base uncased",
    .model = "BERT-base uncased with its masked-word head, or a sentiment classifier",
    .data = "BLiMP (distractor_agreement_relative_clause.jsonl), or SST-2 (dev.tsv)",
    .limit = 100,
    .run = run};

}  // namespace headwater
