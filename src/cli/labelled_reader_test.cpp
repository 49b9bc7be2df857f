#include "cli/labelled_reader.h"

#include <fstream>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "cli/options.h"
#include "support/scratch_folder.h"

namespace headwater {
namespace {

class LabelledReaderTest : public ::testing::Test {
 protected:
  std::vector<LabelledInput> read(const std::string& name, const std::string& content,
                                  std::size_t limit = 0) const {
    LabelledOptions options{.corpus = {}, .limit = limit};
    options.corpus.file = scratch_ / name;
    options.corpus.labelled = true;
    std::ofstream(options.corpus.file, std::ios::binary) << content;
    OutputOptions output;
    output.quiet = true;
    return options.read(output);
  }
  std::string refused(const std::string& name, const std::string& content) const {
    try {
      read(name, content);
    } catch (const Error& error) {
      return std::string(error.what()).substr(scratch_.path().string().size() + 1);
    }
    return "nothing thrown";
  }
  const testing::ScratchFolder scratch_;
};

TEST_F(LabelledReaderTest, ReadsTablesAndJsonLines) {
  for (const auto& [name, content] :
       {std::pair{"a.tsv", "id\tlabel\tsentence\n7\t1\tso good \n8\t0\tbad\n"},
        {"b.tsv", "so good \t1\r\n\r\nbad\t0\r\n"},
        {"c.csv", "label,text\n1,so good \n0,bad\n"},
        {"d.jsonl", "{\"text\": \"so good \", \"label\": 1}\n\n{\"text\": \"bad\", \"label\": \"0\"}\n"}}) {
    const auto all = read(name, content);
    ASSERT_EQ(all.size(), 2U) << name;
    EXPECT_EQ(all[0].input.text, "so good ") << name;
    EXPECT_EQ(all[0].label, "1") << name;
    EXPECT_FALSE(all[0].input.pair) << name;
    EXPECT_EQ(all[1].input.text, "bad") << name;
    EXPECT_EQ(all[1].label, "0") << name;
  }
}

TEST_F(LabelledReaderTest, ReadsPairs) {
  const auto all = read("b.tsv", "sentence1\tsentence2\tlabel\na\tb\tentailment\n");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].input.pair, "b");
  EXPECT_EQ(all[0].label, "entailment");
}

TEST_F(LabelledReaderTest, StopsAtTheLimit) {
  EXPECT_EQ(read("e.tsv", "a\t1\nb\t0\nbroken\n", 2).size(), 2U);
}

TEST_F(LabelledReaderTest, EveryInputNeedsALabel) {
  const std::string remedy = "expected a label for the text, found none; name its column with --label-column";
  EXPECT_EQ(refused("f.tsv", "a\t1\nb\n"), "f.tsv:2: expected 2 columns, found 1");
  EXPECT_EQ(refused("g.tsv", "sentence\tlabel\nb\t\n"), "g.tsv:2: " + remedy);
  EXPECT_EQ(refused("h.jsonl", "{\"text\": \"a\"}\n"), "h.jsonl:1: " + remedy);
  EXPECT_EQ(refused("i.tsv", "sentence\tlabel\n\n"), "i.tsv: expected labelled inputs, found none");
}

}  // namespace
}  // namespace headwater
