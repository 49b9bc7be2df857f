// Pre-tokenizers of tokenizer.json: cut a normalised text into words. Immutable, thread-safe.
#pragma once

#include <memory>

#include "text/json_view.h"
#include "text/pieces.h"

namespace headwater {

class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  virtual void cut(Pieces& pieces) const = 0;
};

// Throws FormatError for a broken description, Unsupported for a kind that does not exist here.
std::unique_ptr<const PreTokenizer> make_pre_tokenizer(const JsonView& description);

}  // namespace headwater
