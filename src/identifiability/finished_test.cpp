#include "identifiability/finished.h"

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>
#include <headwater/error.h>
#include <unistd.h>

#include "base/files.h"
#include "support/scratch_folder.h"

namespace headwater {
namespace {

class FinishedFile : public ::testing::Test {
 protected:
  const testing::ScratchFolder folder;
  const std::string path = folder / "cells.json";
};

TEST_F(FinishedFile, KeepsCellsAndNumbers) {
  {
    Finished finished(path, {{"seed", "1"}});
    EXPECT_EQ(finished.found(), 0U);
    finished.add("a", {.hits = {{1, 2, 3, 4}, {5, 6, 7, 8}}, .epochs = 9, .residual = 0.5});
    finished.add("b", 0.1);
    finished.add("c", std::nan(""));
    finished.save();
  }
  const Finished again(path, {{"seed", "1"}});
  EXPECT_EQ(again.found(), 1U);
  ASSERT_NE(again.cell("a"), nullptr);
  EXPECT_EQ(again.cell("a")->hits[1].content_id, 7);
  EXPECT_EQ(again.cell("a")->epochs, 9);
  EXPECT_EQ(again.cell("a")->residual, 0.5);
  EXPECT_EQ(again.number("b"), 0.1);
  EXPECT_TRUE(std::isnan(*again.number("c")));
  EXPECT_EQ(again.cell("b"), nullptr);
  EXPECT_FALSE(again.number("a"));
}

TEST_F(FinishedFile, RefusesAnotherRunNamingWhatDiffers) {
  Finished(path, {{"seed", "1"}, {"texts", "x"}}).save();
  try {
    Finished(path, {{"seed", "2"}, {"texts", "x"}});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("(seed)"), std::string::npos) << error.what();
  }
  EXPECT_THROW(Finished(path, {{"seed", "1"}, {"texts", "x"}, {"pool", "y"}}), InputError);
}

TEST_F(FinishedFile, RefusesOtherFiles) {
  write_file(path, "not json");
  EXPECT_THROW(Finished(path, {}), FormatError);
  write_file(path, "{\"cells\": 3}");
  EXPECT_THROW(Finished(path, {}), FormatError);
  write_file(path, R"({"kind": "headwater identify", "settings": {}, "cells": {"a": {}}, "numbers": {}})");
  EXPECT_THROW(Finished(path, {}), FormatError);
  EXPECT_THROW(Finished(path + "/no/such/folder.json", {}), InputError);
}

TEST(FinishedMemory, NeedsNoFile) {
  Finished finished("", {});
  finished.add("a", 1.5);
  finished.save();
  EXPECT_EQ(finished.number("a"), 1.5);
}

}  // namespace
}  // namespace headwater
