// ModelInfo: what a loaded model is, in the words of its config.json.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <headwater/export.h>
#include <headwater/sequence.h>
#include <headwater/tensor.h>

namespace headwater {

// Hugging Face's pipeline names.
enum class Task {
  TextClassification,   // logits [B, labels]
  TokenClassification,  // logits [B, T, labels]
  QuestionAnswering,    // logits [B, T, 2]: start, end
  FillMask,             // logits [B, T, V]
  TextGeneration,       // logits [B, T, V]
  TextToText,           // logits [B, T, V], T the output being written: encoder–decoders
  ImageClassification,  // logits [B, labels]
  FeatureExtraction,    // no head: the last hidden state [B, T, D]
};

HEADWATER_API std::string_view name_of(Task task);  // "text-classification", …

// The output is over the vocabulary.
inline bool is_vocabulary(Task task) {
  return task == Task::FillMask || task == Task::TextGeneration || task == Task::TextToText;
}

// The output goes on with what is given.
inline bool writes(Task task) {
  return task == Task::TextGeneration || task == Task::TextToText;
}

// A tower of blocks with sizes of its own. Most models are one; Place::stack counts them.
struct Stack {
  std::string name;  // "encoder", "decoder" or "vision"
  int layers = 0;
  int heads = 0;
  int groups = 0;  // key/value heads; equals heads unless grouped-query
  int head_width = 0;
  int width = 0;  // of the residual stream
  int feed_forward = 0;
  bool causal = false;
  int reads = -1;                      // the stack that its cross-attention reads; −1: it has none
  Modality modality = Modality::Text;  // of the sequence it runs over, which has its number
  bool operator==(const Stack&) const = default;
};

struct ModelInfo {
  std::string family;        // "bert": the file in src/models
  std::string model_type;    // as config.json says: "xlm-roberta"
  std::string architecture;  // "BertForSequenceClassification"
  Task task = Task::FeatureExtraction;
  std::vector<Stack> stacks = std::vector<Stack>(1);  // in the order they run
  int vocabulary = 0;                                 // 0 for image models
  int positions = 0;  // longest input in tokens (patches and [CLS] included); 0: no limit
  int segments = 0;   // token types; 0 when the family has none
  bool pre_norm = false;
  // Every block is attention and then a feed-forward part, each with one norm and one residual sum. Methods
  // have shortcuts for such blocks; of others they keep the whole run.
  bool plain_blocks = false;
  std::vector<std::string> labels;                   // classification heads
  int image_size = 0, patch_size = 0, channels = 0;  // image models
  int prefix_tokens = 0;                             // tokens before the first patch: [CLS], distillation
  DType dtype = DType::Float32;
  std::vector<std::string> unread;   // tensors of the file this architecture has no place for
  std::size_t parameters = 0;        // numbers in the file that the model reads
  std::vector<std::string> remarks;  // what a user must know of how the folder was read

  // The stack whose output the head reads; of an encoder–decoder the decoder.
  Stack& last() { return stacks.back(); }
  const Stack& last() const { return stacks.back(); }
};

// A stack reads another's output: the input is a source, and the output being written a second sequence.
inline bool is_encoder_decoder(const ModelInfo& info) {
  return info.last().reads >= 0;
}

}  // namespace headwater
