// Hao et al., 2021 (AttAttr). Three uses of attention's attribution in a classifier:
//
//   pruning   accuracy as heads are removed, the least important first, by four rankings (heads.h) and by chance
//   trees     how attribution passes between tokens, layer by layer, for a few inputs
//   triggers  tokens with extreme attribution, inserted into other inputs: accuracy per label before and after
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <headwater/error.h>

#include "heads/tree.h"
#include "prose/table.h"
#include "reproductions/reproduction.h"
#include "reproductions/shared/data.h"
#include "reproductions/shared/maps.h"
#include "result/text_width.h"

namespace headwater {
namespace {

constexpr const char* rankings[]{"attattr", "accuracy_difference", "taylor", "attention"};
constexpr std::size_t ranked_share = 5;  // of the inputs one in so many ranks the heads
constexpr std::size_t tree_texts = 3;
constexpr int trigger_sources = 10;

// Accuracy per label before and with the best trigger, as remembered and never confirmed.
struct PublishedTrigger {
  const char *task, *before, *after;
};
constexpr PublishedTrigger published_triggers[]{
    {"sst2", "positive 92.79, negative 91.82", "positive 54.95, negative 72.20"},
    {"mrpc", "equal 90.32, not 72.87", "equal 29.39, not 51.94"},
    {"rte", "entailment 72.60, not 65.65", "entailment 9.59, not 59.54"}};

LabelledRun run_of(const ReproduceRequest& request) {
  return {.max_memory = 0, .progress = request.progress};
}

// Least important first over all heads, or a random order.
const PruningCurve* curve_of(const PruningReport& report, const std::string& ranking,
                             const std::string& order) {
  for (const PruningCurve& curve : report.curves)
    if (curve.ranking == ranking && curve.order == order && (curve.scope == "global" || ranking == "random"))
      return &curve;
  return nullptr;
}

double mean_accuracy(const PruningCurve& curve) {
  return std::accumulate(curve.accuracy.begin(), curve.accuracy.end(), 0.0) /
         static_cast<double>(curve.accuracy.size());
}

void add_pruning(Reproduced& made, const ReproduceRequest& request,
                 const std::vector<LabelledInput>& inputs) {
  const std::size_t ranked = std::max<std::size_t>(1, inputs.size() / ranked_share);
  std::vector<LabelledInput> few;
  for (const std::size_t i : evenly_spaced(inputs.size(), ranked)) few.push_back(inputs[i]);
  std::vector<HeadImportance> importance;
  for (const char* ranking : rankings)
    importance.push_back(request.engine.head_importance(few, ranking, run_of(request)));
  const PruningOptions options{
      .rates = {0, .2, .4, .6, .8, 1}, .random_orders = 3, .seed = request.seed, .by_layer = false};
  const PruningReport report = request.engine.pruning_curves(inputs, importance, options, run_of(request));
  FigureTable table{
      .title = "Accuracy as heads are removed, the least important first, %",
      .header = {"heads removed"},
      .rows = {},
      .notes = {fmt::format(
          "Heads ranked on {} inputs (published 200), accuracy on {}. The paper has curves, of which no "
          "values are quoted.",
          few.size(), inputs.size())}};
  std::vector<const PruningCurve*> curves;
  for (const char* ranking : rankings) {
    curves.push_back(curve_of(report, ranking, "least"));
    table.header.emplace_back(ranking);
  }
  curves.push_back(curve_of(report, "random", "random"));
  table.header.emplace_back("random");
  const PruningCurve* reversed = curve_of(report, "attattr", "most");
  table.header.emplace_back("attattr, most important first");
  curves.push_back(reversed);
  for (std::size_t k = 0; k < options.rates.size(); ++k) {
    std::vector<std::string> row{percent(options.rates[k])};
    for (const PruningCurve* curve : curves)
      row.push_back(curve == nullptr ? "–" : figure(100 * curve->accuracy[k], 1));
    table.rows.push_back(std::move(row));
  }
  made.tables.push_back(std::move(table));
  std::vector<double> means;
  for (const PruningCurve* curve : curves)
    means.push_back(curve == nullptr ? std::nan("") : mean_accuracy(*curve));
  const auto compare_means = [&](const std::string& claim, std::size_t with) {
    made.findings.push_back({claim, outcome_if(means[0] >= means[with]),
                             fmt::format("mean accuracy over the shares: attattr {}, the other {}",
                                         figure(100 * means[0], 1), figure(100 * means[with], 1))});
  };
  compare_means("heads chosen by attribution can be removed with less loss than heads chosen by attention",
                3);
  compare_means("attribution is no worse a ranking than the accuracy difference", 1);
  compare_means("attribution is no worse a ranking than Taylor expansion", 2);
  compare_means("removing the most important heads first costs more than the least important", 5);
}

void add_trees(Reproduced& made, const ReproduceRequest& request, const std::vector<LabelledInput>& inputs) {
  FigureTable table{.title = "Attribution trees",
                    .header = {"input", "answer", "root", "edges", "tokens reached", "first edges"},
                    .rows = {},
                    .notes = {"The paper shows trees as pictures; there are no numbers to compare."}};
  for (const std::size_t i : evenly_spaced(inputs.size(), std::min(tree_texts, inputs.size()))) {
    const Report report =
        request.engine.explain({.input = inputs[i].input, .target = {}, .methods = {{.name = "attattr"}}});
    const Tree tree = attribution_tree(scores_of(report.attributions.front()), {.published = true});
    const auto token = [&](int t) {
      return visible(report.prediction.units[static_cast<std::size_t>(t)].text);
    };
    std::string first;
    for (std::size_t e = 0; e < std::min<std::size_t>(3, tree.edges.size()); ++e)
      first += fmt::format("{}{} ← {}", e == 0 ? "" : ", ", token(tree.edges[e].parent),
                           token(tree.edges[e].child));
    std::vector<int> reached{tree.root};
    for (const TreeEdge& edge : tree.edges) reached.push_back(edge.child);
    std::sort(reached.begin(), reached.end());
    reached.erase(std::unique(reached.begin(), reached.end()), reached.end());
    std::string text = visible(inputs[i].input.text);
    if (text.size() > 40) text = text.substr(0, text.rfind(' ', 40)) + " …";
    table.rows.push_back({text, report.target.label, token(tree.root), std::to_string(tree.edges.size()),
                          fmt::format("{} of {}", reached.size(), report.prediction.units.size()), first});
  }
  made.tables.push_back(std::move(table));
}

std::string joined_tokens(const Trigger& trigger) {
  std::string text;
  for (const TriggerToken& token : trigger.tokens)
    text += fmt::format("{}{}", text.empty() ? "" : " ", visible(token.text));
  return text;
}

void add_triggers(Reproduced& made, const ReproduceRequest& request,
                  const std::vector<LabelledInput>& inputs) {
  const TriggerReport report = request.engine.triggers(
      inputs, {.inputs = trigger_sources, .patterns = 2, .tolerance = 0.01}, run_of(request));
  FigureTable table{.title = "Accuracy per gold label with a trigger in every input, %",
                    .header = {"trigger", "from an input called"},
                    .rows = {},
                    .notes = {}};
  for (std::size_t l = 0; l < report.labels.size(); ++l)
    table.header.push_back(fmt::format("{} ({} inputs)", report.labels[l], report.inputs[l]));
  std::vector<std::string> row{"none", "–"};
  for (const double accuracy : report.accuracy) row.push_back(figure(100 * accuracy, 1));
  table.rows.push_back(row);
  double worst = 0;
  for (const Trigger& trigger : report.triggers) {
    row = {joined_tokens(trigger), trigger.label};
    for (std::size_t l = 0; l < trigger.accuracy.size(); ++l) {
      row.push_back(figure(100 * trigger.accuracy[l], 1));
      if (std::isfinite(trigger.accuracy[l]))
        worst = std::max(worst, report.accuracy[l] - trigger.accuracy[l]);
    }
    table.rows.push_back(row);
  }
  for (const PublishedTrigger& published : published_triggers)
    if (request.data.find(published.task) != std::string::npos)
      table.notes.push_back(fmt::format(
          "Published for {} with BERT-base, as remembered and not confirmed: {} before, {} with the best "
          "trigger.",
          published.task, published.before, published.after));
  table.notes.push_back(fmt::format(
      "Patterns from {} inputs of the same file; the paper takes them from 500 of the training set.",
      trigger_sources));
  made.tables.push_back(std::move(table));
  made.findings.push_back(
      {"tokens with extreme attribution change other inputs' answers", outcome_if(worst > 0.1),
       fmt::format("the largest fall of a label's accuracy is {} points", figure(100 * worst, 1))});
}

Reproduced run(const ReproduceRequest& request) {
  const ModelInfo& info = request.engine.info();
  if (info.task != Task::TextClassification)
    throw Unsupported(fmt::format(
        "hao2021: {} is no text classifier; fine-tune one with tools/train/finetune.py, or use the shipped "
        "model sentiment",
        info.architecture));
  const std::string file = data_file(request.data, {"dev.tsv", "msr_paraphrase_test.txt"});
  const std::vector<LabelledInput> inputs = read_examples(file, request.limit);
  Reproduced made{.here = {described(info), fmt::format("{} inputs of {}", inputs.size(), file)},
                  .tables = {},
                  .findings = {}};
  add_pruning(made, request, inputs);
  add_trees(made, request, inputs);
  add_triggers(made, request, inputs);
  return made;
}

}  // namespace

extern const Reproduction hao2021;
const Reproduction hao2021{
    .name = "hao2021",
    .paper = "Hao, Dong, Wei & Xu, 2021: Self-Attention Attribution. AAAI",
    .summary = "Which heads, paths and tokens does an answer depend on?",
    .published_with =
        "BERT-base cased, fine-tuned on MNLI, RTE, SST-2 and MRPC; heads ranked on 200 inputs, accuracy on "
        "all of dev",
    .model = "a text classifier: BERT-base fine-tuned by tools/train/finetune.py, or sentiment",
    .data = "the task's folder: SST-2, RTE (dev.tsv) or MRPC (msr_paraphrase_test.txt)",
    .limit = 200,
    .run = run};

}  // namespace headwater
