// The memory law: with no more allowed than the plan calls the least,
//
//   used ≤ planned          every method, every family, both types, short and longer inputs
//   planned ≤ 6 used        longer inputs of wide models: a plan far too high refuses what would fit
//
// `used` is the most that was live on the heap at one time, from the making of the study to the result, above
// the loaded model: tensors, vectors, and copies of weights made on the way. Short inputs are run in float32
// alone, where what a plan forgot is largest beside the rest, and images as long as they are.

#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <headwater/engine.h>
#include <headwater/error.h>

#include "base/parallel.h"
#include "engine/jobs.h"
#include "study/inputs.h"
#include "study/memory.h"
#include "support/heap_meter.h"
#include "support/memory_bound.h"
#include "support/random_models.h"
#include "support/source_folder.h"
#include "support/tiny_models.h"
#include "tensor/pool.h"

namespace headwater::testing {
namespace {

constexpr std::size_t far_too_high = 6;

using Options = std::map<std::string, std::string>;

struct Asked {
  const Method* method;
  Options options;
  std::string aggregate;
};

std::string describe(const Asked& asked) {
  std::string text{asked.method->name};
  for (const auto& [name, value] : asked.options) text.append(" ").append(name).append("=").append(value);
  return text + " " + asked.aggregate;
}

Index tokens_in(const ModelInfo& info, int tokens) {
  return info.image_size > 0 ? fixed_units(info) : tokens;
}

// Every method that means something for the model. Those that take many samples take few here.
std::vector<Asked> methods_for(const ModelInfo& info, int tokens) {
  const std::string samples = std::to_string(4 * tokens_in(info, tokens) + 8);
  const std::map<std::string_view, Options> fewer{
      {"kernel_shap", {{"samples", samples}}},
      {"lime", {{"samples", samples}}},
      {"smooth_grad", {{"samples", "6"}}},
      {"integrated_gradients", {{"max_steps", "16"}}},
      {"attattr", {{"tolerance", "1"}}},
      {"hidden_token_attribution", {{"mode", "guided"}, {"k", "4"}, {"m", "2"}}}};
  std::vector<Asked> all;
  for (const Method* method : all_methods()) {
    if (method->unsupported != nullptr && !method->unsupported(info).empty()) continue;
    if (method->needs_target && info.task == Task::FeatureExtraction) continue;
    const auto found = fewer.find(method->name);
    all.push_back({method, found == fewer.end() ? Options{} : found->second, ""});
  }
  return all;
}

// Each of its words in place of the default, one option at a time, and each aggregate.
std::vector<Asked> variants_of(const Asked& asked) {
  std::vector<Asked> all;
  for (const MethodOption& option : asked.method->options)
    for (std::string_view left = option.type; left.find('|') != std::string_view::npos || !left.empty();) {
      const std::size_t bar = left.find('|');
      const std::string_view word = left.substr(0, bar);
      left = bar == std::string_view::npos ? std::string_view() : left.substr(bar + 1);
      if (option.type.find('|') == std::string_view::npos || word == option.otherwise) continue;
      Asked other = asked;
      other.options[std::string(option.name)] = word;
      all.push_back(std::move(other));
    }
  if (asked.method->mixing != Mixing::None)
    for (const char* aggregate : {"rollout", "flow"}) all.push_back({asked.method, asked.options, aggregate});
  return all;
}

struct Measured {
  std::size_t planned, used;
};

// As the engine does it: planned, kept, aimed, run. `more`: bytes allowed beyond the least.
Measured measure(const Model& model, const Asked& asked, int tokens, std::size_t more = 0) {
  const ModelInfo& info = model.info();
  const std::vector<Job> jobs{{asked.method,
                               MethodOptions(asked.method->name, asked.method->options, asked.options),
                               asked.aggregate}};
  const pool::KeepNothing exact;
  const HeapMeter meter;
  Batch batch = random_batch(info, 1, tokens, 3);
  const bool vocabulary = info.task == Task::FillMask || info.task == Task::TextGeneration;
  if (vocabulary) batch.positions = {0, tokens - 1};
  Study study(model, std::move(batch), {});
  const Index rows = vocabulary ? 2 : study.size();
  const std::size_t least = plan_memory(jobs, info, study.size(), rows, 0).least;
  const MemoryPlan plan = plan_memory(jobs, info, study.size(), rows, least + more);
  if (!plan.sites.empty()) study.keep_only(plan.sites, plan.window);
  study.scratch = plan.scratch;
  study.special_ids = {.mask = 1, .unknown = 2, .pad = 0};
  const bool by_token = study.logits().rank() == 3;
  if (info.task != Task::FeatureExtraction) study.aim({.position = by_token ? study.size() - 1 : -1});
  run_job(jobs.front(), study);
  return {plan.total, meter.peak()};
}

std::unique_ptr<Model> wide_model(const char* folder, DType dtype) {
  return random_model({.folder = folder, .activation = "", .seed = 7, .widen = 4}, dtype);
}

class MemoryLaw : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!heap_is_metered()) GTEST_SKIP() << "sanitizers bring their own heap";
    set_thread_count(2);  // plans count what every thread may need, and so little work starts few
  }
  void TearDown() override { set_thread_count(threads_); }

 private:
  const int threads_ = thread_count();
};

TEST_F(MemoryLaw, NoMethodUsesMoreThanItsPlan) {
  std::set<std::pair<std::string, std::string_view>>
      exact;  // family and method that were measured in float64
  for (const DType dtype : {DType::Float32, DType::Float64})
    for (const TinyModel& tiny : tiny_models(dtype))
      for (const int tokens : {3, 12}) {
        if (tokens == 3 && (dtype == DType::Float64 || tiny.model->info().image_size > 0)) continue;
        for (const Asked& asked : methods_for(tiny.model->info(), tokens)) {
          // In float64 once for each family: its other heads differ in float32 already.
          if (dtype == DType::Float64 &&
              !exact.insert({tiny.model->info().family, asked.method->name}).second)
            continue;
          const Measured found = measure(*tiny.model, asked, tokens);
          EXPECT_LE(found.used, found.planned)
              << tiny.name << " " << describe(asked) << " " << name_of(dtype) << " " << tokens;
        }
      }
}

TEST_F(MemoryLaw, PlansOfWideModelsAreBoundsAndNotFarTooHigh) {
  for (const char* folder : {"bert_masked_lm", "roberta_question", "distilbert_token", "gpt2_causal_lm",
                             "llama_causal_lm", "vit_classification"})
    for (const DType dtype : {DType::Float32, DType::Float64}) {
      const auto model = wide_model(folder, dtype);
      for (const int tokens : {6, 32}) {
        if (tokens == 6 && (dtype == DType::Float64 || model->info().image_size > 0)) continue;
        for (const Asked& asked : methods_for(model->info(), tokens)) {
          const Measured found = measure(*model, asked, tokens);
          SCOPED_TRACE(std::string(folder) + " " + describe(asked) + std::string(name_of(dtype)) + " " +
                       std::to_string(tokens));
          EXPECT_LE(found.used, found.planned);
          if (tokens == 32) {
            EXPECT_LE(found.planned, far_too_high * found.used);
          }
        }
      }
    }
}

// What tiles are given beyond the least, they keep to.
TEST_F(MemoryLaw, TilesKeepToWhatTheyAreGiven) {
  for (const char* folder : {"bert_masked_lm", "llama_causal_lm", "vit_classification"}) {
    const auto model = wide_model(folder, DType::Float32);
    for (const Asked& asked : methods_for(model->info(), 24)) {
      if (!asked.method->tiles) continue;
      for (const std::size_t more : {std::size_t{1} << 19, std::size_t{1} << 22}) {
        const Measured found = measure(*model, asked, 24, more);
        EXPECT_LE(found.used, found.planned) << folder << " " << describe(asked) << " " << more;
      }
    }
  }
}

TEST_F(MemoryLaw, EveryOptionIsPlannedFor) {
  std::size_t measured = 0;
  for (const char* folder : {"bert_sequence", "llama_causal_lm"}) {
    const auto model = wide_model(folder, DType::Float32);
    for (const Asked& asked : methods_for(model->info(), 10))
      for (const Asked& variant : variants_of(asked)) {
        try {
          const Measured found = measure(*model, variant, 10);
          EXPECT_LE(found.used, found.planned) << folder << " " << describe(variant);
          ++measured;
        } catch (const InputError&) {  // does not go with the others, or not with this model
        } catch (const Unsupported&) {
        }
      }
  }
  EXPECT_GT(measured, 100U);
}

// The γ-rule multiplies by |W|, which of a head with a large vocabulary is more than all the rest.
TEST_F(MemoryLaw, ACopyOfTheHeadsWeightsIsRefusedWhereItDoesNotFit) {
  const auto model = wide_model("llama_causal_lm", DType::Float32);
  const ModelInfo& info = model->info();
  const Method& gamma = find_method("gamma_lrp");
  const std::size_t copy =
      static_cast<std::size_t>(info.vocabulary) * static_cast<std::size_t>(info.last().width) * sizeof(float);
  const std::vector<Job> jobs{{&gamma, MethodOptions(gamma.name, gamma.options, {}), ""}};
  EXPECT_GT(measure(*model, {&gamma, {}, ""}, 6).used, copy);
  EXPECT_THROW(plan_memory(jobs, info, 6, 1, copy), InputError);
}

// The whole way of a user's request: a bound that is said to be enough is.
TEST_F(MemoryLaw, ABoundThatIsAcceptedIsKept) {
  const pool::KeepNothing exact;
  const Engine engine = Engine::load(HEADWATER_SOURCE_DIR "/models/sentiment");
  const std::string text = "the film is slow at first, but the ending is great fun";
  engine.explain({.input = Input{.text = text}, .methods = {{"attention"}}});  // what is made once is made
  for (const Asked& asked : methods_for(engine.info(), 20)) {
    SCOPED_TRACE(describe(asked));
    Request request{.input = Input{.text = text},
                    .methods = {{.name = std::string(asked.method->name), .options = asked.options}}};
    const std::size_t least = least_accepted([&](std::size_t bytes) {
      request.max_memory = bytes;
      engine.planned_bytes(request);
    });
    request.max_memory = least - 1;
    EXPECT_THROW(engine.explain(request), InputError);
    request.max_memory = least;
    const HeapMeter meter;
    engine.explain(request);
    const std::size_t used = meter.peak();
    EXPECT_LE(used, least);
  }
}

}  // namespace
}  // namespace headwater::testing
