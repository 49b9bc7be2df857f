#include "selftest/check.h"

#include <algorithm>
#include <numbers>

#include <fmt/format.h>

#include "selftest/properties.h"
#include "study/checks.h"

namespace headwater {
namespace {

struct TestInput {
  std::string name;
  Batch batch;
};

// Texts of three lengths that every tokenizer can read.
std::vector<Input> own_texts(Task task) {
  std::vector<Input> inputs;
  for (const char* text :
       {"Not bad at all.", "The old man who wrote the book was happy to see her again.",
        "It is true that the second half is slower than the first one, but what it says about "
        "us stays with you for a long time."})
    inputs.push_back({.text = text, .truncate = true});
  if (task == Task::QuestionAnswering)
    for (Input& input : inputs) {
      input.pair = input.text;
      input.text = "What is it?";
    }
  return inputs;
}

// Waves of two directions and three lengths, in the range of normalised pixels.
std::vector<TestInput> own_pictures(const ModelInfo& info) {
  std::vector<TestInput> made;
  const Index C = info.channels, S = info.image_size;
  for (const int waves : {1, 3, 7}) {
    std::vector<double> pixels;
    for (Index c = 0; c < C; ++c)
      for (Index y = 0; y < S; ++y)
        for (Index x = 0; x < S; ++x) {
          const double across = static_cast<double>(c % 2 == 0 ? x : y) / static_cast<double>(S);
          pixels.push_back(std::sin(2 * std::numbers::pi * waves * across + static_cast<double>(c)));
        }
    made.push_back({fmt::format("{} wave{}", waves, waves == 1 ? "" : "s"),
                    {.pixels = Tensor::of({1, C, S, S}, pixels, info.dtype)}});
  }
  return made;
}

// The row of a token-wise head that is tested: one that all tokens may reach.
std::vector<int> asked_row(const ModelInfo& info, const Batch& batch) {
  const bool token_wise = is_vocabulary(info.task) || info.task == Task::TokenClassification;
  if (!token_wise || written(batch).empty()) return {};
  const int rows = static_cast<int>(written(batch).front().size());
  return {info.last().causal ? rows - 1 : rows / 2};
}

std::vector<TestInput> test_inputs(const LoadedModel& loaded, std::span<const Input> inputs) {
  const ModelInfo& info = loaded.info();
  if (inputs.empty() && !loaded.tokenizer) return own_pictures(info);
  const std::vector<Input> own = inputs.empty() ? own_texts(info.task) : std::vector<Input>{};
  std::vector<TestInput> made;
  for (const Input& input : inputs.empty() ? std::span<const Input>(own) : inputs) {
    Prepared prepared = prepare(loaded, input);
    prepared.batch.positions = asked_row(info, prepared.batch);
    made.push_back({input.image.empty() ? input.text : input.image, std::move(prepared.batch)});
  }
  return made;
}

}  // namespace

ModelTest test_model(const LoadedModel& loaded, const LoadedModel& exact, std::span<const Input> inputs,
                     const std::function<void(const Progress&)>& progress) {
  ModelTest test{.model = loaded.info()};
  const std::vector<TestInput> all = test_inputs(loaded, inputs);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const TestInput& input = all[i];
    if (progress)
      progress({.method = "check", .done = static_cast<double>(i) / static_cast<double>(all.size())});
    test.inputs.push_back(input.name);
    test.longest = std::max(test.longest, static_cast<int>(units_of(test.model, input.batch).all.size()));
    std::vector<TestedProperty> found = tested_properties(*loaded.model, *exact.model, input.batch);
    for (TestedProperty& property : found) property.worst = input.name;
    if (test.properties.empty()) {
      test.properties = std::move(found);
      continue;
    }
    for (std::size_t p = 0; p < found.size(); ++p)
      if (found[p].applies && (!test.properties[p].applies || is_worse(found[p], test.properties[p])))
        test.properties[p] = std::move(found[p]);
  }
  return test;
}

}  // namespace headwater
