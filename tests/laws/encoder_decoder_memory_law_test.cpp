// The memory law (memory_law_test.cpp) for methods of token mixing on encoder–decoders, whose tokens are the
// units of source and prefix together:
//
//   used ≤ planned          with no more allowed than the least, and with some for tiles

#include <map>
#include <vector>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "base/parallel.h"
#include "engine/jobs.h"
#include "support/heap_meter.h"
#include "support/tiny_models.h"
#include "tensor/pool.h"

namespace headwater::testing {
namespace {

struct MixingJob {
  const char* method;
  std::map<std::string, std::string> options = {};
  const char* aggregate = "";
};

const std::vector<MixingJob> mixing_jobs{{"attention_norm"},
                                         {"attention_norm", {{"heads", "each"}}},
                                         {"attention_norm_res"},
                                         {"attention_norm_res", {{"normalise", "rows"}}, "rollout"},
                                         {"alti"},
                                         {"alti", {}, "rollout"},
                                         {"value_zeroing"},
                                         {"value_zeroing", {{"fold", "never"}}},
                                         {"value_zeroing", {{"fold", "keep"}}},
                                         {"effective_attention"},
                                         {"effective_attention", {{"sum_preserving", "true"}}},
                                         {"effective_attention", {{"smooth", "0.1"}}},
                                         {"hidden_token_attribution"},
                                         {"hidden_token_attribution", {{"norm", "gradxinput"}}}};

struct MixingMemory {
  std::size_t planned, used;
};

MixingMemory measure_mixing(const Model& model, const MixingJob& asked, int tokens, std::size_t more) {
  const ModelInfo& info = model.info();
  const Method& method = find_method(asked.method);
  const std::vector<Job> jobs{
      {&method, MethodOptions(method.name, method.options, asked.options), asked.aggregate}};
  const pool::KeepNothing exact;
  const HeapMeter meter;
  Study study(model, random_batch(info, 1, tokens, 3));
  const Index rows = study.size(study.written());
  const std::size_t least = plan_memory(jobs, info, study.size(), rows, 0).least;
  const MemoryPlan plan = plan_memory(jobs, info, study.size(), rows, least + more);
  study.scratch = plan.scratch;
  run_job(jobs.front(), study);
  return {plan.total, meter.peak()};
}

TEST(EncoderDecoderMemoryLaw, MixingUsesNoMoreThanItsPlan) {
  if (!heap_is_metered()) GTEST_SKIP() << "sanitizers bring their own heap";
  const int threads = thread_count();
  set_thread_count(2);
  int measured = 0;
  for (const DType dtype : {DType::Float32, DType::Float64})
    for (const TinyModel& tiny : all_tiny_models(dtype)) {
      if (!is_encoder_decoder(tiny.model->info())) continue;
      for (const MixingJob& job : mixing_jobs)
        for (const int tokens : {3, 12, 24})
          for (const std::size_t more : {std::size_t{0}, std::size_t{1} << 19}) {
            if (more > 0 && (!find_method(job.method).tiles || tokens == 3)) continue;
            if ((tokens == 12) != (dtype == DType::Float64)) continue;
            const MixingMemory found = measure_mixing(*tiny.model, job, tokens, more);
            EXPECT_LE(found.used, found.planned) << tiny.name << " " << job.method << " " << job.aggregate
                                                 << " " << name_of(dtype) << " " << tokens << " " << more;
            ++measured;
          }
    }
  EXPECT_GT(measured, 100);
  set_thread_count(threads);
}

}  // namespace
}  // namespace headwater::testing
