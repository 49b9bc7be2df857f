// Normalizers of tokenizer.json: rewrite a text before it is cut into words. Immutable, thread-safe.
#pragma once

#include <memory>

#include "text/aligned_text.h"
#include "text/json_view.h"

namespace headwater {

class Normalizer {
 public:
  virtual ~Normalizer() = default;
  virtual void normalize(AlignedText& text) const = 0;
};

// Throws FormatError for a broken description, Unsupported for a kind that does not exist here.
std::unique_ptr<const Normalizer> make_normalizer(const JsonView& description);

}  // namespace headwater
