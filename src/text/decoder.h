// Decoders of tokenizer.json: turn the pieces of tokens back into text. Immutable, thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "text/json_view.h"

namespace headwater {

class Decoder {
 public:
  virtual ~Decoder() = default;
  // Rewrites the pieces; the decoded text is what remains, joined.
  virtual void decode(std::vector<std::string>& pieces) const = 0;
};

// Throws FormatError for a broken description, Unsupported for a kind that does not exist here.
std::unique_ptr<const Decoder> make_decoder(const JsonView& description);

}  // namespace headwater
