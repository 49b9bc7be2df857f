// Chefer, Gur & Wolf, 2021. Maps of relevance against five others, and against themselves without a part:
//
//   pictures  perturbation: the area under accuracy as pixels are made black, the highest of the map first
//             (positive, lower is better) and the lowest first (negative, higher is better);
//             segmentation: pixels above the map's mean against the object's mask
//   texts     token F1 of the highest words against those that people marked (ERASER), for 10 to 80 words
#include <set>

#include <fmt/format.h>
#include <headwater/error.h>

#include "evaluation/data/evaluation_reader.h"
#include "reproductions/reproduction.h"
#include "reproductions/shared/data.h"
#include "reproductions/shared/evaluations.h"
#include "reproductions/shared/maps.h"

namespace headwater {
namespace {

using Cells = std::map<std::string, EvaluationCell>;

// ViT-base on ImageNet: perturbation of the predicted class, and ImageNet-Segmentation. A star: confirmed by
// more than memory; the others could not be.
struct PublishedRow {
  const char *name, *positive, *negative, *pixel_accuracy, *precision, *iou;
};
constexpr PublishedRow published[]{
    {"chefer", "17.03*", "54.16*", "79.70", "86.03", "61.95"},
    {"attention_rollout", "20.05", "53.1*", "73.54", "84.76", "55.42"},
    {"raw_attention", "23.99", "45.55", "67.84", "80.24", "46.37"},
    {"grad_cam", "34.06", "41.52*", "64.44", "71.60", "40.82"},
    {"lrp", "41.94", "43.49", "51.09", "55.68", "32.89"},
    {"partial_lrp", "19.64", "50.49", "76.31", "84.67", "57.94"},
    {"chefer without gradient", "18.23", "52.88", "77.66", "85.66", "59.88"},
    {"chefer, last block", "18.01", "52.43", "78.32", "85.25", "59.93"},
    {"chefer, first block", "27.33", "37.42", "60.30", "73.63", "39.06"},
};

std::vector<NamedMethod> compared_methods() {
  std::vector<NamedMethod> methods;
  for (const char* name : {"chefer", "attention_rollout", "raw_attention", "grad_cam", "lrp", "partial_lrp"})
    methods.push_back({name, {.name = name}});
  return methods;
}

// One at a time: they are one method with other options.
std::vector<NamedMethod> ablations() {
  return {{"chefer without gradient", {.name = "chefer", .options = {{"without_gradient", "yes"}}}},
          {"chefer, last block", {.name = "chefer", .options = {{"block", "last"}}}},
          {"chefer, first block", {.name = "chefer", .options = {{"block", "first"}}}}};
}

Cells measured_by(const ReproduceRequest& request, const EvaluationPlan& plan, const MetricSpec& metric) {
  Cells cells = evaluated(request.engine, plan, compared_methods(), metric);
  for (const NamedMethod& ablation : ablations())
    cells[ablation.name] = evaluated(request.engine, plan, {ablation}, metric).at(ablation.name);
  return cells;
}

std::vector<EvaluationExample> some_of(std::vector<EvaluationExample> all, std::size_t limit) {
  std::vector<EvaluationExample> chosen;
  for (const std::size_t i : evenly_spaced(all.size(), limit)) chosen.push_back(std::move(all[i]));
  return chosen;
}

double value_in(const Cells& cells, const char* name) {
  return cells.at(name).value;
}

void judge_best(Reproduced& made, const std::string& claim, const Cells& cells, Better better) {
  const Lead lead = lead_of("chefer", cells, compared_methods(), better);
  made.findings.push_back(
      {claim, lead.decided ? outcome_if(lead.leads) : Finding::Outcome::Unclear, lead.evidence});
}

void reproduce_pictures(const ReproduceRequest& request, Reproduced& made) {
  EvaluationPlan plan{.examples = some_of(read_masked_pictures(request.data, 0).examples, request.limit),
                      .seed = request.seed,
                      .progress = request.progress};
  std::set<std::string> golds;
  for (const EvaluationExample& example : plan.examples) golds.insert(example.gold);
  made.here.push_back(
      fmt::format("{} pictures of {} with masks, of {} labels, in place of 50,000 of ImageNet and 4,276 of "
                  "ImageNet-Segmentation",
                  plan.examples.size(), request.data, golds.size()));
  const Cells positive = measured_by(request, plan, {"pixel_perturbation", {{"order", "most"}}}),
              negative = measured_by(request, plan, {"pixel_perturbation", {{"order", "least"}}}),
              accuracy = measured_by(request, plan, {"pixel_accuracy", {}}),
              precision = measured_by(request, plan, {"mask_precision", {}}),
              iou = measured_by(request, plan, {"mean_iou", {}});
  FigureTable perturbation{.title = "Perturbation: area under accuracy, pixels made black (x = 0 … 0.9)",
                           .header = {"method", "positive ↓", "published", "negative ↑", "published"},
                           .rows = {},
                           .notes = {}},
      segmentation{
          .title = "Segmentation: pixels above the map's mean against the mask, %",
          .header = {"method", "pixel accuracy", "published", "mAP", "published", "mIoU", "published"},
          .rows = {},
          .notes = {}};
  const auto add = [&](const char* name, const PublishedRow& row) {
    perturbation.rows.push_back(
        {name, interval(positive.at(name), 1), row.positive, interval(negative.at(name), 1), row.negative});
    segmentation.rows.push_back({name, interval(accuracy.at(name), 1, 100), row.pixel_accuracy,
                                 interval(precision.at(name), 1, 100), row.precision,
                                 interval(iou.at(name), 1, 100), row.iou});
  };
  for (const PublishedRow& row : published) add(row.name, row);
  add("random", {"random", "–", "–", "–", "–", "–"});
  const double labels = static_cast<double>(request.engine.info().labels.size()),
               whole = positive.at("random").curve.front();
  perturbation.notes.push_back(fmt::format(
      "Published: ViT-base on ImageNet, the predicted class; a star marks what is confirmed, the "
      "others are as remembered. The model here is right on {} of the whole pictures, which is an "
      "area of {} if no answer changes; a guess among its {:.0f} labels has {}. Areas are not "
      "comparable with the published ones, only their order.",
      percent(whole), figure(90 * whole, 1), labels, figure(90 / labels, 1)));
  segmentation.notes.emplace_back(
      "Published figures of segmentation and ablation are as remembered, not confirmed.");
  made.tables.push_back(std::move(perturbation));
  made.tables.push_back(std::move(segmentation));
  judge_best(made, "relevance has the best positive perturbation", positive, Better::Lower);
  judge_best(made, "relevance has the best negative perturbation", negative, Better::Higher);
  judge_best(made, "relevance segments best (mIoU)", iou, Better::Higher);
  made.findings.push_back(
      {"the whole method segments better than the last block alone, and that better than the first",
       outcome_if(value_in(iou, "chefer") >= value_in(iou, "chefer, last block") &&
                  value_in(iou, "chefer, last block") >= value_in(iou, "chefer, first block")),
       fmt::format("mIoU {}, {}, {}", figure(100 * value_in(iou, "chefer"), 1),
                   figure(100 * value_in(iou, "chefer, last block"), 1),
                   figure(100 * value_in(iou, "chefer, first block"), 1))});
}

void reproduce_rationales(const ReproduceRequest& request, Reproduced& made) {
  EvaluationPlan plan{.examples = some_of(read_eraser(request.data, 0).examples, request.limit),
                      .explained = EvaluateRequest::Explained::Gold,
                      .gold_labels = {{"NEG", "NEGATIVE"}, {"POS", "POSITIVE"}},
                      .seed = request.seed,
                      .progress = request.progress};
  for (EvaluationExample& example : plan.examples) example.input.truncate = true;
  made.here.push_back(fmt::format("{} reviews of {}, cut to the model's {} tokens", plan.examples.size(),
                                  request.data, request.engine.info().positions));
  const Cells cells = measured_by(request, plan, {"token_f1", {}});
  FigureTable table{.title = "Token F1 against the words people marked",
                    .header = {"method", "mean over 10 … 80 words", "10 words", "80 words"},
                    .rows = {},
                    .notes = {"Published as a figure: F1 between 0 and 0.25; order from the top: chefer, "
                              "partial_lrp, raw_attention, "
                              "grad_cam, lrp, attention_rollout."}};
  for (const auto& [name, cell] : cells)
    table.rows.push_back({name, interval(cell, 3), cell.curve.empty() ? "–" : figure(cell.curve.front(), 3),
                          cell.curve.empty() ? "–" : figure(cell.curve.back(), 3)});
  made.tables.push_back(std::move(table));
  judge_best(made, "relevance finds the words people marked best", cells, Better::Higher);
  made.findings.push_back(
      {"attention rollout finds them least of the six", outcome_if([&] {
         for (const NamedMethod& method : compared_methods())
           if (value_in(cells, method.name.c_str()) < value_in(cells, "attention_rollout")) return false;
         return true;
       }()),
       fmt::format("rollout {}, random {}", figure(value_in(cells, "attention_rollout"), 3),
                   figure(value_in(cells, "random"), 3))});
}

Reproduced run(const ReproduceRequest& request) {
  const ModelInfo& info = request.engine.info();
  Reproduced made{.here = {described(info)}, .tables = {}, .findings = {}};
  if (info.task == Task::ImageClassification)
    reproduce_pictures(request, made);
  else if (info.task == Task::TextClassification)
    reproduce_rationales(request, made);
  else
    throw Unsupported(fmt::format(
        "chefer2021: {} is no classifier; use a ViT for pictures or a text classifier for rationales",
        info.architecture));
  return made;
}

}  // namespace

extern const Reproduction chefer2021;
const Reproduction chefer2021{
    .name = "chefer2021",
    .paper = "Chefer, Gur & Wolf, 2021: Transformer Interpretability Beyond Attention Visualization. CVPR",
    .summary = "Does relevance through attention find what matters better than other maps?",
    .published_with =
        "ViT-base on ImageNet (perturbation, segmentation); BERT-base fine-tuned on ERASER's movie reviews "
        "(rationales)",
    .model = "an image classifier such as vision, or a sentiment classifier",
    .data = "pictures with masks (images/, masks/ or trimaps/, list.txt), or ERASER's movie reviews",
    .limit = 100,
    .run = run};

}  // namespace headwater
