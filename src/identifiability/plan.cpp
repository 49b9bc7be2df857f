// What an identifiability run needs, and what it refuses, before anything is computed.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <headwater/error.h>

#include "identifiability/features.h"
#include "identifiability/identify.h"
#include "identifiability/matching.h"
#include "identifiability/mlp_map.h"
#include "numerics/linear_map.h"

namespace headwater {

std::string_view name_of(TokenMap map) {
  return map == TokenMap::Naive ? "naive" : map == TokenMap::Linear ? "linear" : "mlp";
}

std::string_view name_of(TokenDistance distance) {
  return distance == TokenDistance::Cosine ? "cosine" : "l2";
}

std::string_view name_of(TokenTarget target) {
  return target == TokenTarget::Word ? "word" : target == TokenTarget::Sum ? "sum" : "hidden";
}

std::string_view name_of(TokenPool pool) {
  return pool == TokenPool::Sentence ? "sentence" : "vocabulary";
}

namespace {

bool uses(const IdentifyRequest& request, TokenMap map) {
  return std::find(request.maps.begin(), request.maps.end(), map) != request.maps.end();
}

template <class T>
void require(bool good, std::string_view option, std::string_view expected, const T& found) {
  if (!good) throw InputError(fmt::format("{}: expected {}, found {}", option, expected, found));
}

template <class T>
void require_once(const std::vector<T>& list, std::string_view option) {
  require(!list.empty(), option, "at least one", "none");
  for (auto at = list.begin(); at != list.end(); ++at)
    if (std::find(list.begin(), at, *at) != at)
      throw InputError(fmt::format("{}: expected each once, found one twice", option));
}

Index target_width(const Model& model, TokenTarget target) {
  const Tensor words = model.words();
  return target == TokenTarget::Hidden || words.empty() ? model.info().last().width : words.dim(1);
}

}  // namespace

void check_identify(const IdentifyRequest& request, const ModelInfo& info, const Model& model) {
  require_once(request.maps, "map");
  require_once(request.distances, "distance");
  for (const int state : request.states)
    require(state >= 0 && state <= info.last().layers, "states", fmt::format("0 … {}", info.last().layers),
            state);
  require(request.ridge >= 0 && request.ridge < 1e300, "ridge", "a penalty of at least 0", request.ridge);
  require(request.mlp.hidden > 0, "hidden", "at least 1", request.mlp.hidden);
  require(request.mlp.batch > 0, "batch", "at least 1", request.mlp.batch);
  require(request.mlp.patience > 0, "patience", "at least 1", request.mlp.patience);
  require(request.mlp.epochs > 0, "epochs", "at least 1", request.mlp.epochs);
  require(request.mlp.learning_rate > 0 && request.mlp.learning_rate < 1, "learning-rate",
          "a number between 0 and 1", request.mlp.learning_rate);
  if (request.pool == TokenPool::Vocabulary && request.target != TokenTarget::Word)
    throw InputError(fmt::format(
        "pool: expected target word with a whole vocabulary, found {}, which depends on the place in a text",
        name_of(request.target)));
  if (model.words().empty())
    throw Unsupported(fmt::format("identify: {} has no table of word embeddings; supported are text models",
                                  info.architecture));
  const Index width = target_width(model, request.target);
  if (uses(request, TokenMap::Naive) && width != info.last().width)
    throw Unsupported(
        fmt::format("map naive: expected embeddings as wide as the hidden vectors ({}), found {}; use "
                    "--target hidden, or only learned maps",
                    info.last().width, width));
}

std::vector<int> states_of(const IdentifyRequest& request, const ModelInfo& info) {
  std::vector<int> states = request.states;
  if (states.empty()) {
    states.resize(as_size(info.last().layers) + 1);
    std::iota(states.begin(), states.end(), 0);
  }
  std::sort(states.begin(), states.end());
  states.erase(std::unique(states.begin(), states.end()), states.end());
  return states;
}

std::vector<int> tested_states(const IdentifyRequest& request, TokenMap map, int trained_on,
                               const std::vector<int>& states) {
  return request.across && map != TokenMap::Naive ? states : std::vector<int>{trained_on};
}

std::size_t cell_count(const IdentifyRequest& request, const ModelInfo& info) {
  const std::vector<int> states = states_of(request, info);
  std::size_t cells = 0;
  for (const TokenMap map : request.maps)
    cells += states.size() * tested_states(request, map, 0, states).size() * request.distances.size();
  return cells * as_size(request.folds) * (request.control ? 2 : 1);
}

ProbeCorpus corpus_of(std::vector<ProbeText> texts, const IdentifyRequest& request) {
  ProbeCorpus corpus{.texts = std::move(texts), .split = {}};
  corpus.split = split_texts(corpus.texts, request.folds, request.seed);
  const std::vector<Part>& first = corpus.split.parts.front();
  corpus.train = texts_in(first, Part::Train).size();
  corpus.validation = texts_in(first, Part::Validation).size();
  corpus.test = texts_in(first, Part::Test).size();
  if (uses(request, TokenMap::Linear) || uses(request, TokenMap::Mlp) || request.folds > 1) return corpus;
  std::vector<ProbeText> tested;
  for (const std::size_t t : texts_in(first, Part::Test)) tested.push_back(corpus.texts[t]);
  corpus.split.parts = {std::vector<Part>(tested.size(), Part::Test)};
  corpus.texts = std::move(tested);
  return corpus;
}

IdentifyMemory identify_memory(const IdentifyRequest& request, const Model& model,
                               const std::vector<ProbeText>& texts) {
  const ModelInfo& info = model.info();
  const Index out = target_width(model, request.target);
  std::size_t tokens = 0;
  for (const ProbeText& text : texts) tokens += text.ids.size();
  const std::size_t D = as_size(info.last().width), O = as_size(out);
  const std::size_t number = bytes_of(info.dtype);
  IdentifyMemory memory;
  memory.per_state = (tokens + std::min(tokens, probe_batch_tokens)) * D * number;  // also in its batch
  memory.fixed = capture_bytes(info, texts) + 2 * tokens * O * number;  // targets, and those of the parts
  memory.fixed += tokens * D * number;                                  // the parts of one state
  memory.fixed += tokens * (D + 2 * O) * sizeof(double);                // mapped in double
  if (uses(request, TokenMap::Linear))
    memory.fixed += linear_map_bytes(info.last().width, out) + tokens * O * number;
  if (uses(request, TokenMap::Mlp))
    memory.fixed += mlp_map_bytes(info.last().width, out, request.mlp, info.dtype);
  if (request.pool == TokenPool::Vocabulary)
    memory.fixed += vocabulary_match_bytes(static_cast<Index>(tokens), out);
  if (request.control) memory.fixed += info.parameters * number;
  const std::size_t states = states_of(request, info).size(), least = request.across ? states : 1;
  std::size_t window = states;
  if (request.max_memory > 0) {
    const std::size_t needed = memory.fixed + least * memory.per_state;
    if (needed > request.max_memory)
      throw InputError(fmt::format(
          "max-memory: expected at least {:.1f} MiB for {} tokens, found {:.1f} MiB; give fewer texts{} or "
          "allow more",
          static_cast<double>(needed) / 0x1p20, tokens, static_cast<double>(request.max_memory) / 0x1p20,
          request.across ? ", leave out --across" : ""));
    if (memory.per_state > 0)
      window = std::min(window, (request.max_memory - memory.fixed) / memory.per_state);
  }
  memory.window = static_cast<int>(window);
  memory.total = memory.fixed + window * memory.per_state;
  return memory;
}

}  // namespace headwater
