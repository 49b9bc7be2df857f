// Windows: a text longer than the model's limit, read in pieces that fit, and the results of these pieces
// joined.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <headwater/evaluate.h>

#include "study/inputs.h"

namespace headwater {

struct TextWindow {
  TextSpan text;  // the part that the model reads
  TextSpan kept;  // the part whose scores come from this window; the parts of all windows make up the text
};

std::string part_of(const std::string& text, const TextSpan& span);

// Returns one window if the text fits, or if `overlap` (the smallest number of tokens that neighbours share)
// is not given. Throws Unsupported for pairs, InputError for an overlap that leaves no room and for a word
// longer than a window.
std::vector<TextWindow> windows_of(const LoadedModel& loaded, const Input& input,
                                   const std::optional<int>& overlap);

// Throws Unsupported unless the model is a text classifier: for other models the answer of a window says
// nothing about the whole text.
void require_windows(const ModelInfo& info);

// The tokens of a text with the answer's rows for every method: [method][layer][token].
struct ReadTokens {
  struct Origin {
    std::size_t window, token;
  };
  std::vector<Unit> tokens;
  std::vector<Origin> origins;  // of each token
  std::vector<std::vector<std::vector<double>>> rows;
};
// Joins what the windows keep, with positions counted in the whole text and without special tokens. `reports`
// are those of the windows, in order.
ReadTokens joined_windows(std::span<const TextWindow> windows, std::span<const Report> reports);

// The label with the highest mean probability over the windows.
int label_of_windows(std::span<const Report> reports);

}  // namespace headwater
