// Attention attribution timed, counted and written out, so that a peer can be timed in turn with it and both
// compared with a finer rule.
//
//   attattr_bench MODEL_FOLDER THREADS
//
// Reads commands from standard input and answers each with one line:
//
//   ids N i1 … iN     the input; the target is the prediction's probability
//   cpu               times are processor time over all threads from now on, for machines with other work
//   scratch M         from now on copies run together within M MiB; 0: one at a time
//   attattr           runs the adaptive default: milliseconds
//   gauss N           the same with N Gauss nodes in every layer
//   forward           one forward run: milliseconds
//   nodes, flop       evaluations by layer and TFLOP of the last attribution
//   write FILE        its scores [L, H, T, T] as float32
//   memory            MiB of tensor memory at the peak of the last attribution, beyond weights and kept values
//
// bench/peers/attattr_torch.py drives it.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>

#include <headwater/error.h>

#include "base/parallel.h"
#include "explain/attention_attribution.h"
#include "models/family.h"

namespace headwater {
namespace {

class Subject {
 public:
  Subject(const Model& model, std::vector<int> ids) : study_(model, {.ids = {std::move(ids)}}, {}) {
    study_.keep_only(attention_attribution_sites(), 0);
    const std::vector<double> logits = study_.logits().to_doubles();
    const auto best = std::max_element(logits.begin(), logits.end());
    study_.aim({.position = -1, .index = static_cast<int>(best - logits.begin())});
  }

  void attribute(const AttentionAttributionOptions& options) {
    reset_tensor_pool_peak();
    const std::size_t before = tensor_pool_statistics().live_bytes;
    last_ = attribute_attention(study_, Objective(study_, Quantity::Probability), options);
    peak_ = tensor_pool_statistics().peak_bytes - before;
  }
  void forward() { study_.run({}); }
  void scratch(std::size_t mebibytes) { study_.scratch = mebibytes << 20; }
  const AttentionAttribution& last() const { return last_; }
  double peak_mebibytes() const { return static_cast<double>(peak_) / (1 << 20); }
  void write(const std::string& path) const {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(last_.scores().data<float>()),
               static_cast<std::streamsize>(last_.scores().size() * 4));
  }

 private:
  Study study_;
  AttentionAttribution last_;
  std::size_t peak_ = 0;
};

void serve(const Model& model) {
  bool cpu = false;
  const auto now = [&cpu] {
    if (cpu) return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  const auto timed = [&](const auto& work) {
    const double start = now();
    work();
    std::cout << now() - start;
  };
  std::optional<Subject> subject;
  std::string what;
  while (std::cin >> what) {
    if (what == "ids") {
      std::size_t count = 0;
      std::cin >> count;
      std::vector<int> ids(count);
      for (int& id : ids) std::cin >> id;
      subject.emplace(model, std::move(ids));
    } else if (what == "cpu") {
      cpu = true;
    } else if (!subject) {
      throw InputError("attattr_bench: expected ids first, found " + what);
    } else if (what == "scratch") {
      std::size_t mebibytes = 0;
      std::cin >> mebibytes;
      subject->scratch(mebibytes);
    } else if (what == "attattr") {
      timed([&] { subject->attribute({}); });
    } else if (what == "gauss") {
      int nodes = 0;
      std::cin >> nodes;
      timed([&] { subject->attribute({.nodes = quadrature(rule_of("gauss"), nodes)}); });
    } else if (what == "forward") {
      timed([&] { subject->forward(); });
    } else if (what == "nodes") {
      for (const int n : subject->last().nodes) std::cout << n << ' ';
    } else if (what == "flop") {
      std::cout << subject->last().flop / 1e12;
    } else if (what == "memory") {
      std::cout << subject->peak_mebibytes();
    } else if (what == "write") {
      std::string path;
      std::cin >> path;
      subject->write(path);
    }
    std::cout << std::endl;
  }
}

}  // namespace
}  // namespace headwater

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: attattr_bench MODEL_FOLDER THREADS\n";
    return 2;
  }
  try {
    headwater::set_thread_count(std::atoi(argv[2]));
    headwater::serve(*headwater::load_model(
        headwater::open_checkpoint(headwater::find_model(argv[1], {}), headwater::DType::Float32)));
  } catch (const headwater::Error& e) {
    std::cerr << "attattr_bench: " << e.what() << '\n';
    return e.exit_code();
  }
  return 0;
}
