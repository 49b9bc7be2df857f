#include "evaluation/data/evaluation_reader.h"

#include <cmath>
#include <filesystem>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <headwater/error.h>

#include "base/files.h"
#include "evaluation/data/kept_values.h"
#include "support/scratch_folder.h"

namespace headwater {
namespace {

using testing::ScratchFolder;
namespace fs = std::filesystem;

std::string part(const EvaluationExample& example, const TextSpan& span) {
  return example.input.text.substr(static_cast<std::size_t>(span.begin),
                                   static_cast<std::size_t>(span.end - span.begin));
}

EvaluationFile read(const std::string& path, std::size_t limit = 0) {
  CorpusOptions options;
  options.file = path;
  options.labelled = true;
  return read_examples(options, limit);
}

TEST(EraserReader, EvidenceIsTokensOfTheDocument) {
  const ScratchFolder scratch;
  fs::create_directory(scratch / "docs");
  write_file(scratch / "docs/a.txt", "it is  a dull\nand  slow film .");
  write_file(scratch / "docs/b.txt", "fine");
  write_file(
      scratch / "val.jsonl",
      R"({"annotation_id":"a.txt","classification":"NEG","evidences":[[{"docid":"a.txt","start_token":3,"end_token":6}],[{"docid":"a.txt","start_token":0,"end_token":1}]],"query":"q"})"
      "\n"
      R"({"annotation_id":"b.txt","classification":"POS","evidences":[],"query":"q"})"
      "\n");
  const EvaluationFile file = read(scratch / "val.jsonl");
  ASSERT_EQ(file.examples.size(), 2U);
  const EvaluationExample& first = file.examples[0];
  EXPECT_EQ(first.gold, "NEG");
  EXPECT_TRUE(first.annotated);
  ASSERT_EQ(first.evidence.size(), 2U);
  EXPECT_EQ(part(first, first.evidence[0]), "dull\nand  slow");
  EXPECT_EQ(part(first, first.evidence[1]), "it");
  EXPECT_TRUE(file.examples[1].evidence.empty());
  EXPECT_EQ(file.examples[1].input.text, "fine");
  EXPECT_EQ(read(scratch / "").examples.size(), 2U) << "the folder itself";
  EXPECT_EQ(read(scratch / "val.jsonl", 1).examples.size(), 1U);
  EXPECT_NE(read(scratch / "val.jsonl", 1).identity, file.identity);
}

TEST(EraserReader, AnEmptyRangeMarksNothing) {
  const ScratchFolder scratch;
  fs::create_directory(scratch / "docs");
  write_file(scratch / "docs/a.txt", "it is a dull film");
  const auto with = [&](const std::string& evidence) {
    write_file(scratch / "test.jsonl",
               R"({"annotation_id":"a.txt","classification":"NEG","evidences":)" + evidence + "}\n");
    return read(scratch / "test.jsonl");
  };
  const EvaluationFile beside = with(
      R"([[{"docid":"a.txt","start_token":1,"end_token":1}],[{"docid":"a.txt","start_token":3,"end_token":4}]])");
  ASSERT_EQ(beside.examples.front().evidence.size(), 1U) << "the range of one token alone";
  EXPECT_EQ(part(beside.examples.front(), beside.examples.front().evidence[0]), "dull");
  for (const char* at : {"0", "5"}) {
    const EvaluationFile alone =
        with(fmt::format(R"([[{{"docid":"a.txt","start_token":{},"end_token":{}}}]])", at, at));
    EXPECT_TRUE(alone.examples.front().evidence.empty()) << at;
    EXPECT_TRUE(alone.examples.front().annotated) << at;
    EXPECT_EQ(alone.examples.front().input.text, "it is a dull film") << at;
  }
}

TEST(EraserReader, RefusesWhatIsNotThere) {
  const ScratchFolder scratch;
  fs::create_directory(scratch / "docs");
  write_file(scratch / "docs/a.txt", "two words");
  const auto with = [&](const std::string& evidence) {
    write_file(scratch / "val.jsonl",
               R"({"annotation_id":"a.txt","classification":"NEG","evidences":)" + evidence + "}\n");
    return read(scratch / "val.jsonl");
  };
  EXPECT_THROW(with(R"([[{"docid":"a.txt","start_token":1,"end_token":3}]])"), FormatError);
  EXPECT_THROW(with(R"([[{"docid":"a.txt","start_token":2,"end_token":1}]])"), FormatError);
  EXPECT_THROW(with(R"([[{"docid":"a.txt","start_token":3,"end_token":3}]])"), FormatError);
  EXPECT_THROW(with(R"([[{"docid":"a.txt","start_token":1}]])"), FormatError);
  EXPECT_THROW(with(R"([{"docid":"a.txt","start_token":0,"end_token":1}])"), FormatError);
  EXPECT_THROW(with(R"("all")"), FormatError);
  EXPECT_THROW(with(R"([[{"docid":"../a.txt","start_token":0,"end_token":1}]])"), FormatError);
  EXPECT_THROW(with(R"([[{"docid":"c.txt","start_token":0,"end_token":1}]])"), InputError);
  EXPECT_THROW(
      with(
          R"([[{"docid":"a.txt","start_token":0,"end_token":1},{"docid":"b","start_token":0,"end_token":1}]])"),
      InputError);
  EXPECT_THROW(with(R"([[{"start_token":0,"end_token":1}]])"), InputError);
  fs::remove_all(scratch / "docs");
  EXPECT_THROW(with("[]"), InputError);
  EXPECT_THROW(read(scratch / ""), InputError) << "neither kind of folder";
  fs::create_directory(scratch / "docs");
  fs::remove(scratch / "val.jsonl");
  EXPECT_THROW(read(scratch / ""), InputError) << "no file of examples";
}

std::string pair_line(const std::string& good, const std::string& bad, const std::string& paradigm,
                      const std::string& more = "") {
  return R"({"sentence_good":")" + good + R"(","sentence_bad":")" + bad + R"(","UID":")" + paradigm + "\"" +
         more + "}\n";
}

TEST(BlimpReader, FindsTheCueByItsParadigm) {
  struct Case {
    const char *good, *bad, *paradigm, *text, *label, *contrast;
    std::vector<std::string> cues;
    std::string number;
  };
  const std::vector<Case> cases{{"Katherine can't help herself.",
                                 "Katherine can't help himself.",
                                 "anaphor_gender_agreement",
                                 "Katherine can not help herself.",
                                 "herself",
                                 "himself",
                                 {"Katherine"},
                                 ""},
                                {"Many teachers had noticed themselves.",
                                 "Many teachers had noticed herself.",
                                 "anaphor_number_agreement",
                                 "Many teachers had noticed themselves.",
                                 "themselves",
                                 "herself",
                                 {"Many", "teachers"},
                                 "plural"},
                                {"Raymond is selling this sketch.",
                                 "Raymond is selling this sketches.",
                                 "determiner_noun_agreement_1",
                                 "Raymond is selling this sketch.",
                                 "sketch",
                                 "sketches",
                                 {"this"},
                                 "singular"},
                                {"This snake wasn't breaking this dish.",
                                 "This snake wasn't breaking these dish.",
                                 "determiner_noun_agreement_2",
                                 "This snake was not breaking this dish.",
                                 "this",
                                 "these",
                                 {"dish"},
                                 "singular"},
                                {"A niece of most senators hasn't descended most slopes.",
                                 "A niece of most senators haven't descended most slopes.",
                                 "distractor_agreement_relational_noun",
                                 "A niece of most senators has not descended most slopes.",
                                 "has",
                                 "have",
                                 {"niece"},
                                 "singular"},
                                {"Libraries that appreciated Danielle talk about Jason.",
                                 "Libraries that appreciated Danielle talks about Jason.",
                                 "distractor_agreement_relative_clause",
                                 "Libraries that appreciated Danielle talk about Jason.",
                                 "talk",
                                 "talks",
                                 {"Libraries"},
                                 "plural"},
                                {"Those radii have scared that teenager.",
                                 "Those radii has scared that teenager.",
                                 "irregular_plural_subject_verb_agreement_1",
                                 "Those radii have scared that teenager.",
                                 "have",
                                 "has",
                                 {"radii"},
                                 "plural"},
                                {"The drivers weren't touring.",
                                 "The driver weren't touring.",
                                 "regular_plural_subject_verb_agreement_2",
                                 "The drivers were not touring.",
                                 "drivers",
                                 "driver",
                                 {"were"},
                                 "plural"}};
  const ScratchFolder scratch;
  for (const Case& one : cases) {
    write_file(scratch / "a.jsonl", pair_line(one.good, one.bad, one.paradigm));
    const EvaluationFile file = read(scratch / "a.jsonl");
    ASSERT_EQ(file.examples.size(), 1U);
    const EvaluationExample& made = file.examples[0];
    EXPECT_EQ(made.input.text, one.text);
    EXPECT_EQ(made.target.label, one.label);
    EXPECT_EQ(made.target.contrast, one.contrast);
    EXPECT_TRUE(made.one_token);
    ASSERT_TRUE(made.blank.has_value());
    EXPECT_EQ(part(made, *made.blank), one.label);
    std::vector<std::string> cues;
    for (const TextSpan& cue : made.cues) cues.push_back(part(made, cue));
    EXPECT_EQ(cues, one.cues) << one.good;
    EXPECT_EQ(made.property, one.number) << one.good;
  }
}

TEST(BlimpReader, ALinesOwnCueGoesFirst) {
  const ScratchFolder scratch;
  write_file(scratch / "a.jsonl",
             pair_line("The men sing.", "The man sing.", "something_new", R"(,"cue":["sing"])") +
                 pair_line("The men sing.", "The man sing.", "something_new") +
                 pair_line("The men sing.", "The man sings.", "anaphor_x"));
  const EvaluationFile file = read(scratch / "a.jsonl");
  ASSERT_EQ(file.examples.size(), 1U) << "no rule, and two words that differ";
  EXPECT_EQ(part(file.examples[0], file.examples[0].cues.at(0)), "sing");
  EXPECT_NE(file.understood.find("no rule"), std::string::npos);
  write_file(scratch / "b.jsonl", pair_line("The men sing.", "The man sing.", "x", R"(,"cue":"dance")"));
  EXPECT_THROW(read(scratch / "b.jsonl"), InputError);
  write_file(scratch / "c.jsonl", pair_line("The men sing.", "The man sing.", "x", R"(,"cue":7)"));
  EXPECT_THROW(read(scratch / "c.jsonl"), InputError);
  write_file(scratch / "d.jsonl", pair_line("The men sing.", "The man sing.", "x"));
  EXPECT_THROW(read(scratch / "d.jsonl"), InputError) << "nothing is left";
}

TEST(PictureReader, TakesWhatTheListNames) {
  const ScratchFolder scratch;
  for (const char* folder : {"images", "trimaps"}) fs::create_directory(scratch / folder);
  write_file(scratch / "images/a.jpg", "1");
  write_file(scratch / "images/b.png", "2");
  write_file(scratch / "trimaps/b.png", "3");
  const EvaluationFile all = read(scratch / "");
  ASSERT_EQ(all.examples.size(), 2U);
  EXPECT_EQ(all.examples[0].input.image, scratch / "images/a.jpg");
  EXPECT_TRUE(all.examples[0].mask.empty());
  EXPECT_EQ(all.examples[1].mask, scratch / "trimaps/b.png");
  write_file(scratch / "list.txt", "# name label\nb dog\n");
  const EvaluationFile listed = read(scratch / "");
  ASSERT_EQ(listed.examples.size(), 1U);
  EXPECT_EQ(listed.examples[0].gold, "dog");
  write_file(scratch / "list.txt", "c cat\n");
  EXPECT_THROW(read(scratch / ""), InputError);
  write_file(scratch / "list.txt", "\n");
  EXPECT_THROW(read(scratch / ""), InputError);
}

TEST(EvaluationReader, TakesLabelledTables) {
  const ScratchFolder scratch;
  write_file(scratch / "a.tsv", "sentence\tlabel\nfine film\t1\n");
  const EvaluationFile file = read(scratch / "a.tsv");
  ASSERT_EQ(file.examples.size(), 1U);
  EXPECT_EQ(file.examples[0].gold, "1");
  EXPECT_FALSE(file.examples[0].annotated);
  write_file(scratch / "b.jsonl", R"({"text":"a","target":["x","y"]})");
  EXPECT_THROW(read(scratch / "b.jsonl"), InputError);
  write_file(scratch / "empty.tsv", "sentence\tlabel\n");
  EXPECT_THROW(read(scratch / "empty.tsv"), InputError);
}

TEST(EvaluationReader, WhatALineAsksForIsOfTheRun) {
  const ScratchFolder scratch;
  const auto identity = [&](const std::string& row) {
    write_file(scratch / "asked.csv", "text,target,contrast,position\n" + row + "\n");
    return read(scratch / "asked.csv").identity;
  };
  const std::string plain = identity("a film,dog,cat,1");
  EXPECT_EQ(identity("a film,dog,cat,1"), plain);
  for (const char* other : {"a film,cow,cat,1", "a film,dog,cow,1", "a film,dog,cat,2", "a film,dog,cat,"})
    EXPECT_NE(identity(other), plain) << other;
}

TEST(KeptValues, ReadBackToTheSameNumbers) {
  const ScratchFolder scratch;
  const double odd = 0.1 + 0.2, tiny = 1e-310, none = std::numeric_limits<double>::quiet_NaN();
  const ExampleValues first{.example = 0,
                            .values = {{{.value = odd, .curve = {odd, none, -tiny}}, {.value = none}},
                                       {{.value = -1.0 / 3, .parts = {3, 7}}, {.value = 0}}}};
  const ExampleValues second{.example = 1, .left_out = "\"them\" is two tokens"};
  write_file(scratch / "v", values_line(first) + values_line(second));
  const std::vector<ExampleValues> back = read_values(scratch / "v");
  ASSERT_EQ(back.size(), 2U);
  EXPECT_EQ(back[0].values[0][0].value, odd);
  EXPECT_EQ(back[0].values[0][0].curve[0], odd);
  EXPECT_TRUE(std::isnan(back[0].values[0][0].curve[1]));
  EXPECT_EQ(back[0].values[0][0].curve[2], -tiny);
  EXPECT_TRUE(std::isnan(back[0].values[0][1].value));
  EXPECT_EQ(back[0].values[1][0].value, -1.0 / 3);
  EXPECT_EQ(back[0].values[1][0].parts, (std::vector<double>{3, 7}));
  EXPECT_EQ(back[1].left_out, second.left_out);
  write_file(scratch / "v", values_line(second));
  EXPECT_THROW(read_values(scratch / "v"), FormatError) << "the first is missing";
  EXPECT_EQ(read_values(scratch / "v", {.index = 1, .count = 2}).size(), 1U) << "of a shard it is the first";
  write_file(scratch / "v", "{\"line\":1}\n");
  EXPECT_THROW(read_values(scratch / "v"), FormatError);
}

}  // namespace
}  // namespace headwater
