#include "cli_support/labelled_reader.h"

#include <fstream>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "support/scratch_folder.h"

namespace headwater {
namespace {

std::string file(const std::string& name, const std::string& content) {
  static const testing::ScratchFolder folder;
  const std::string path = folder / name;
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

std::string refused(const std::string& path) {
  try {
    read_labelled(path, 0);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(ReadLabelled, ReadsTablesWithAHeader) {
  const auto all = read_labelled(file("a.tsv", "id\tlabel\tsentence\n7\t1\tso good \n8\t0\tbad\n"), 0);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].input.text, "so good ");
  EXPECT_EQ(all[0].label, "1");
  EXPECT_FALSE(all[0].input.pair);
  EXPECT_EQ(all[1].input.text, "bad");
}

TEST(ReadLabelled, ReadsPairs) {
  const auto all = read_labelled(file("b.tsv", "sentence1\tsentence2\tlabel\na\tb\tentailment\n"), 0);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].input.text, "a");
  EXPECT_EQ(all[0].input.pair, "b");
  EXPECT_EQ(all[0].label, "entailment");
}

TEST(ReadLabelled, ReadsTablesWithoutOne) {
  const auto all = read_labelled(file("c.tsv", "good\t1\r\n\r\n\"bad\"\t0\r\n"), 0);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].label, "1") << "without the carriage return";
  EXPECT_EQ(all[1].input.text, "\"bad\"") << "quotes are part of the text";
}

TEST(ReadLabelled, ReadsJsonLines) {
  const auto all = read_labelled(file("d.jsonl",
                                      "{\"text\": \"a\", \"label\": 1}\n\n{\"premise\": \"p\", "
                                      "\"hypothesis\": \"h\", \"label\": \"no\"}\n"),
                                 0);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].label, "1");
  EXPECT_EQ(all[1].input.text, "p");
  EXPECT_EQ(all[1].input.pair, "h");
  EXPECT_EQ(all[1].label, "no");
}

TEST(ReadLabelled, StopsAtTheLimit) {
  EXPECT_EQ(read_labelled(file("e.tsv", "a\t1\nb\t0\nbroken\n"), 2).size(), 2U);
}

TEST(ReadLabelled, NamesFileAndLine) {
  const std::string missing = testing::ScratchFolder() / "no such file.tsv";
  EXPECT_EQ(refused(missing), missing + ": expected a labelled file, found none that can be read");
  const std::string one = file("f.tsv", "a\t1\nb\n");
  EXPECT_EQ(refused(one), one + ":2: expected a text and a label separated by a tab, found 1 column");
  const std::string short_row = file("g.tsv", "id\tsentence\tlabel\n1\tb\n");
  EXPECT_EQ(refused(short_row),
            short_row + ":2: expected a text and a label separated by a tab, found 2 columns");
  const std::string empty = file("h.tsv", "sentence\tlabel\n\n");
  EXPECT_EQ(refused(empty), empty + ": expected labelled inputs, found none");
  for (const char* line : {"{\"text\": \"a\"}", "{\"label\": 1}", "[1]", "{\"text\": [1], \"label\": 1}",
                           "{\"text\": \"a\", \"label\": 1.5}"}) {
    const std::string path = file("i.jsonl", "{\"text\": \"a\", \"label\": 1}\n" + std::string(line) + "\n");
    EXPECT_EQ(refused(path), path + ":2: expected an object with \"text\" (or \"sentence\") and \"label\"")
        << line;
  }
  const std::string broken = file("j.jsonl", "{\"text\": \n");
  EXPECT_NE(refused(broken).find(broken + ":1"), std::string::npos);
}

}  // namespace
}  // namespace headwater
