// The run of token identifiability over one model and, as a control, the same architecture untrained.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "identifiability/finished.h"
#include "identifiability/texts.h"
#include "models/model.h"

namespace headwater {

// Throws InputError: an option outside its range, states the model has not, fewer texts than parts;
// Unsupported: a map that cannot be (naive between different widths), positions in a vocabulary's pool.
void check_identify(const IdentifyRequest& request, const ModelInfo& info, const Model& model);

struct IdentifyMemory {
  std::size_t fixed = 0;      // whatever the window
  std::size_t per_state = 0;  // hidden vectors of all texts at one state
  int window = 0;             // states held at a time
  std::size_t total = 0;
};
// Throws InputError if max_memory does not hold the least.
IdentifyMemory identify_memory(const IdentifyRequest& request, const Model& model,
                               const std::vector<ProbeText>& texts);

// The texts a run needs, with their parts: all, or the test alone when nothing is trained.
struct ProbeCorpus {
  std::vector<ProbeText> texts;
  Split split;
  std::size_t train = 0, validation = 0, test = 0;  // texts of the first fold, before any were left out
};
ProbeCorpus corpus_of(std::vector<ProbeText> texts, const IdentifyRequest& request);

// Everything but the record. `untrained` makes the control's model when it is needed.
IdentifyReport run_identify(const IdentifyRequest& request, const Model& model, const ProbeCorpus& corpus,
                            const std::function<std::unique_ptr<Model>()>& untrained, Finished& finished);

std::vector<int> states_of(const IdentifyRequest& request, const ModelInfo& info);
// Where the maps of one state are tested, of all `states`.
std::vector<int> tested_states(const IdentifyRequest& request, TokenMap map, int trained_on,
                               const std::vector<int>& states);
std::size_t cell_count(const IdentifyRequest& request, const ModelInfo& info);  // of all folds and models

}  // namespace headwater
