// Vision Transformer (Dosovitskiy et al., 2021) and DeiT (Touvron et al., 2021): patches as tokens behind
// a learned [CLS] (DeiT: and a distillation token), learned positions, pre-norm blocks.

#include <optional>

#include <fmt/format.h>
#include <headwater/error.h>

#include "blocks/describe.h"
#include "blocks/read.h"
#include "blocks/transformer.h"
#include "models/family.h"

namespace headwater {
namespace {

const std::vector<std::string_view> architectures{"ViTForImageClassification", "ViTModel",
                                                  "DeiTForImageClassification",
                                                  "DeiTForImageClassificationWithTeacher", "DeiTModel"};

constexpr Index most_patches = 1 << 20;

class VisionTransformer final : public Model {
 public:
  explicit VisionTransformer(const Checkpoint& c) {
    const Config& config = c.config;
    const std::string type = config.text("model_type");
    info_ = describe(
        c, "vit", architectures, type == "deit" ? "DeiTModel" : "ViTModel", {},
        {.width = 768, .layers = 12, .heads = 12, .feed_forward = 3072, .positions = 0, .vocabulary = 0});
    info_.last().name = "vision";
    info_.last().modality = Modality::Image;
    info_.pre_norm = true;
    info_.image_size = config.positive("image_size", 224);
    info_.patch_size = config.positive("patch_size", 16);
    info_.channels = config.positive("num_channels", 3);
    info_.prefix_tokens = type == "deit" ? 2 : 1;
    if (info_.image_size % info_.patch_size != 0)
      throw FormatError(fmt::format("{}: expected image_size to be a multiple of patch_size, found {} and {}",
                                    config.where(), info_.image_size, info_.patch_size));
    const Index side = info_.image_size / info_.patch_size, patches = side * side;
    if (patches > most_patches)
      throw FormatError(
          fmt::format("{}: expected image_size and patch_size to give at most {} patches, found {}",
                      config.where(), most_patches, patches));
    info_.positions = info_.prefix_tokens + static_cast<int>(patches);
    const Weights base = base_scope(c.weights, type, "embeddings.cls_token");
    read_embeddings(base);
    for (int l = 0; l < info_.last().layers; ++l)
      blocks_.push_back(read_block(base.scope(fmt::format("encoder.layer.{}", l)), config));
    final_norm_ =
        read_layer_norm(base, "layernorm", info_.last().width, config.number("layer_norm_eps", 1e-12));
    read_head(c.weights);
    base.ignore("pooler");
    base.ignore("embeddings.mask_token");
  }

 private:
  void check(const Batch& batch) const override { check_pixels(info_, batch); }

  void read_embeddings(const Weights& base) {
    const Index d = info_.last().width, p = info_.patch_size, channels = info_.channels;
    const Tensor kernel = base.get("embeddings.patch_embeddings.projection.weight", {d, channels, p, p});
    project_ = {.weight = std::make_shared<Matrix>(kernel.reshaped({d, channels * p * p})),
                .bias = base.get("embeddings.patch_embeddings.projection.bias", {d})};
    const Tensor cls = base.get("embeddings.cls_token", {1, 1, d});
    prefix_ = cls.reshaped({1, d});
    if (info_.prefix_tokens == 2) {
      const Tensor distillation = base.get("embeddings.distillation_token", {1, 1, d});
      std::vector<double> both = cls.to_doubles();
      const std::vector<double> second = distillation.to_doubles();
      both.insert(both.end(), second.begin(), second.end());
      prefix_ = Tensor::of({2, d}, both, cls.dtype());
    }
    positions_ =
        base.get("embeddings.position_embeddings", {1, info_.positions, d}).reshaped({info_.positions, d});
  }

  BlockWeights read_block(const Weights& w, const Config& config) const {
    const Index d = info_.last().width, f = info_.last().feed_forward;
    const Bias qkv = config.boolean("qkv_bias", true) ? Bias::Required : Bias::None;
    const double eps = config.number("layer_norm_eps", 1e-12);
    return {.attention = AttentionWeights{.q = read_linear(w, "attention.attention.query", d, d, qkv),
                                          .k = read_linear(w, "attention.attention.key", d, d, qkv),
                                          .v = read_linear(w, "attention.attention.value", d, d, qkv),
                                          .out = read_linear(w, "attention.output.dense", d, d)},
            .attention_norm = read_layer_norm(w, "layernorm_before", d, eps),
            .mlp = MlpWeights{.gate = {},
                              .up = read_linear(w, "intermediate.dense", f, d),
                              .down = read_linear(w, "output.dense", d, f),
                              .f = read_activation(config, "hidden_act", "gelu")},
            .mlp_norm = read_layer_norm(w, "layernorm_after", d, eps)};
  }

  void read_head(const Weights& root) {
    const Index d = info_.last().width, labels = static_cast<Index>(info_.labels.size());
    const std::string kind = head_kind(info_);
    if (kind == "Model") return;
    const bool taught = kind == "ForImageClassificationWithTeacher";
    head_ = {.reads = Head::Reads::First,
             .steps = {read_linear(root, taught ? "cls_classifier" : "classifier", labels, d)}};
    if (taught) teacher_ = read_linear(root, "distillation_classifier", labels, d);
  }

  Var forward(Tape& tape, const Batch& batch) const override {
    const Var pixels = tape.leaf(batch.pixels, Site::Pixels);
    const Var tokens =
        prepend(linear(patches(pixels, info_.patch_size), project_), prefix_, Site::Embed);  // [B, T, D]
    std::vector<std::vector<int>> order(static_cast<std::size_t>(pixels.value.dim(0)));
    for (auto& row : order)
      for (int t = 0; t < info_.positions; ++t) row.push_back(t);
    Var x = add(tokens, embed(tape, positions_, order), Site::ResidPre);
    for (int l = 0; l < info_.last().layers; ++l)
      x = pre_norm_block(x, blocks_[static_cast<std::size_t>(l)], {.layout = layout_of(info_)}, {.layer = l});
    return answer(norm(x, final_norm_, Site::FinalNorm), batch);
  }

  Var answer(const Var& x, const Batch& batch) const {
    if (!teacher_) return head_(x, batch);
    // The mean of what [CLS] and the distillation token answer.
    const auto rows = static_cast<std::size_t>(x.value.dim(0));
    const Var student =
        linear(select(x, std::vector<int>(rows, 0), Site::Pooled), std::get<LinearWeights>(head_.steps[0]));
    const Var taught = linear(select(x, std::vector<int>(rows, 1)), *teacher_);
    return scale(add(student, taught), 0.5, Site::Logits);
  }

  LinearWeights project_;
  Tensor prefix_, positions_;
  std::vector<BlockWeights> blocks_;
  NormWeights final_norm_;
  Head head_;
  std::optional<LinearWeights> teacher_;
};

}  // namespace

extern const Family vit{.name = "vit",
                        .summary = "ViT, DeiT: image patches as tokens, pre-norm",
                        .model_types = {"vit", "deit"},
                        .architectures = architectures,
                        .load = load_as<VisionTransformer>,
                        .attention_output = {.name = "encoder.layer.{}.attention.output.dense"}};

}  // namespace headwater
