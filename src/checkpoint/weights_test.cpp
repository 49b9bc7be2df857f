#include "checkpoint/weights.h"

#include <cmath>
#include <cstring>
#include <list>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <headwater/error.h>

#include "support/format_error.h"

namespace headwater {
namespace {

using testing::expect_format_error;

// Builds safetensors bytes in memory and keeps them alive for the test.
class Files {
 public:
  struct Entry {
    std::string name;
    std::string dtype;
    std::string shape;  // "[2, 3]"
    std::string data;
  };

  Safetensors add(const std::string& where, const std::vector<Entry>& entries) {
    std::string header = "{";
    std::string data;
    for (const Entry& e : entries) {
      header += fmt::format(R"({}"{}":{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}})",
                            header.size() > 1 ? "," : "", e.name, e.dtype, e.shape, data.size(),
                            data.size() + e.data.size());
      data += e.data;
    }
    header += "}";
    std::string bytes(8, '\0');
    for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>((header.size() >> (8 * i)) & 0xFFU);
    kept_.push_back(bytes + header + data);
    return Safetensors::parse(std::as_bytes(std::span(kept_.back())), where);
  }

 private:
  std::list<std::string> kept_;
};

std::string floats(const std::vector<float>& values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

Files::Entry zeros(const std::string& name, std::size_t n) {
  return {name, "F32", fmt::format("[{}]", n), std::string(4 * n, '\0')};
}

TEST(Weights, ReadsByScopeAndShape) {
  Files files;
  const Weights w({files.add("a", {{"encoder.layer.0.w", "F32", "[2]", floats({1, 2})}}),
                   files.add("b", {{"encoder.layer.1.w", "F32", "[1, 2]", floats({3, 4})}})},
                  DType::Float64);
  const Weights layer = w.scope("encoder").scope("layer.0");
  EXPECT_EQ(layer.get("w", {2}).to_doubles(), (std::vector<double>{1, 2}));
  EXPECT_EQ(w.get("encoder.layer.1.w", {1, 2}).to_doubles(), (std::vector<double>{3, 4}));
  EXPECT_EQ(w.scope("").get("encoder.layer.0.w", {2}).dtype(), DType::Float64);
  EXPECT_EQ(w.dtype(), DType::Float64);
  EXPECT_EQ(w.total_bytes(), 32U);
}

TEST(Weights, KnowsNames) {
  Files files;
  const Weights w({files.add("a", {zeros("bert.pooler.w", 1), zeros("bert2.w", 1)})}, DType::Float32);
  EXPECT_TRUE(w.has("bert2.w"));
  EXPECT_FALSE(w.has("bert2"));
}

TEST(Weights, OldLayerNormNames) {
  Files files;
  const Weights w({files.add("a", {{"LayerNorm.gamma", "F32", "[1]", floats({3})},
                                   {"LayerNorm.beta", "F32", "[1]", floats({4})}})},
                  DType::Float32);
  const Weights norm = w.scope("LayerNorm");
  EXPECT_TRUE(norm.has("weight"));
  EXPECT_EQ(norm.get("weight", {1}).at(0), 3.0);
  EXPECT_EQ(norm.get("bias", {1}).at(0), 4.0);
  EXPECT_TRUE(w.unread().empty());
  EXPECT_FALSE(norm.has("scale"));
}

TEST(Weights, ASecondReadSharesTheBuffer) {
  Files files;
  const Weights w({files.add("a", {zeros("w", 3)})}, DType::Float32);
  EXPECT_EQ(w.get("w", {3}).data<float>(), w.get("w", {3}).data<float>());
}

TEST(Weights, ReportsWhatWasNotRead) {
  Files files;
  const Weights w({files.add("a", {zeros("a.w", 1),
                                   zeros("b.w", 1),
                                   zeros("b.x", 1),
                                   zeros("c.w", 1),
                                   zeros("cc", 1),
                                   {"e.position_ids", "I64", "[1, 1]", std::string(8, '\0')},
                                   {"position_ids", "I64", "[1, 1]", std::string(8, '\0')},
                                   zeros("e.token_type_ids", 1),
                                   zeros("h.0.attn.masked_bias", 1),
                                   {"h.0.attn.bias", "U8", "[1, 1, 1, 1]", "x"},
                                   zeros("h.1.attn.bias", 1),
                                   zeros("self_attn.rotary_emb.inv_freq", 2),
                                   zeros("my_position_ids", 1)})},
                  DType::Float32);
  EXPECT_EQ(w.unread(),
            (std::vector<std::string>{"a.w", "b.w", "b.x", "c.w", "cc", "h.1.attn.bias", "my_position_ids"}));
  w.get("a.w", {1});
  w.scope("b").ignore("w");
  w.ignore("c");
  EXPECT_EQ(w.unread(), (std::vector<std::string>{"b.x", "cc", "h.1.attn.bias", "my_position_ids"}));
  EXPECT_EQ(w.scope("b").unread(), (std::vector<std::string>{"b.x"}));
}

TEST(Weights, RefusesWrongShapesAndMissingNames) {
  Files files;
  const Weights w({files.add("m.safetensors", {zeros("l.w", 3)})}, DType::Float32);
  expect_format_error([&] { w.scope("l").get("w", {4}); },
                      "m.safetensors: tensor l.w: expected [4], found [3]");
  expect_format_error([&] { w.get("l.w", {3, 1}); }, "m.safetensors: tensor l.w: expected [3, 1], found [3]");
  expect_format_error([&] { w.get("l.q", {4}); }, "m.safetensors: tensor l.q: expected [4], found none");
  expect_format_error([] { Weights({}, DType::Float32).get("q", {}); },
                      "weights: tensor q: expected [], found none");
}

TEST(Weights, RefusesTheSameNameTwice) {
  Files files;
  expect_format_error(
      [&] {
        Weights({files.add("a", {zeros("w", 1)}), files.add("b", {zeros("w", 1)})}, DType::Float32);
      },
      "b: tensor w: expected every tensor in one file, found it in a too");
}

TEST(Weights, RefusesIntegersAsParameters) {
  Files files;
  const Weights w({files.add("a", {{"w", "I8", "[2]", "xy"}})}, DType::Float32);
  expect_format_error([&] { w.get("w", {2}); },
                      "a: tensor w: expected a floating type (F64, F32, F16 or BF16), found I8");
}

TEST(Weights, RefusesNonFiniteNumbers) {
  Files files;
  std::vector<float> big(1U << 18U, 1.0F);
  big[200'000] = -INFINITY;
  big[70'001] = NAN;
  std::string huge(8, '\0');
  const double value = 1e300;
  std::memcpy(huge.data(), &value, 8);
  const Safetensors file = files.add("a", {{"big", "F32", "[262144]", floats(big)},
                                           {"half", "F16", "[2]", std::string("\x00\x3c\x00\x7c", 4)},
                                           {"huge", "F64", "[1]", huge}});
  for (const DType dtype : {DType::Float32, DType::Float64}) {
    const Weights w({file}, dtype);
    expect_format_error([&] { w.get("big", {1 << 18}); },
                        "a: tensor big: expected finite numbers, found nan at index 70001");
    expect_format_error([&] { w.get("half", {2}); },
                        "a: tensor half: expected finite numbers, found inf at index 1");
  }
  EXPECT_EQ(Weights({file}, DType::Float64).get("huge", {1}).at(0), 1e300);
  expect_format_error([&] { Weights({file}, DType::Float32).get("huge", {1}); },
                      "a: tensor huge: expected finite numbers, found inf at index 0");
}

TEST(Weights, EmptyTensors) {
  Files files;
  const Weights w({files.add("a", {{"w", "F32", "[0, 4]", ""}})}, DType::Float32);
  EXPECT_EQ(w.get("w", {0, 4}).size(), 0);
}

TEST(Weights, UntrainedKeepsShapesAndMakesFreshNumbers) {
  Files files;
  const std::vector<Files::Entry> entries{
      {"a.weight", "F32", "[40, 50]", floats(std::vector<float>(2000, 7))},
      {"a.bias", "F32", "[40]", floats(std::vector<float>(40, 7))},
      {"norm.gamma", "F32", "[40]", floats(std::vector<float>(40, 7))},
      {"norm.beta", "F32", "[40]", floats(std::vector<float>(40, 7))}};
  const Weights trained({files.add("f", entries)}, DType::Float64);
  const Weights fresh = trained.untrained(5, 0.02);
  const Tensor matrix = fresh.get("a.weight", {40, 50});
  double mean = 0, square = 0;
  for (const double v : matrix.to_doubles()) {
    mean += v / 2000;
    square += v * v / 2000;
  }
  EXPECT_NEAR(mean, 0, 0.002);
  EXPECT_NEAR(std::sqrt(square), 0.02, 0.001);
  EXPECT_EQ(fresh.get("a.bias", {40}).at(3), 0);
  EXPECT_EQ(fresh.scope("norm").get("weight", {40}).at(3), 1);
  EXPECT_EQ(fresh.scope("norm").get("bias", {40}).at(3), 0);
  EXPECT_EQ(trained.untrained(5, 0.02).get("a.weight", {40, 50}).to_doubles(), matrix.to_doubles());
  EXPECT_NE(trained.untrained(6, 0.02).get("a.weight", {40, 50}).to_doubles(), matrix.to_doubles());
  EXPECT_EQ(trained.get("a.weight", {40, 50}).at(0), 7);
  EXPECT_THROW(fresh.get("a.weight", {50, 40}), FormatError);
  EXPECT_TRUE(fresh.unread().empty());
}

// What was packed elsewhere needs no second copy; what somebody holds stays one copy.
TEST(Weights, LetsGoWhatNobodyHoldsAndSharesWhatSomebodyDoes) {
  constexpr std::size_t numbers = 50000;
  Files files;
  std::vector<Files::Entry> entries;
  for (int t = 0; t < 8; ++t) entries.push_back(zeros(fmt::format("t{}", t), numbers));
  const Weights w({files.add("many", entries)}, DType::Float32);
  const Tensor held = w.get("t0", {numbers});
  const std::size_t before = tensor_pool_statistics().live_bytes;
  for (int t = 1; t < 8; ++t) w.get(fmt::format("t{}", t), {numbers});
  EXPECT_LE(tensor_pool_statistics().live_bytes, before + 2 * sizeof(float) * numbers)
      << "the last one, and no other";
  const Tensor again = w.get("t0", {numbers});
  EXPECT_EQ(again.data<float>(), held.data<float>()) << "tied weights are one tensor";
  EXPECT_EQ(w.get("t3", {numbers}).at(7), 0) << "what went is read again";
  EXPECT_EQ(w.largest_bytes(), 4 * numbers);
}

}  // namespace
}  // namespace headwater
