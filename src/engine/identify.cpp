#include "engine/identify.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/files.h"
#include "identifiability/identify.h"
#include "models/family.h"
#include "tensor/pool.h"

namespace headwater {
namespace {

std::string name_of_text(const IdentifyRequest& request, std::size_t t) {
  return t < request.names.size() ? request.names[t] : fmt::format("text {}", t + 1);
}

std::vector<ProbeText> encoded_texts(const LoadedModel& loaded, const IdentifyRequest& request,
                                     bool& truncated) {
  if (!loaded.tokenizer)
    throw Unsupported(
        fmt::format("identify: {} reads images; supported are text models", loaded.info().architecture));
  if (request.texts.empty()) throw InputError("texts: expected at least three, found none");
  std::vector<ProbeText> texts;
  for (std::size_t t = 0; t < request.texts.size(); ++t) {
    try {
      const Prepared prepared = prepare(loaded, request.texts[t]);
      ProbeText text{.ids = prepared.batch.ids.front(), .type_ids = {}, .special = {}};
      if (!prepared.batch.type_ids.empty()) text.type_ids = prepared.batch.type_ids.front();
      for (const Token& token : prepared.encoding.tokens) text.special.push_back(token.special);
      truncated = truncated || prepared.encoding.truncated;
      texts.push_back(std::move(text));
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", name_of_text(request, t), error.what()));
    }
  }
  return texts;
}

std::string hash_of(const std::vector<ProbeText>& texts) {
  std::string bytes;
  for (const ProbeText& text : texts) {
    for (const int id : text.ids) bytes += fmt::format("{} ", id);
    for (const int type : text.type_ids) bytes += fmt::format("{} ", type);
    bytes += '\n';
  }
  return sha256_hex(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

// Everything on which the numbers of a cell depend, except maps, distances and states, which are in the
// cells' names.
std::map<std::string, std::string> settings_of(const IdentifyRequest& request, const RunRecord& record,
                                               const std::vector<ProbeText>& texts) {
  const MlpOptions& mlp = request.mlp;
  return {{"version", record.version},
          {"weights", record.weights_sha256},
          {"tokenizer", record.tokenizer_sha256},
          {"dtype", record.dtype},
          {"texts", hash_of(texts)},
          {"target", std::string(name_of(request.target))},
          {"pool", std::string(name_of(request.pool))},
          {"folds", std::to_string(request.folds)},
          {"seed", std::to_string(request.seed)},
          {"ridge", fmt::format("{}", request.ridge)},
          {"mlp", fmt::format("hidden {}, learning rate {}, batch {}, patience {}, epochs {}", mlp.hidden,
                              mlp.learning_rate, mlp.batch, mlp.patience, mlp.epochs)}};
}

// The trained maps that reached the limit of epochs before early stopping.
void note_cut_training(IdentifyReport& report) {
  std::size_t cut = 0, trained = 0;
  for (const IdentifyCell& cell : report.cells) {
    if (cell.trained_on != cell.state) continue;
    trained += cell.epochs.size();
    cut += static_cast<std::size_t>(std::count(cell.epochs.begin(), cell.epochs.end(), report.mlp.epochs));
  }
  if (cut > 0)
    report.notes.push_back(
        fmt::format("{} of {} mlp maps reached the limit of {} epochs before early stopping; more --epochs "
                    "may raise their rates",
                    cut, trained, report.mlp.epochs));
}

}  // namespace

IdentifyReport identify_texts(const LoadedModel& loaded, const Checkpoint& identity,
                              const IdentifyRequest& request, RunRecord record) {
  const auto start = std::chrono::steady_clock::now();
  bool truncated = false;
  std::vector<ProbeText> texts = encoded_texts(loaded, request, truncated);
  check_identify(request, loaded.info(), *loaded.model);
  const std::size_t count = texts.size();
  std::size_t tokens = 0;
  for (const ProbeText& text : texts) tokens += text.ids.size();
  const std::map<std::string, std::string> settings = settings_of(request, record, texts);
  const ProbeCorpus corpus = corpus_of(std::move(texts), request);
  identify_memory(request, *loaded.model, corpus.texts);  // throws before the file is changed
  std::optional<pool::KeepNothing> bounded;               // otherwise free buffers would be added to the plan
  if (request.max_memory > 0) bounded.emplace();
  Finished finished(request.resume, settings);
  const auto untrained = [&] {
    Checkpoint fresh = open_checkpoint(identity.folder, loaded.info().dtype);
    fresh.weights = fresh.weights.untrained(request.seed, fresh.config.number("initializer_range", 0.02));
    return load_model(fresh);
  };
  IdentifyReport report = run_identify(request, *loaded.model, corpus, untrained, finished);
  report.texts = count;
  report.tokens = tokens;
  if (report.distinct_texts < count)
    report.notes.push_back(
        fmt::format("{} texts repeat another and stay in its part", count - report.distinct_texts));
  if (truncated) report.notes.emplace_back("some texts were cut to the model's length");
  note_cut_training(report);
  report.record = std::move(record);
  report.record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

IdentifyPlan plan_texts(const LoadedModel& loaded, const IdentifyRequest& request) {
  bool truncated = false;
  std::vector<ProbeText> texts = encoded_texts(loaded, request, truncated);
  check_identify(request, loaded.info(), *loaded.model);
  IdentifyPlan plan{.texts = texts.size()};
  for (const ProbeText& text : texts) plan.tokens += text.ids.size();
  const ProbeCorpus corpus = corpus_of(std::move(texts), request);
  const IdentifyMemory memory = identify_memory(request, *loaded.model, corpus.texts);
  plan.train_texts = corpus.train;
  plan.validation_texts = corpus.validation;
  plan.test_texts = corpus.test;
  plan.cells = cell_count(request, loaded.info());
  plan.bytes = memory.total;
  const int states = static_cast<int>(states_of(request, loaded.info()).size());
  plan.passes = (states + memory.window - 1) / std::max(1, memory.window);
  return plan;
}

}  // namespace headwater
