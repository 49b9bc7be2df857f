#include "support/sample_report.h"

#include "image/image.h"
#include "methods/method.h"
#include "study/map_checks.h"
#include "support/fakes.h"

namespace headwater::testing {

namespace {

Tensor stacked(Index layers, Index heads, Index tokens, bool causal) {
  std::vector<double> all;
  for (Index layer = 0; layer < layers; ++layer) {
    const std::vector<double> one = some_pattern(heads, tokens, static_cast<int>(layer), causal).to_doubles();
    all.insert(all.end(), one.begin(), one.end());
  }
  Tensor scores = Tensor::of({layers, heads, tokens, tokens}, all, DType::Float32);
  if (causal) forbid_future(scores);
  return scores;
}

void fill(Report& report, Index tokens) {
  report.model.architecture = "BertForSequenceClassification";
  report.model.last().layers = report.model.last().heads = 2;
  report.model.parameters = 1234;
  report.record = {.version = "0.1.0",
                   .model = "sentiment",
                   .model_type = "bert",
                   .architecture = report.model.architecture,
                   .weights_sha256 = std::string(64, 'a'),
                   .tokenizer_sha256 = std::string(64, 'b'),
                   .dtype = "float32",
                   .threads = 2,
                   .kernels = {{"gemm", "avx512"}},
                   .seconds = 0.25};
  const bool causal = report.model.last().causal;
  report.read = {{.sequence = 0, .row = causal ? tokens - 1 : 0}};
  report.attributions.push_back({.method = "attention",
                                 .options = {{"heads", "all"}},
                                 .maps = {{.axes = {Axis::Layer, Axis::Head, Axis::Query, Axis::Key},
                                           .values = stacked(2, 2, tokens, causal)}},
                                 .checks = {{"rows sum to 1", true, 1e-8, 1e-5}},
                                 .notes = {"The largest raw weight is 0.5."}});
  report.attributions.push_back(
      {.method = "attention_rollout",
       .options = {{"residual", "0.5"}, {"fusion", "mean"}},
       .maps = {{.axes = {Axis::Layer, Axis::Query, Axis::Key},
                 .values = stacked(2, 1, tokens, causal).reshaped({2, tokens, tokens})}},
       .checks = {{"rows sum to 1", false, 0.5, 1e-5}}});
  stamp(report);
  report.asked.input = {.text = report.text, .pair = {}, .image = report.image};
  report.asked.methods = {{.name = "attention"}, {.name = "attention_rollout"}};
  report.asked.target.label = report.target.label;
}

}  // namespace

Attribution stamped(Attribution result) {
  result.traits = find_method(result.method).traits_of(result);
  return result;
}

void stamp(Report& report) {
  for (Attribution& result : report.attributions) result = stamped(std::move(result));
}

Report text_report() {
  Report report{.text = "not bad!"};
  report.model.task = report.prediction.task = Task::TextClassification;
  report.prediction.units = {{.id = 101, .piece = "[CLS]", .text = "[CLS]", .special = true},
                             {.id = 7, .piece = "not", .text = "not", .begin = 0, .end = 3, .word = 0},
                             {.id = 8, .piece = "bad", .text = "bad", .begin = 4, .end = 7, .word = 1},
                             {.id = 9, .piece = "!", .text = "!", .begin = 7, .end = 8, .word = 2},
                             {.id = 102, .piece = "[SEP]", .text = "[SEP]", .special = true}};
  report.prediction.outcomes = {
      {.position = -1, .top = {{"POSITIVE", 1, 0.9, 1.25}, {"NEGATIVE", 0, 0.1, -0.5}}}};
  report.prediction.logits = {-0.5, 1.25};
  report.target = {.index = 1, .label = "POSITIVE", .logit = 1.25, .probability = 0.9};
  fill(report, 5);
  return report;
}

Report causal_report() {
  Report report{.text = "Once upon a"};
  report.model.task = report.prediction.task = Task::TextGeneration;
  report.model.last().causal = true;
  report.prediction.units = {{.id = 1, .piece = "▁Once", .text = "Once", .begin = 0, .end = 4, .word = 0},
                             {.id = 2, .piece = "▁upon", .text = " upon", .begin = 4, .end = 9, .word = 1},
                             {.id = 3, .piece = "▁a", .text = " a", .begin = 9, .end = 11, .word = 2}};
  report.prediction.outcomes = {{.position = 2, .top = {{" time", 931, 0.75, 9.5}, {" day", 17, 0.1, 7}}}};
  report.target = {.position = 2, .index = 931, .label = " time", .logit = 9.5, .probability = 0.75};
  fill(report, 3);
  report.asked.target.label = "#931";
  return report;
}

Report image_report() {
  Report report{.image = "cat.png", .picture = encode_png({8, 8, std::vector<std::uint8_t>(192, 50)})};
  report.model.task = report.prediction.task = Task::ImageClassification;
  report.model.last().modality = Modality::Image;
  report.model.image_size = 8;
  report.model.patch_size = 4;
  report.model.prefix_tokens = 1;
  report.prediction.sequences = {
      {.name = "image", .modality = Modality::Image, .first = 0, .count = 5, .rows = 2, .columns = 2}};
  report.prediction.units = {{.id = -1, .text = "[CLS]", .special = true},
                             {.id = -1, .text = "(0, 0)"},
                             {.id = -1, .text = "(0, 1)"},
                             {.id = -1, .text = "(1, 0)"},
                             {.id = -1, .text = "(1, 1)"}};
  report.prediction.outcomes = {{.position = -1, .top = {{"cat", 3, 0.8, 2}, {"dog", 5, 0.2, 0.5}}}};
  report.prediction.logits = {0, 0, 0, 2, 0, 0.5};
  report.target = {.index = 3, .label = "cat", .logit = 2, .probability = 0.8};
  fill(report, 5);
  return report;
}

}  // namespace headwater::testing
