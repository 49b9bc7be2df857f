#include "corpus/merge.h"

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "base/files.h"
#include "corpus/run_record.h"
#include "support/scratch_folder.h"

namespace headwater {
namespace {

TEST(Shard, InputsAreTakenInTurn) {
  const Shard second{.index = 1, .count = 3};
  for (const auto& [inputs, its] : {std::pair{0U, 0U}, {1U, 0U}, {2U, 1U}, {4U, 1U}, {5U, 2U}}) {
    EXPECT_EQ(second.of(inputs), its) << inputs;
    std::size_t counted = 0;
    for (std::size_t k = 0; k < inputs; ++k) counted += second.holds(k) ? 1 : 0;
    EXPECT_EQ(counted, its) << inputs;
  }
  EXPECT_EQ(second.number(2), 7U);
  const Shard last = parse_shard("18446744073709551615/18446744073709551615", "--shard");
  EXPECT_EQ(last.of(1000), 0U);
}

TEST(Shard, AnythingElseIsRefused) {
  EXPECT_EQ(parse_shard("2/4", "--shard").index, 1U);
  EXPECT_EQ(parse_shard("2/4", "--shard").count, 4U);
  for (const char* text :
       {"", "2", "0/4", "5/4", "a/b", "1/", "/4", "1/0", "-1/4", "1/4/2", " 1/4", "1 /4", "1/4 "})
    EXPECT_THROW(parse_shard(text, "--shard"), InputError) << text;
}

class MergeTest : public ::testing::Test {
 protected:
  // A finished file of a shard.
  std::string shard(const std::string& which, const std::string& lines) {
    std::string file = scratch_ / ("shard " + std::to_string(files_++) + ".jsonl");
    write_file(file, lines);
    OrderedJson run = run_;
    if (!which.empty()) run["options"]["--shard"] = {which};
    write_record(file, run);
    return file;
  }
  std::string merged(const std::vector<std::string>& files) {
    std::string all;
    last_ = merge_shards(files, [&](std::string_view lines) { all += lines; });
    return all;
  }
  std::string refused(const std::vector<std::string>& files) {
    try {
      merged(files);
    } catch (const Error& error) {
      std::string text = error.what();
      const std::string folder = scratch_.path().string() + "/";
      for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder))
        text.erase(at, folder.size());
      return text;
    }
    return "nothing thrown";
  }

  const testing::ScratchFolder scratch_;
  OrderedJson run_{{"command", "explain"}, {"options", {{"--method", {"lime"}}}}};
  Merged last_;
  int files_ = 0;
};

TEST_F(MergeTest, InputsStandInTheOrderOfTheirLines) {
  const std::string second = shard("2/3", "{\"line\":4,\"error\":{}}\n{\"line\":7}\n");
  const std::string third = shard("3/3", "{\"line\":5}\n{\"line\":5,\"b\":1}\n");
  const std::string first = shard("1/3", "{\"line\":2,\"a\":1}\n{\"line\":6}\n");
  EXPECT_EQ(
      merged({second, third, first}),
      "{\"line\":2,\"a\":1}\n{\"line\":4,\"error\":{}}\n{\"line\":5}\n{\"line\":5,\"b\":1}\n{\"line\":6}\n{"
      "\"line\":7}\n");
  EXPECT_EQ(last_.inputs, 5U);
  EXPECT_EQ(last_.failed, 1U);
  EXPECT_EQ(last_.run, run_) << "that of the whole";
}

TEST_F(MergeTest, LinesWithoutNumbersAreAnInputEach) {
  EXPECT_EQ(merged({shard("1/2", "[1]\n[3]\n"), shard("2/2", "[2]\n")}), "[1]\n[2]\n[3]\n");
}

TEST_F(MergeTest, AShardMayHaveNoInputs) {
  EXPECT_EQ(merged({shard("1/2", "{\"line\":1}\n"), shard("2/2", "")}), "{\"line\":1}\n");
}

TEST_F(MergeTest, ShardsAreThereOnce) {
  const std::string first = shard("1/3", "{\"line\":1}\n");
  EXPECT_EQ(refused({first}), "merge: expected all 3 shards, found 1; missing: 2,3");
  EXPECT_EQ(refused({first, shard("3/3", ""), shard("1/3", "{\"line\":1}\n")}),
            "shard 2.jsonl: expected every shard once, found 1/3 in shard 0.jsonl too");
  EXPECT_EQ(refused({}), "merge: expected the files of all shards, found none");
  EXPECT_EQ(refused({shard("", "{\"line\":1}\n")}),
            "shard 3.jsonl: expected the results of --shard, found those of a whole run");
}

TEST_F(MergeTest, OtherRunsAreRefusedAndNamed) {
  const std::string first = shard("1/2", "{\"line\":1}\n");
  EXPECT_EQ(refused({first, shard("2/4", "")}),
            "shard 1.jsonl: expected a shard of the same run as shard 0.jsonl, found one of another run: the "
            "number of "
            "shards (2 and 4) differs");
  run_["options"]["--method"] = {"saliency"};
  run_["version"] = "2";
  EXPECT_EQ(
      refused({first, shard("2/2", "")}),
      "shard 2.jsonl: expected a shard of the same run as shard 0.jsonl, found one of another run: options "
      "--method, version differ");
}

TEST_F(MergeTest, WhatIsNotTheWholeFileIsRefused) {
  const std::string first = shard("1/2", "{\"line\":1}\n"),
                    second = shard("2/2", "{\"line\":2}\n{\"line\":4}\n");
  write_file(second, "{\"line\":2}\n");
  EXPECT_EQ(
      refused({first, second}),
      "shard 1.jsonl: expected the bytes that shard 1.jsonl.run was written for, found others; copy both "
      "files again, or run the shard again");
  std::filesystem::remove(second + ".run");
  EXPECT_EQ(
      refused({first, second}),
      "shard 1.jsonl: expected shard 1.jsonl.run beside it, which every shard writes, found none; copy it "
      "too, or leave out the file if it is not a shard's");
  write_file(second + ".run", "{}");
  EXPECT_EQ(
      refused({first, second}),
      "shard 1.jsonl.run: expected the record of a run, found something else; remove it and repeat that run");
  std::filesystem::rename(second, second + ".part");
  EXPECT_EQ(refused({first, second}),
            "shard 1.jsonl: expected a finished shard, found shard 1.jsonl.part; repeat its command with "
            "--resume to finish it");
  std::filesystem::remove(second + ".part");
  EXPECT_EQ(refused({first, second}), "shard 1.jsonl: expected the results of a shard, found no such file");
}

TEST_F(MergeTest, LinesThatAreMissingOrDoubledAreNoticed) {
  const std::string first = shard("1/2", "{\"line\":1}\n{\"line\":3}\n{\"line\":5}\n");
  EXPECT_EQ(refused({first, shard("2/2", "{\"line\":2}\n{\"line\":6}\n")}),
            "shard 0.jsonl: expected a line after 6, found 5; lines are missing or duplicated");
  EXPECT_EQ(refused({first, shard("2/2", "{\"line\":2}\n")}),
            "shard 0.jsonl: expected no more lines than shard 2.jsonl has, found more");
  EXPECT_EQ(refused({first, shard("2/2", "{\"line\":1}\n{\"line\":4}\n")}),
            "shard 3.jsonl: expected a line after 1, found 1; lines are missing or duplicated");
}

}  // namespace
}  // namespace headwater
