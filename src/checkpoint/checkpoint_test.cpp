#include "checkpoint/checkpoint.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "support/scratch_folder.h"

namespace headwater {
namespace {

namespace fs = std::filesystem;

// A model folder with config.json; weights are one float each.
class OpenCheckpoint : public ::testing::Test {
 protected:
  void SetUp() override { write("config.json", R"({"model_type":"bert"})"); }

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(root_ + "/" + name, std::ios::binary) << bytes;
  }
  void write_weights(const std::string& file, const std::string& tensor) const {
    const std::string header = R"({")" + tensor + R"(":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
    write(file,
          static_cast<char>(header.size()) + std::string(7, '\0') + header + std::string("\0\0\x80\x3f", 4));
  }
  Checkpoint open() const {
    return open_checkpoint({.path = root_, .id = "m", .commit = {}}, DType::Float32);
  }

  template <class E>
  void expect_refused(const std::vector<std::string>& parts) const {
    try {
      open();
      ADD_FAILURE() << "accepted";
    } catch (const E& e) {
      for (const std::string& part : parts)
        EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << part << " not in: " << e.what();
    }
  }

  const testing::ScratchFolder scratch_;
  const std::string root_ = scratch_.path();
};

TEST_F(OpenCheckpoint, ASingleFile) {
  write_weights("model.safetensors", "w");
  write("model.safetensors.index.json", "broken, but the single file comes first");
  const Checkpoint c = open();
  EXPECT_EQ(c.folder.id, "m");
  EXPECT_EQ(c.config.text("model_type"), "bert");
  EXPECT_EQ(c.weight_files, std::vector<std::string>{root_ + "/model.safetensors"});
  EXPECT_EQ(c.weights.get("w", {1}).at(0), 1.0);
}

TEST_F(OpenCheckpoint, Shards) {
  write_weights("b.safetensors", "w2");
  write_weights("a.safetensors", "w1");
  write("model.safetensors.index.json",
        R"({"metadata":{"total_size":8},"weight_map":{"w1":"a.safetensors","w2":"b.safetensors"}})");
  const Checkpoint c = open();
  EXPECT_EQ(c.weight_files, (std::vector<std::string>{root_ + "/a.safetensors", root_ + "/b.safetensors"}));
  EXPECT_EQ(c.weights.get("w1", {1}).at(0), 1.0);
  EXPECT_EQ(c.weights.get("w2", {1}).at(0), 1.0);
}

// Expected digests by sha256sum.
TEST_F(OpenCheckpoint, Sha256) {
  write_weights("model.safetensors", "w");
  EXPECT_EQ(weights_sha256(open()), "79704046079abf4a598ac667f78c51c2adcf0b1f08a718c3468a07b9941cb658");
  fs::remove(root_ + "/model.safetensors");
  write_weights("a.safetensors", "w");
  write_weights("b.safetensors", "v");
  write("model.safetensors.index.json", R"({"weight_map":{"w":"a.safetensors","v":"b.safetensors"}})");
  EXPECT_EQ(weights_sha256(open()), "f67f47eba6435f1811e56778aff44d313e967da42cbdd7fba3bb79fd853319ad");
}

TEST_F(OpenCheckpoint, BrokenIndexes) {
  write_weights("a.safetensors", "w");
  const auto refuse = [&](const std::string& index, const std::vector<std::string>& parts) {
    write("model.safetensors.index.json", index);
    expect_refused<FormatError>(parts);
  };
  refuse("{", {"index.json", "valid JSON"});
  refuse("[]", {"a JSON object with weight_map", "found []"});
  refuse("{}", {"expected weight_map", "none"});
  refuse(R"({"weight_map":{}})", {"map tensor names to files"});
  refuse(R"({"weight_map":{"w":1}})", {"map tensor names to files", "found 1"});
  for (const char* outside : {"../a.safetensors", "/etc/passwd", "..", ".", "", "x\\\\y", "x\\u0000y"})
    refuse(R"({"weight_map":{"w":")" + std::string(outside) + R"("}})", {"files of this folder"});
  refuse(R"({"weight_map":{"w":"c.safetensors"}})", {"c.safetensors", "incomplete"});
  refuse(R"({"weight_map":{"q":"a.safetensors"}})", {"a.safetensors", "tensor q"});
}

TEST_F(OpenCheckpoint, OtherFormatsGetARemedy) {
  expect_refused<FormatError>({root_, "expected model.safetensors"});
  for (const char* file : {"pytorch_model.bin", "tf_model.h5", "flax_model.msgpack"}) {
    write(file, "x");
    expect_refused<Unsupported>({file, "save_pretrained(", "safe_serialization=True"});
    fs::remove(root_ + "/" + file);
  }
}

TEST_F(OpenCheckpoint, MissingConfig) {
  fs::remove(root_ + "/config.json");
  expect_refused<FormatError>({"config.json"});
}

TEST_F(OpenCheckpoint, TruncatedWeights) {
  write_weights("model.safetensors", "w");
  fs::resize_file(root_ + "/model.safetensors", fs::file_size(root_ + "/model.safetensors") - 1);
  expect_refused<FormatError>({"model.safetensors", "tensor w"});
}

TEST_F(OpenCheckpoint, TheOnlyFileMayHaveAnyName) {
  write_weights("weights-final.safetensors", "w");
  EXPECT_EQ(open().weights.get("w", {1}).at(0), 1.0);
  write_weights("other.safetensors", "w");
  expect_refused<FormatError>({"other.safetensors, weights-final.safetensors", "no index"});
}

TEST_F(OpenCheckpoint, AnAdapterIsNoModel) {
  write_weights("adapter_model.safetensors", "w");
  expect_refused<Unsupported>({"adapter_model.safetensors", "merge_and_unload()"});
}

// What loading and saving again cannot mend has another remedy.
TEST_F(OpenCheckpoint, RemediesFitTheFormat) {
  for (const auto& [file, remedy, not_said] :
       {std::tuple{"pytorch_model.bin", "from_pretrained(d).save", "from_tf"},
        {"tf_model.h5", "from_pretrained(d, from_tf=True)", "folder it was made from"},
        {"flax_model.msgpack", "from_pretrained(d, from_flax=True)", "folder it was made from"},
        {"model.gguf", "folder it was made from", "from_pretrained"},
        {"model.onnx", "folder it was made from", "from_pretrained"}}) {
    write(file, "");
    try {
      open();
      ADD_FAILURE() << "accepted " << file;
    } catch (const Unsupported& error) {
      EXPECT_NE(std::string(error.what()).find(remedy), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find(not_said), std::string::npos) << error.what();
    }
    fs::remove(root_ + "/" + file);
  }
}

}  // namespace
}  // namespace headwater
