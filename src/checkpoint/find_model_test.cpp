#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "checkpoint/checkpoint.h"
#include "support/scratch_folder.h"

namespace headwater {
namespace {

namespace fs = std::filesystem;

const std::string first_commit = "aaaa111111111111111111111111111111111111";
const std::string second_commit = "aaaa222222222222222222222222222222222222";

// A fresh folder, and an environment without any cache settings.
class FindModel : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"})
      ::unsetenv(name);
    ::setenv("HOME", (root_ + "/home").c_str(), 1);
  }

  std::string write(const std::string& path, const std::string& text = "{}") const {
    const fs::path full = root_ + "/" + path;
    fs::create_directories(full.parent_path());
    std::ofstream(full) << text;
    return full.string();
  }
  // A repo with two snapshots; main is the first, "v2" the second. Files are links into blobs.
  void make_repo(const std::string& cache, const std::string& repo) const {
    const std::string base = cache + "/" + repo;
    write(base + "/blobs/b1");
    for (const std::string& commit : {first_commit, second_commit}) {
      fs::create_directories(root_ + "/" + base + "/snapshots/" + commit);
      fs::create_symlink("../../blobs/b1", root_ + "/" + base + "/snapshots/" + commit + "/config.json");
    }
    write(base + "/refs/main", first_commit);
    write(base + "/refs/v2", second_commit + "\n");
    write(base + "/refs/refs/pr/1", second_commit);
  }
  static void expect_refused(const std::string& model, const FindOptions& options,
                             const std::vector<std::string>& parts) {
    try {
      find_model(model, options);
      ADD_FAILURE() << "accepted " << model;
    } catch (const InputError& e) {
      for (const std::string& part : parts)
        EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << part << " not in: " << e.what();
    }
  }
  std::string commit_of(const std::string& revision) const {
    return find_model("org/name", {.cache_dir = root_ + "/hub", .revision = revision, .shipped = {}}).commit;
  }

  const testing::ScratchFolder scratch_;
  const std::string root_ = scratch_.path();
};

TEST_F(FindModel, AnExistingFolder) {
  write("home/m/config.json");
  const ModelFolder found = find_model(root_ + "/home/m", {});
  EXPECT_EQ(found.path, root_ + "/home/m");
  EXPECT_EQ(found.id, root_ + "/home/m");
  EXPECT_EQ(found.commit, "");
  EXPECT_EQ(find_model("~/m", {}).path, root_ + "/home/m");
}

TEST_F(FindModel, AFolderNameThatIsNotUtf8) {
  write("m\xff/config.json");
  EXPECT_EQ(find_model(root_ + "/m\xff", {}).path, root_ + "/m\xff");
}

TEST_F(FindModel, AShippedName) {
  write("ship/sentiment/config.json");
  const FindOptions options{.cache_dir = {}, .revision = {}, .shipped = {root_ + "/none", root_ + "/ship"}};
  const ModelFolder found = find_model("sentiment", options);
  EXPECT_EQ(found.path, root_ + "/ship/sentiment");
  EXPECT_EQ(found.id, "sentiment");
  expect_refused("../ship/sentiment", options, {"expected a folder"});
}

TEST_F(FindModel, TheCacheIsTheFirstThatIsSet) {
  struct Case {
    const char* variable;
    const char* value;
    const char* folder;
  };
  // From the weakest to the strongest, each set on top of the ones before.
  for (const Case& c :
       {Case{"HOME", "/home", "home/.cache/huggingface/hub"},
        Case{"XDG_CACHE_HOME", "/xdg", "xdg/huggingface/hub"}, Case{"HF_HOME", "/hf", "hf/hub"},
        Case{"HUGGINGFACE_HUB_CACHE", "/old", "old"}, Case{"HF_HUB_CACHE", "/new", "new"}}) {
    ::setenv(c.variable, (root_ + c.value).c_str(), 1);
    make_repo(c.folder, "models--org--name");
    const ModelFolder found = find_model("org/name", {});
    EXPECT_EQ(found.path, root_ + "/" + c.folder + "/models--org--name/snapshots/" + first_commit);
    EXPECT_EQ(found.commit, first_commit);
    EXPECT_EQ(found.id, "org/name");
  }
  make_repo("option", "models--org--name");
  EXPECT_EQ(find_model("org/name", {.cache_dir = root_ + "/option", .revision = {}, .shipped = {}}).path,
            root_ + "/option/models--org--name/snapshots/" + first_commit);
  ::setenv("HF_HUB_CACHE", "~/mine", 1);
  ::setenv("HOME", (root_ + "/home").c_str(), 1);
  make_repo("home/mine", "models--solo");
  EXPECT_EQ(find_model("solo", {}).path, root_ + "/home/mine/models--solo/snapshots/" + first_commit);
  ::unsetenv("HF_HUB_CACHE");
}

TEST_F(FindModel, AnEmptySettingIsNone) {
  ::setenv("HF_HUB_CACHE", "", 1);
  make_repo("home/.cache/huggingface/hub", "models--solo");
  EXPECT_EQ(find_model("solo", {}).commit, first_commit);
}

TEST_F(FindModel, Revisions) {
  make_repo("hub", "models--org--name");
  EXPECT_EQ(commit_of(""), first_commit);
  EXPECT_EQ(commit_of("main"), first_commit);
  EXPECT_EQ(commit_of("v2"), second_commit);
  EXPECT_EQ(commit_of("refs/pr/1"), second_commit);
  EXPECT_EQ(commit_of(second_commit), second_commit);
  EXPECT_EQ(commit_of("aaaa2"), second_commit);
  const auto refuse = [&](const std::string& revision, const std::vector<std::string>& parts) {
    expect_refused("org/name", {.cache_dir = root_ + "/hub", .revision = revision, .shipped = {}}, parts);
  };
  refuse("aaaa", {"one commit", first_commit, second_commit});
  refuse("aaa", {"main, refs, v2", first_commit, "hf download org/name --revision aaa"});
  refuse("../v2", {"expected a branch, tag or commit"});
  refuse("/etc/passwd", {"expected a branch, tag or commit"});
  refuse(std::string("main\0x", 6), {"expected a branch, tag or commit"});
}

TEST_F(FindModel, ARefMayNotLeaveTheRepo) {
  make_repo("hub", "models--org--name");
  write("hub/models--org--name/refs/evil", "../../../home");
  EXPECT_THROW(commit_of("evil"), FormatError);
  write("hub/models--org--name/refs/empty", "\n");
  EXPECT_THROW(commit_of("empty"), FormatError);
}

TEST_F(FindModel, ListsWhatTheCacheHolds) {
  make_repo("hub", "models--org--name");
  make_repo("hub", "models--plain");
  write("hub/models--org--half/refs/main", first_commit);
  write("hub/datasets--org--name/refs/main", first_commit);
  const std::vector<ModelFolder> models =
      cached_models({.cache_dir = root_ + "/hub", .revision = {}, .shipped = {}});
  ASSERT_EQ(models.size(), 2U);
  EXPECT_EQ(models[0].id, "org/name");
  EXPECT_EQ(models[0].commit, first_commit);
  EXPECT_EQ(models[1].id, "plain");
  EXPECT_TRUE(cached_models({.cache_dir = root_ + "/none", .revision = {}, .shipped = {}}).empty());
}

TEST_F(FindModel, AnIncompleteDownload) {
  make_repo("hub", "models--org--name");
  const FindOptions options{.cache_dir = root_ + "/hub", .revision = {}, .shipped = {}};
  fs::remove(root_ + "/hub/models--org--name/blobs/b1");
  expect_refused("org/name", options, {"config.json", "blob is gone", "hf download org/name"});
  fs::remove_all(root_ + "/hub/models--org--name/snapshots");
  expect_refused("org/name", options, {"no such folder", "incomplete"});
}

TEST_F(FindModel, SaysWhereItLooked) {
  const FindOptions options{.cache_dir = root_ + "/hub", .revision = {}, .shipped = {root_ + "/ship"}};
  expect_refused("nobody", options,
                 {"model nobody", root_ + "/ship/nobody", root_ + "/hub/models--nobody (--cache-dir)",
                  "hf download nobody"});
  expect_refused("org/nobody", {}, {root_ + "/home/.cache/huggingface/hub/models--org--nobody (default)"});
  expect_refused("/no/such/folder", options, {"looked at /no/such/folder;"});
  expect_refused("a/b/c", options, {"looked at a/b/c;"});
  expect_refused("", options, {"model \"\""});
  expect_refused(std::string("a\0b", 3), options, {"a\\x00b"});
  expect_refused("..", {}, {"config.json"});
}

TEST_F(FindModel, AFileOrAFolderWithoutConfig) {
  const std::string file = write("m/model.safetensors");
  expect_refused(file, {}, {file, "found a file", "give the folder it lies in: " + root_ + "/m"});
  const std::string quantised = write("q/model.gguf");
  try {
    find_model(quantised, {});
    FAIL() << "accepted";
  } catch (const Unsupported& error) {
    EXPECT_EQ(std::string(error.what()).find("it lies in"), std::string::npos) << error.what();
  }
  expect_refused(root_ + "/m", {}, {"config.json", "found model.safetensors"});
  fs::remove(file);
  expect_refused(root_ + "/m", {}, {"found nothing"});
  for (int i = 0; i < 12; ++i) write("m/f" + std::to_string(i));
  expect_refused(root_ + "/m", {}, {"and 2 more"});
}

}  // namespace
}  // namespace headwater
