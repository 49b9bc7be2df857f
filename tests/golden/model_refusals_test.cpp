// Checkpoints that must not be run: a golden folder with one change to its config.json, and the error a user
// must get. An option that transformers honours and Headwater does not is Unsupported; a config.json that
// disagrees with the tensors is a FormatError; either names the culprit.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "base/files.h"
#include "base/json.h"
#include "checkpoint/checkpoint.h"
#include "models/family.h"
#include "support/scratch_folder.h"
#include "support/source_folder.h"

namespace headwater {
namespace {

namespace fs = std::filesystem;

enum class Kind { Unsupported, Format };

struct Refusal {
  std::string test;    // its name
  std::string folder;  // of tests/golden/models or encoder_decoder_models
  std::string change;  // merged into config.json; null removes a key
  Kind kind;
  std::string mention;  // a word the message must have
};

// A copy of a golden folder that goes away again.
class Copy {
 public:
  explicit Copy(const std::string& name) {
    const fs::path goldens = fs::path(HEADWATER_SOURCE_DIR) / "tests" / "golden";
    const fs::path one = goldens / "models" / name;
    const fs::path golden = fs::exists(one) ? one : goldens / "encoder_decoder_models" / name;
    fs::copy(golden, scratch_.path(), fs::copy_options::recursive);
  }

  void change(const std::string& patch) const {
    const std::string file = scratch_ / "config.json";
    Json config = read_json_file(file);
    config.merge_patch(Json::parse(patch));
    write_file(file, config.dump(2));
  }
  std::string path() const { return scratch_.path().string(); }

 private:
  testing::ScratchFolder scratch_;
};

// Loads and runs six tokens: some options only matter for longer texts than they allow.
void load_and_run(const std::string& folder) {
  const std::unique_ptr<Model> model = load_model(open_checkpoint(find_model(folder, {}), DType::Float32));
  Batch batch;
  batch.ids = {{5, 6, 7, 8, 9, 10}};
  if (is_encoder_decoder(model->info())) batch.prefix = {{0, 5}};
  const ModelInfo& info = model->info();
  if (info.image_size > 0)
    batch.pixels = Tensor::zeros({1, info.channels, info.image_size, info.image_size}, DType::Float32);
  Tape tape(Keep::Nothing);
  model->run(tape, batch);
}

class ModelRefusals : public ::testing::TestWithParam<Refusal> {};

TEST_P(ModelRefusals, NamesTheCulprit) {
  const Refusal& refusal = GetParam();
  const Copy copy(refusal.folder);
  ASSERT_NO_THROW(load_and_run(copy.path())) << "the folder itself is fine";
  copy.change(refusal.change);
  try {
    load_and_run(copy.path());
    FAIL() << "accepted " << refusal.change;
  } catch (const Unsupported& error) {
    EXPECT_EQ(refusal.kind, Kind::Unsupported) << error.what();
    EXPECT_NE(std::string(error.what()).find(refusal.mention), std::string::npos) << error.what();
  } catch (const FormatError& error) {
    EXPECT_EQ(refusal.kind, Kind::Format) << error.what();
    EXPECT_NE(std::string(error.what()).find(refusal.mention), std::string::npos) << error.what();
  }
}

const Refusal refusals[] = {
    {"ModelType", "bert_sequence", R"({"model_type": "mamba"})", Kind::Unsupported, "mamba"},
    {"T5Activation", "t5_v1_0", R"({"feed_forward_proj": "gated-mish"})", Kind::Unsupported, "mish"},
    {"T5Head", "t5_v1_0", R"({"architectures": ["T5ForTokenClassification"]})", Kind::Unsupported,
     "T5ForTokenClassification"},
    {"T5Buckets", "t5_v1_0", R"({"relative_attention_num_buckets": 2})", Kind::Format, "num_buckets"},
    {"T5Distance", "t5_v1_0", R"({"relative_attention_max_distance": 4})", Kind::Format, "max_distance"},
    {"T5Layers", "t5_v1_0", R"({"num_decoder_layers": 5000})", Kind::Format, "4096"},
    {"T5Output", "t5_v1_0", R"({"tie_word_embeddings": false})", Kind::Format, "lm_head"},
    {"Architecture", "bert_sequence", R"({"architectures": ["BertForMultipleChoice"]})", Kind::Unsupported,
     "BertForMultipleChoice"},
    {"RelativePositions", "bert_sequence", R"({"position_embedding_type": "relative_key"})",
     Kind::Unsupported, "relative_key"},
    {"Activation", "bert_sequence", R"({"hidden_act": "mish"})", Kind::Unsupported, "mish"},
    {"BertCrossAttention", "bert_causal_lm", R"({"add_cross_attention": true})", Kind::Unsupported,
     "add_cross_attention"},
    {"Gpt2CrossAttention", "gpt2_causal_lm", R"({"add_cross_attention": true})", Kind::Unsupported,
     "add_cross_attention"},
    {"RopeYarn", "llama_causal_lm",
     R"({"rope_parameters": {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 2.0}})", Kind::Unsupported,
     "yarn"},
    {"RopeDynamic", "llama_old_config", R"({"rope_scaling": {"type": "dynamic", "factor": 2.0}})",
     Kind::Unsupported, "dynamic"},
    {"PartialRotary", "llama_causal_lm", R"({"rope_parameters": {"partial_rotary_factor": 0.5}})",
     Kind::Unsupported, "partial_rotary_factor"},
    {"MistralWindow", "mistral_causal_lm", R"({"sliding_window": 4})", Kind::Unsupported, "sliding-window"},
    {"Qwen2Window", "qwen2_causal_lm",
     R"({"use_sliding_window": true, "sliding_window": 4, "max_window_layers": 0, "layer_types": null})",
     Kind::Unsupported, "sliding-window"},
    {"Width", "bert_sequence", R"({"hidden_size": 20})", Kind::Format, "word_embeddings"},
    {"Heads", "bert_sequence", R"({"num_attention_heads": 3})", Kind::Format, "num_attention_heads"},
    {"Vocabulary", "gpt2_causal_lm", R"({"vocab_size": 60})", Kind::Format, "wte"},
    {"LayersMissing", "bert_sequence", R"({"num_hidden_layers": 3})", Kind::Format, "encoder.layer.2"},
    {"LayersLeftOver", "bert_sequence", R"({"num_hidden_layers": 1})", Kind::Format, "num_hidden_layers"},
    {"Gpt2LayersLeftOver", "gpt2_causal_lm", R"({"n_layer": 1})", Kind::Format, "n_layer"},
    {"T5LayersLeftOver", "t5_v1_0", R"({"num_decoder_layers": 1})", Kind::Format, "num_decoder_layers"},
    {"LayersBeyondInt", "bert_sequence", R"({"num_hidden_layers": 2147483648})", Kind::Format,
     "key num_hidden_layers"},
    {"PositionsBeyondInt", "bert_sequence", R"({"max_position_embeddings": 2147483648})", Kind::Format,
     "key max_position_embeddings"},
    {"T5LayersBeyondInt", "t5_v1_0", R"({"num_layers": 2147483648})", Kind::Format, "key num_layers"},
    {"T5DecoderLayersBeyondInt", "t5_v1_0", R"({"num_decoder_layers": 2147483648})", Kind::Format,
     "key num_decoder_layers"},
    {"HeadsBeyondInt", "llama_causal_lm", R"({"num_key_value_heads": 4294967298})", Kind::Format,
     "key num_key_value_heads"},
    {"FeedForwardBeyondInt", "gpt2_causal_lm", R"({"n_embd": 1073741824, "n_inner": null})", Kind::Format,
     "key n_inner"},
    {"PaddingBeyondInt", "roberta_sequence", R"({"pad_token_id": 4294967297})", Kind::Format,
     "key pad_token_id"},
    {"LargestPadding", "roberta_sequence", R"({"pad_token_id": 2147483647})", Kind::Format, "pad_token_id"},
    {"PatchesBeyondInt", "vit_classification", R"({"image_size": 2147483647, "patch_size": 1})", Kind::Format,
     "image_size"},
    {"Labels", "bert_sequence", R"({"id2label": {"0": "a", "1": "b", "2": "c", "3": "d"}})", Kind::Format,
     "classifier"},
    {"GroupsDoNotDivide", "llama_causal_lm", R"({"num_key_value_heads": 3})", Kind::Format,
     "num_key_value_heads"},
    {"HeadDim", "llama_head_dim", R"({"head_dim": 8})", Kind::Format, "q_proj"},
    {"EmbeddingSize", "electra_model", R"({"embedding_size": 16})", Kind::Format, "word_embeddings"},
    {"MlpBiasMissing", "llama_causal_lm", R"({"mlp_bias": true})", Kind::Format, "bias"},
};

INSTANTIATE_TEST_SUITE_P(Config, ModelRefusals, ::testing::ValuesIn(refusals),
                         [](const auto& test) { return test.param.test; });

// A tensor without a place is not an error, since published files carry all sorts, but is never passed over.
TEST(ModelLeftOvers, AreListed) {
  const Copy copy("bert_sequence");
  const std::string file = copy.path() + "/model.safetensors";
  const std::string all = read_file(file, std::size_t{1} << 24U);
  std::uint64_t length = 0;
  std::memcpy(&length, all.data(), sizeof length);
  Json header = Json::parse(all.substr(8, length));
  const std::size_t numbers = all.size() - 8 - length;
  for (const char* name : {"bert.adapter.weight", "bert.encoder.layer.0.adapter.1.bias"})
    header[name] = {{"dtype", "F32"}, {"shape", {0}}, {"data_offsets", {numbers, numbers}}};
  const std::string text = header.dump();
  length = text.size();
  std::string changed(8, '\0');
  std::memcpy(changed.data(), &length, sizeof length);
  write_file(file, changed + text + all.substr(all.size() - numbers));
  const std::unique_ptr<Model> model =
      load_model(open_checkpoint(find_model(copy.path(), {}), DType::Float32));
  EXPECT_EQ(model->info().unread,
            (std::vector<std::string>{"bert.adapter.weight", "bert.encoder.layer.0.adapter.1.bias"}));
}

}  // namespace
}  // namespace headwater
