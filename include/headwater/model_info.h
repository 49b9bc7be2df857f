// ModelInfo: the description of a loaded model, in the words of its config.json.
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
  TextToText,           // logits [B, T, V], T the prefix: encoder–decoders
  ImageClassification,  // logits [B, labels]
  FeatureExtraction,    // no task head: the last hidden state [B, T, D]
};

HEADWATER_API std::string_view name_of(Task task);  // "text-classification", …

// Whether the output is over the vocabulary.
inline bool is_vocabulary(Task task) {
  return task == Task::FillMask || task == Task::TextGeneration || task == Task::TextToText;
}

// Whether the model generates text.
inline bool writes(Task task) {
  return task == Task::TextGeneration || task == Task::TextToText;
}

// A series of blocks with its own sizes. Most models have one stack; Place::stack is its number.
struct Stack {
  std::string name;  // "encoder", "decoder" or "vision"
  int layers = 0;
  int heads = 0;
  int groups = 0;  // key/value heads; equals heads unless grouped-query
  int head_width = 0;
  int width = 0;  // width of the residual stream
  int feed_forward = 0;
  bool causal = false;
  int reads = -1;                      // the stack that its cross-attention reads; −1: no cross-attention
  Modality modality = Modality::Text;  // modality of its sequence, which has the stack's number
  bool operator==(const Stack&) const = default;
};

struct ModelInfo {
  std::string family;        // "bert": the file in src/models
  std::string model_type;    // as in config.json: "xlm-roberta"
  std::string architecture;  // "BertForSequenceClassification"
  Task task = Task::FeatureExtraction;
  std::vector<Stack> stacks = std::vector<Stack>(1);  // in the order they run
  int vocabulary = 0;                                 // 0 for image models
  int positions = 0;  // longest input in tokens (patches and [CLS] included); 0: no limit
  int segments = 0;   // token types; 0 when the family has none
  bool pre_norm = false;
  // Every block is attention and then a feed-forward layer, each with one norm and one residual sum. Methods
  // have shortcuts for such blocks; for others they keep the whole run.
  bool plain_blocks = false;
  std::vector<std::string> labels;  // classification heads
  // Of a head with one logit z per token that says yes or no: what z <= 0 says, where labels[0] is said by z
  // > 0 and has the probability 1 / (1 + exp(-z)). ELECTRA's discriminator: "original" and "replaced". Else
  // empty.
  std::string otherwise;
  int image_size = 0, patch_size = 0, channels = 0;  // image models
  int prefix_tokens = 0;                             // tokens before the first patch: [CLS], distillation
  DType dtype = DType::Float32;
  std::vector<std::string> unread;   // tensors of the file that this architecture does not use
  std::size_t parameters = 0;        // numbers in the file that the model reads
  std::size_t largest_tensor = 0;    // numbers of the largest tensor, which loading holds twice
  std::vector<std::string> remarks;  // what a user must know about how the folder was read

  // The stack whose output the task head reads; for an encoder–decoder the decoder.
  Stack& last() { return stacks.back(); }
  const Stack& last() const { return stacks.back(); }
};

// Whether the last stack reads another's output: the input is then a source, and the output being written is
// a second sequence.
inline bool is_encoder_decoder(const ModelInfo& info) {
  return info.last().reads >= 0;
}

}  // namespace headwater
