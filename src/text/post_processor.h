// Post-processors of tokenizer.json: put the special tokens around the sequences of a request and trim
// spans. Immutable, thread-safe.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include <headwater/tensor.h>

#include "text/json_view.h"

namespace headwater {

// A token before the request's answer is put together.
struct DraftToken {
  int id;
  Index begin, end;  // bytes of the original text
  int word;
  int segment;
  int type_id;
  bool special;
  std::string_view value;  // as the model gave it
};
using Draft = std::vector<DraftToken>;
using Texts = std::array<std::string_view, 2>;  // the original text and pair

class PostProcessor {
 public:
  virtual ~PostProcessor() = default;
  // How many special tokens process() adds.
  virtual std::size_t added(bool pair) const = 0;
  // `drafts` holds one draft per sequence, and afterwards drafts that only need to be joined.
  virtual void process(std::vector<Draft>& drafts, bool add_special_tokens, const Texts& texts) const = 0;
};

// Throws FormatError for a broken description, Unsupported for a kind that does not exist here.
std::unique_ptr<const PostProcessor> make_post_processor(const JsonView& description);

}  // namespace headwater
