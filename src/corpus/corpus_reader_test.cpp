#include "corpus/corpus_reader.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "support/scratch_folder.h"

namespace headwater {
namespace {

class CorpusReaderTest : public ::testing::Test {
 protected:
  CorpusOptions file(const std::string& name, const std::string& content) const {
    CorpusOptions options;
    options.file = scratch_ / name;
    std::ofstream(options.file, std::ios::binary) << content;
    return options;
  }
  // A message without the folder.
  std::string refused(const CorpusOptions& options) const {
    try {
      CorpusReader reader(options);
      while (reader.next()) continue;
    } catch (const Error& error) {
      std::string text = error.what();
      if (const std::size_t at = text.find(scratch_.path().string()); at != std::string::npos)
        text.erase(at, scratch_.path().string().size() + 1);
      return text;
    }
    return "nothing thrown";
  }
  static std::vector<Example> all(const CorpusOptions& options) {
    CorpusReader reader(options);
    std::vector<Example> examples;
    while (std::optional<Example> example = reader.next()) examples.push_back(*example);
    return examples;
  }
  const testing::ScratchFolder scratch_;
};

TEST_F(CorpusReaderTest, ATextPerLineUnlessTheEndingSaysOtherwise) {
  const auto examples = all(file("a.txt", "label\tsentence\n\n{\"text\": 1}\n"));
  ASSERT_EQ(examples.size(), 2U);
  EXPECT_EQ(examples[0].input.text, "label\tsentence");
  EXPECT_EQ(examples[1].input.text, "{\"text\": 1}");
  EXPECT_EQ(examples[1].line, 3U);
}

TEST_F(CorpusReaderTest, AKeyStandsOnceInALine) {
  const CorpusOptions options = file("a.jsonl", "{\"text\": \"a\"}\n{\"text\": \"b\", \"text\": \"c\"}\n");
  EXPECT_EQ(refused(options), "a.jsonl:2: expected every key once, found \"text\" twice");
}

TEST_F(CorpusReaderTest, ADeviceIsNotOpened) {
  CorpusOptions options;
  options.file = "/dev/zero";
  EXPECT_EQ(refused(options), "/dev/zero: expected a file or a pipe, found a device");
}

TEST_F(CorpusReaderTest, EveryShardHasItsLines) {
  // The sixth line cannot be read, and counts all the same.
  CorpusOptions options = file("a.csv", "text,label\na,1\n\nb,2\nc,3\n\"d\"d,4\ne,5\n");
  const std::vector<std::vector<std::size_t>> lines{{2, 6}, {4, 7}, {5}};
  for (std::size_t index = 0; index < 3; ++index) {
    options.shard = Shard{.index = index, .count = 3};
    CorpusReader reader(options);
    EXPECT_EQ(reader.count(), lines[index].size());
    EXPECT_TRUE(reader.none_read());
    std::vector<std::size_t> found;
    for (;;) {
      try {
        const std::optional<Example> example = reader.next();
        if (!example) break;
        found.push_back(example->line);
      } catch (const InputError&) {
        EXPECT_EQ(index, 0U) << "nobody else looks at it";
        found.push_back(reader.line());
      }
    }
    EXPECT_EQ(found, lines[index]);
    EXPECT_FALSE(reader.none_read());
  }
  options.shard = Shard{.index = 6, .count = 7};
  EXPECT_TRUE(all(options).empty());
  EXPECT_EQ(CorpusReader(options).count(), 0U);
}

TEST_F(CorpusReaderTest, AHeaderIsNoExample) {
  const CorpusOptions options = file("dev.tsv", "idx\tLabel\tsentence\n7\t1\tso good \n\n8\t0\tbad\n");
  const auto examples = all(options);
  ASSERT_EQ(examples.size(), 2U);
  EXPECT_EQ(examples[0].input.text, "so good ");
  EXPECT_FALSE(examples[0].input.pair);
  EXPECT_EQ(examples[0].gold, "1");
  EXPECT_EQ(examples[1].line, 4U);
  const CorpusReader reader(options);
  EXPECT_EQ(reader.understood(), "tsv with a header: text from sentence, label from Label; not used: idx");
  EXPECT_EQ(reader.count(), 2U);
}

TEST_F(CorpusReaderTest, ColumnsOfEveryRole) {
  const auto table = all(file("b.csv",
                              "premise,hypothesis,target,contrast,position,gold\n"
                              "\"a, b\",c,yes,no,3,1\nd,,,,,\n"));
  const auto lines = all(file(
      "b.jsonl",
      R"({"premise": "a, b", "hypothesis": "c", "target": "yes", "contrast": "no", "position": 3, "gold": 1})"
      "\n"
      R"({"premise": "d", "hypothesis": "", "target": null})"
      "\n"));
  for (const auto& examples : {table, lines}) {
    ASSERT_EQ(examples.size(), 2U);
    EXPECT_EQ(examples[0].input.text, "a, b");
    EXPECT_EQ(examples[0].input.pair, "c");
    EXPECT_EQ(examples[0].targets, std::vector<std::string>{"yes"});
    EXPECT_EQ(examples[0].contrast, "no");
    EXPECT_EQ(examples[0].position, 3);
    EXPECT_EQ(examples[0].gold, "1");
    EXPECT_EQ(examples[1].input.text, "d");
    EXPECT_EQ(examples[1].input.pair, "");
    EXPECT_TRUE(examples[1].targets.empty());
    EXPECT_FALSE(examples[1].position);
  }
}

TEST_F(CorpusReaderTest, SeveralTargetsOfOneLine) {
  const auto examples = all(file("c.jsonl", "{\"text\": \"a\", \"target\": [\"x\", 1]}\n"));
  ASSERT_EQ(examples.size(), 1U);
  EXPECT_EQ(examples[0].targets, (std::vector<std::string>{"x", "1"}));
}

TEST_F(CorpusReaderTest, ImagesLieBesideTheFile) {
  const auto examples = all(file("d.csv", "file_name,label\ncat.png,cat\n/far/dog.png,dog\n"));
  ASSERT_EQ(examples.size(), 2U);
  EXPECT_EQ(examples[0].input.image, scratch_ / "cat.png");
  EXPECT_EQ(examples[1].input.image, "/far/dog.png");
}

TEST_F(CorpusReaderTest, ColumnsByNameAndNumber) {
  CorpusOptions options = file("e.tsv", "id\treview_body\tstars\n1\tfine\t4\n");
  options.text_column = "review_body";
  options.label_column = "3";
  EXPECT_EQ(all(options).at(0).input.text, "fine");
  EXPECT_EQ(all(options).at(0).gold, "4");
  CorpusOptions numbers = file("f.tsv", "fine\t4\ngood\t5\n");
  numbers.pair_column = "2";
  ASSERT_EQ(all(numbers).size(), 2U);
  EXPECT_EQ(all(numbers).at(1).input.text, "good");
  EXPECT_EQ(all(numbers).at(1).input.pair, "5");
  EXPECT_EQ(CorpusReader(numbers).understood(),
            "tsv without a header: text from column 1, pair from column 2");
  CorpusOptions key = file("g.jsonl", "{\"sentence_good\": \"a\", \"text\": 1}\n");
  key.text_column = "sentence_good";
  EXPECT_EQ(all(key).at(0).input.text, "a");
  EXPECT_EQ(CorpusReader(key).understood(), "jsonl: text from sentence_good; not used: text");
}

TEST_F(CorpusReaderTest, AHeaderCanBeSettled) {
  CorpusOptions options = file("h.tsv", "text\tb\nc\td\n");
  options.pair_column = "2";
  EXPECT_EQ(all(options).size(), 1U);
  options.header = "no";
  EXPECT_EQ(all(options).at(0).input.text, "text");
  options = file("i.tsv", "a\tb\nc\td\n");
  options.text_column = "2";
  EXPECT_EQ(all(options).size(), 2U);
  options.header = "yes";
  EXPECT_EQ(all(options).at(0).input.text, "d");
}

// Columns that nobody named are not guessed: a label read as a text would be an answer to another question.
TEST_F(CorpusReaderTest, NothingIsGuessed) {
  EXPECT_EQ(
      refused(file("j.tsv", "so good\t1\n")),
      "j.tsv:1: expected a header that names its 2 columns (text, pair, label …), found none; say which "
      "they are, counted from 1: --text-column 1 --label-column 2, or --pair-column 2");
  EXPECT_EQ(all(file("k.tsv", "so good\nbad\n")).size(), 2U) << "one column is the text";
  CorpusOptions labelled = file("l.tsv", "so good\t1\n");
  labelled.labelled = true;
  EXPECT_EQ(all(labelled).at(0).gold, "1");
}

TEST_F(CorpusReaderTest, SaysWhatIsMissing) {
  CorpusOptions options = file("m.tsv", "id\tbody\n1\ta\n");
  options.text_column = "txt";
  EXPECT_EQ(refused(options), "m.tsv:1: --text-column: expected one of the columns id, body; found \"txt\"");
  options = file("n.tsv", "a\tb\n");
  options.text_column = "3";
  EXPECT_EQ(refused(options), "n.tsv:1: --text-column: expected a column from 1 to 2, found \"3\"");
  options = file("o.tsv", "a\tb\n");
  options.header = "yes";
  EXPECT_EQ(
      refused(options),
      "o.tsv:1: expected a column of texts (text, sentence, sentence1, premise, question, review, content), "
      "found a, b; name it with --text-column");
  options = file("p.txt", "a\n");
  options.label_column = "2";
  EXPECT_EQ(refused(options),
            "--label-column: expected a file with columns, found one text per line; say what it is with "
            "--input-format tsv, csv or jsonl");
  EXPECT_EQ(refused(file("q.tsv", "sentence\tlabel\nb\n")), "q.tsv:2: expected 2 columns, found 1");
  EXPECT_EQ(refused(file("r.csv", "text,position\na,x\n")),
            "r.csv:2: position: expected a whole number, found \"x\"");
  EXPECT_EQ(refused(file("s.jsonl", "{\"a\": 1, \"b\": 2}\n")),
            "s.jsonl:1: expected text, sentence, sentence1, premise, question, review, content, found the "
            "keys a, b; "
            "name the text's with --text-column");
  EXPECT_EQ(refused(file("t.jsonl", "{\"text\": [1]}\n")), "t.jsonl:1: text: expected a text, found a list");
  EXPECT_EQ(refused(file("u.jsonl", "{\"text\": \"a\", \"label\": 1.5}\n")),
            "u.jsonl:1: label: expected a text or a whole number, found number");
  EXPECT_EQ(refused(file("v.jsonl", "[1]\n")),
            "v.jsonl:1: expected an object such as {\"text\": \"…\"}, found array");
  EXPECT_TRUE(refused(file("w.jsonl", "{\"text\": \n")).starts_with("w.jsonl:1"));
  CorpusOptions folder;
  folder.file = scratch_.path();
  EXPECT_THROW(CorpusReader reader(folder), InputError);
  CorpusOptions none;
  none.file = scratch_ / "none";
  EXPECT_THROW(CorpusReader reader(none), InputError);
}

TEST_F(CorpusReaderTest, GoesOnBehindALineThatCannotBeRead) {
  CorpusReader reader(file("x.jsonl", "{broken\n{\"text\": \"a\"}\n[]\n{\"text\": \"b\"}\n"));
  EXPECT_THROW(reader.next(), FormatError);
  EXPECT_EQ(reader.next().value().input.text, "a");
  EXPECT_THROW(reader.next(), InputError);
  EXPECT_EQ(reader.line(), 3U);
  EXPECT_EQ(reader.next().value().input.text, "b");
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.count(), 4U);
}

}  // namespace
}  // namespace headwater
