// The norm family on a model of BERT-base shape with random weights: time, and peak resident memory over the
// weights.
//
//   norms_bench [TOKENS [THREADS [MAX_MEMORY_MIB [METHOD]]]]
//
// The defaults are 512, 2, 0 (no bound) and every method.
//
// Each method runs in a process of its own, planned as `headwater explain` plans it. Resident memory is the
// process's high-water mark (VmHWM, set back before the run) less what was resident before it; buffers that
// the making of the weights left in the pool count as the run's.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include <headwater/error.h>

#include "base/parallel.h"
#include "blocks/transformer.h"
#include "engine/jobs.h"

namespace headwater {
namespace {

class RandomBert : public Model {
 public:
  RandomBert() {
    info_.family = info_.model_type = "bert";
    info_.architecture = "RandomBert";
    info_.last().layers = info_.last().heads = info_.last().groups = 12;
    info_.last().head_width = 64;
    info_.last().width = 768;
    info_.last().feed_forward = 3072;
    info_.plain_blocks = true;
    info_.vocabulary = 30522;
    info_.positions = 4096;
    for (int l = 0; l < info_.last().layers; ++l) {
      const Index D = info_.last().width, F = info_.last().feed_forward;
      blocks_.push_back(
          {.attention =
               AttentionWeights{
                   .q = linear_of(D, D), .k = linear_of(D, D), .v = linear_of(D, D), .out = linear_of(D, D)},
           .attention_norm = norm_of(D),
           .mlp = MlpWeights{.gate = {}, .up = linear_of(F, D), .down = linear_of(D, F)},
           .mlp_norm = norm_of(D)});
    }
  }

 protected:
  Var forward(Tape& tape, const Batch& batch) const override {
    const auto T = static_cast<Index>(batch.ids.front().size());
    Tensor input({1, T, info_.last().width}, DType::Float32);
    fill(input, 1, 0);
    Var x = tape.leaf(input, Site::ResidPre);
    for (std::size_t l = 0; l < blocks_.size(); ++l)
      x = post_norm_block(x, blocks_[l], {.layout = layout}, {.layer = static_cast<int>(l)});
    return select(x, {0}, Site::Logits);
  }

 private:
  static constexpr HeadLayout layout{.heads = 12, .groups = 12, .scale = 0.125, .causal = false};

  // Uniform in offset ± √3 deviation.
  static void fill(Tensor& tensor, double deviation, double offset) {
    std::uint64_t state = 88172645463325252ULL + static_cast<std::uint64_t>(tensor.size());
    for (Index i = 0; i < tensor.size(); ++i) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      const double unit = static_cast<double>(state >> 11) / 9007199254740992.0 * 2 - 1;
      tensor.data<float>()[i] = static_cast<float>(offset + 1.7320508 * deviation * unit);
    }
  }
  static LinearWeights linear_of(Index out, Index in) {
    Tensor weight({out, in}, DType::Float32), bias({out}, DType::Float32);
    fill(weight, 0.04, 0);
    fill(bias, 0.02, 0);
    return {.weight = std::make_shared<Matrix>(weight), .bias = bias};
  }
  static NormWeights norm_of(Index width) {
    Tensor gamma({width}, DType::Float32), beta({width}, DType::Float32);
    fill(gamma, 0.1, 1);
    fill(beta, 0.1, 0);
    return {.gamma = gamma, .beta = beta, .eps = 1e-12};
  }

  std::vector<BlockWeights> blocks_;
};

double mebibytes_of(std::size_t bytes) {
  return static_cast<double>(bytes) / (1 << 20);
}

double status_mebibytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == key + ":") {
      double kibibytes = 0;
      status >> kibibytes;
      return kibibytes / 1024;
    }
  return 0;
}

void measure(const std::string& name, int tokens, std::size_t max_memory) {
  const RandomBert model;
  Request request;
  request.methods = {{.name = name}};
  const std::vector<Job> jobs = jobs_of(request, model.info());
  const MemoryPlan plan = plan_memory(jobs, model.info(), tokens, 1, max_memory);
  Study study(model, Batch{.ids = {std::vector<int>(static_cast<std::size_t>(tokens), 7)}}, {});
  study.keep_only(plan.sites, plan.window);
  study.scratch = plan.scratch;
  std::ofstream("/proc/self/clear_refs") << 5;
  const double before = status_mebibytes("VmRSS") - mebibytes_of(tensor_pool_statistics().pooled_bytes);
  const auto seconds = [start = std::chrono::steady_clock::now()] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  study.logits();
  const double forward = seconds();
  const Attribution result = run_job(jobs.front(), study);
  std::printf(
      "%-24s T=%d forward %.2f s, all %.2f s, peak %.0f MiB over the weights, planned %.0f MiB, checks %s\n",
      name.c_str(), tokens, forward, seconds(), status_mebibytes("VmHWM") - before, mebibytes_of(plan.total),
      std::all_of(result.checks.begin(), result.checks.end(), [](const Check& c) { return c.passed; })
          ? "green"
          : "RED");
}

int run(int argc, char** argv) {
  const auto argument = [&](int k, int otherwise) { return argc > k ? std::atoi(argv[k]) : otherwise; };
  const int tokens = argument(1, 512), threads = argument(2, 2), max_mebibytes = argument(3, 0);
  if (argc > 4) {
    set_thread_count(threads);
    measure(argv[4], tokens, static_cast<std::size_t>(max_mebibytes) << 20);
    return 0;
  }
  int failed = 0;
  for (const std::string name :
       {"attention_norm", "attention_norm_res", "attention_norm_res_ln", "globenc", "alti"}) {
    const std::string command = std::string(argv[0]) + " " + std::to_string(tokens) + " " +
                                std::to_string(threads) + " " + std::to_string(max_mebibytes) + " " + name;
    failed += std::system(command.c_str()) != 0;  // NOLINT(cert-env33-c): our own program
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace headwater

int main(int argc, char** argv) {
  try {
    return headwater::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
