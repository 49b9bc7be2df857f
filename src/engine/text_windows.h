// Windows: a text longer than the model, in pieces that fit, and what was found in them put together.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/evaluate.h"

namespace headwater {

struct TextWindow {
  TextSpan text;  // what the model reads
  TextSpan kept;  // whose scores are taken from this window; those of all windows are the whole text
};

std::string part_of(const std::string& text, const TextSpan& span);

// One window where the text fits, or where `overlap` (tokens that neighbours share at least) is not given.
// Throws Unsupported for pairs, InputError for an overlap that leaves no room, and for a word longer than a
// window.
std::vector<TextWindow> windows_of(const LoadedModel& loaded, const Input& input,
                                   const std::optional<int>& overlap);

// Throws Unsupported for models that are no classifiers of texts: of others a window has no say in the whole.
void require_windows(const ModelInfo& info);

// The tokens of a text with the answer's rows of every method: [method][layer][token].
struct ReadTokens {
  struct Origin {
    std::size_t window, token;
  };
  std::vector<Unit> tokens;
  std::vector<Origin> origins;  // of each token
  std::vector<std::vector<std::vector<double>>> rows;
};
// What the windows keep, one after the other, places counted in the whole text; no special tokens. `reports`:
// of the windows in turn.
ReadTokens joined(std::span<const TextWindow> windows, std::span<const Report> reports);

// The label with the highest mean probability over the windows.
int label_of_windows(std::span<const Report> reports);

}  // namespace headwater
