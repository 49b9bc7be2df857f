#include "text/tokenizer.h"

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "base/json.h"

namespace headwater {
namespace {

// A complete tokenizer.json around a model and whatever else is given.
Json description(Json model, Json rest = Json::object()) {
  Json json = {{"version", "1.0"}, {"model", std::move(model)}};
  json.update(rest);
  return json;
}

Json wordpiece() {
  return {{"type", "WordPiece"},
          {"unk_token", "[UNK]"},
          {"continuing_subword_prefix", "##"},
          {"max_input_chars_per_word", 10},
          {"vocab",
           {{"[UNK]", 0}, {"[CLS]", 1}, {"[SEP]", 2}, {"un", 3}, {"##aff", 4}, {"##able", 5}, {"a", 6}}}};
}

const Json whitespace = {{"pre_tokenizer", {{"type", "WhitespaceSplit"}}}};

std::shared_ptr<const Tokenizer> make(const Json& json) {
  return Tokenizer::from_json(json.dump(), "tokenizer.json");
}

std::vector<int> ids(const Json& json, const std::string& text) {
  return make(json)->encode(text).ids();
}

std::string format_error(const Json& json, const std::string& text = "a") {
  try {
    make(json)->encode(text);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "no error";
}

std::string unsupported(const Json& json) {
  try {
    make(json)->encode("a");
  } catch (const Unsupported& error) {
    return error.what();
  }
  return "no error";
}

TEST(WordPiece, TakesTheLongestPieceFromTheLeft) {
  EXPECT_EQ(ids(description(wordpiece(), whitespace), "unaffable a"), (std::vector{3, 4, 5, 6}));
  EXPECT_EQ(ids(description(wordpiece(), whitespace), "unaffablez"), std::vector{0});    // not covered
  EXPECT_EQ(ids(description(wordpiece(), whitespace), "unaffableaff"), std::vector{0});  // 12 characters
}

TEST(WordPiece, NeedsItsUnknownTokenOnlyWhenAWordIsUnknown) {
  Json model = wordpiece();
  model["unk_token"] = "[NONE]";
  EXPECT_EQ(ids(description(model, whitespace), "a"), std::vector{6});
  EXPECT_EQ(format_error(description(model), "x"),
            "tokenizer.json: model.unk_token: expected a piece of the vocabulary, found \"[NONE]\"");
}

TEST(WordLevel, KnowsWholeWords) {
  const Json model = {{"type", "WordLevel"}, {"unk_token", "?"}, {"vocab", {{"?", 0}, {"hi", 7}}}};
  EXPECT_EQ(ids(description(model, whitespace), "hi ho"), (std::vector{7, 0}));
  Json none = model;
  none["unk_token"] = "x";
  EXPECT_NE(format_error(description(none), "ho").find("model.unk_token"), std::string::npos);
}

TEST(Models, WithoutTypeAreToldFromTheirKeys) {
  Json model = wordpiece();
  model.erase("type");
  EXPECT_EQ(make(description(model))->kind(), "WordPiece");
  EXPECT_EQ(make(description({{"vocab", {{"a", 0}}}, {"merges", Json::array()}}))->kind(), "BPE");
  EXPECT_EQ(make(description({{"vocab", Json::array({Json::array({"a", -1.5})})}, {"unk_id", 0}}))->kind(),
            "Unigram");
  EXPECT_EQ(make(description({{"vocab", {{"a", 0}}}, {"unk_token", "a"}}))->kind(), "WordLevel");
  EXPECT_NE(unsupported(description({{"type", "Magic"}})).find("model.type: expected WordPiece"),
            std::string::npos);
}

Json bpe(Json rest = Json::object()) {
  Json model = {{"type", "BPE"},
                {"vocab", {{"a", 0}, {"b", 1}, {"c", 2}, {"ab", 3}, {"bc", 4}, {"abc", 5}, {"<u>", 6}}},
                {"merges", {"b c", Json::array({"a", "b"}), "a bc"}}};
  model.update(rest);
  return model;
}

TEST(Bpe, MergesByRankThenFromTheLeft) {
  EXPECT_EQ(ids(description(bpe()), "abc"), std::vector{5});  // b c first, then a bc
  EXPECT_EQ(ids(description(bpe()), "abab"), (std::vector{3, 3}));
  EXPECT_EQ(ids(description(bpe()), "aabcb"), (std::vector{0, 5, 1}));
}

TEST(Bpe, UnknownCharactersVanishOrBecomeUnknownTokens) {
  EXPECT_EQ(ids(description(bpe()), "axxb"), std::vector{3});
  EXPECT_EQ(ids(description(bpe({{"unk_token", "<u>"}})), "axxb"), (std::vector{0, 6, 6, 1}));
  EXPECT_EQ(ids(description(bpe({{"unk_token", "<u>"}, {"fuse_unk", true}})), "axxb"),
            (std::vector{0, 6, 1}));
  EXPECT_NE(format_error(description(bpe({{"unk_token", "no"}})), "x").find("model.unk_token"),
            std::string::npos);
}

TEST(Bpe, FallsBackToBytesIfAllAreThere) {
  Json model = bpe({{"byte_fallback", true}, {"unk_token", "<u>"}});
  model["vocab"]["<0xC3>"] = 10;
  model["vocab"]["<0xA9>"] = 11;
  const auto tokenizer = make(description(model));
  const Encoding encoding = tokenizer->encode("aé");
  EXPECT_EQ(encoding.ids(), (std::vector{0, 10, 11}));
  EXPECT_EQ(encoding.source(encoding.tokens[1]), "é");
  EXPECT_EQ(tokenizer->encode("ü").ids(), std::vector{6});  // 0xBC is missing
}

TEST(Bpe, WholeWordsFirstIfMergesAreIgnored) {
  Json model = bpe({{"ignore_merges", true}});
  model["vocab"]["cab"] = 20;
  EXPECT_EQ(ids(description(model), "cab"), std::vector{20});
}

TEST(Bpe, RefusesBrokenMerges) {
  EXPECT_EQ(format_error(description(bpe({{"merges", {"a x"}}}))),
            "tokenizer.json: model.merges[0]: expected pieces of the vocabulary, found \"x\"");
  EXPECT_EQ(format_error(description(bpe({{"merges", {"c a"}}}))),
            "tokenizer.json: model.merges[0]: expected pieces of the vocabulary, found \"ca\"");
  for (const Json& bad : {Json("abc"), Json("a b c"), Json(3), Json::array({"a"}), Json::array({"a", 1})})
    EXPECT_NE(format_error(description(bpe({{"merges", Json::array({bad})}})))
                  .find("model.merges[0]: expected \"left"),
              std::string::npos);
  EXPECT_NE(format_error(description(bpe({{"merges", 3}}))).find("model.merges: expected an array"),
            std::string::npos);
  EXPECT_NE(
      format_error(description(bpe({{"continuing_subword_prefix", "@@"}}))).find("the prefix of 2 bytes"),
      std::string::npos);
  EXPECT_NE(unsupported(description(bpe({{"dropout", 0.1}}))).find("model.dropout"), std::string::npos);
  EXPECT_EQ(ids(description(bpe({{"merges", {"#version: 0.2", "a b"}}})), "ab"), std::vector{3});
}

TEST(Bpe, LongWordsStayCheap) {
  const std::string text(300000, 'a');
  EXPECT_EQ(make(description(bpe()))->encode(text).tokens.size(), text.size());
}

TEST(Unigram, TakesTheMostProbablePath) {
  Json vocabulary = Json::array();
  for (const auto& [piece, score] :
       {std::pair{"<u>", 0.0}, {"a", -1.0}, {"b", -1.0}, {"ab", -1.5}, {"ba", -4.0}})
    vocabulary.push_back(Json::array({piece, score}));
  const Json model = {{"type", "Unigram"}, {"unk_id", 0}, {"vocab", vocabulary}};
  EXPECT_EQ(ids(description(model), "aba"), (std::vector{3, 1}));
  EXPECT_EQ(ids(description(model), "axxb"), (std::vector{1, 0, 2}));  // unknowns are one token
  Json none = model;
  none.erase("unk_id");
  EXPECT_EQ(ids(description(none), "ab"), std::vector{3});
  EXPECT_NE(format_error(description(none), "x").find("model.unk_id"), std::string::npos);
  Json beyond = model;
  beyond["unk_id"] = 5;
  EXPECT_NE(format_error(description(beyond)).find("model.unk_id: expected an id below the 5"),
            std::string::npos);
  for (const Json& bad : {Json(1), Json::array({1}), Json::array({Json::array({"a", "b"})})}) {
    beyond["vocab"] = bad;
    EXPECT_NE(format_error(description(beyond)).find("model.vocab"), std::string::npos);
  }
}

// a|aa and aa|a have one sum: of equal cuts the one whose last piece is longest is kept, as the search of the
// `tokenizers` package keeps it, which looks at longer pieces first and replaces by larger sums alone.
TEST(Unigram, OfEqualCutsTakesTheLongestLastPiece) {
  const auto model = [](double pair) {
    Json vocabulary = Json::array();
    for (const auto& [piece, score] : {std::pair{"<u>", 0.0}, {"a", -1.25}, {"aa", pair}})
      vocabulary.push_back(Json::array({piece, score}));
    return Json{{"type", "Unigram"}, {"unk_id", 0}, {"vocab", vocabulary}};
  };
  EXPECT_EQ(ids(description(model(-2.5)), "aaa"), (std::vector{1, 2}));
  EXPECT_EQ(ids(description(model(-2.5)), "aaaa"), (std::vector{2, 2}));
  EXPECT_EQ(ids(description(model(-2.75)), "aaa"), (std::vector{1, 1, 1})) << "no tie";
}

TEST(Vocabulary, RefusesIdsThatAreNone) {
  for (const Json& id : {Json(-1), Json(2147483647), Json(1e20), Json("1"), Json(1.5), Json(nullptr)}) {
    Json model = wordpiece();
    model["vocab"]["bad"] = id;
    EXPECT_NE(format_error(description(model)).find("model.vocab[\"bad\"]: expected an integer from 0"),
              std::string::npos);
  }
  Json sparse = wordpiece();
  sparse["vocab"]["far"] = 2147483000;
  EXPECT_EQ(make(description(sparse))->piece_of(2147483000), "far");
  EXPECT_EQ(make(description(sparse))->piece_of(-1), "");
}

TEST(TokenizerJson, TakesTheLastOfTwoModels) {
  const std::string two =
      R"({"model": {"vocab": {"x": 0, "?": 1}}, "model": {"type": "WordLevel", "unk_token": "?",
                              "vocab": {"?": 3, "y": 4, "y": 5}}})";
  const auto tokenizer = Tokenizer::from_json(two, "t.json");
  EXPECT_EQ(tokenizer->encode("y").ids(), std::vector{5});
  EXPECT_EQ(tokenizer->id_of("x"), std::nullopt);
  EXPECT_EQ(tokenizer->vocabulary_size(), 2);
}

TEST(TokenizerJson, NamesFileAndKeyOfWhatIsBroken) {
  EXPECT_THROW(Tokenizer::from_json("{", "t.json"), FormatError);
  EXPECT_THROW(Tokenizer::from_json("[]", "t.json"), FormatError);
  EXPECT_THROW(Tokenizer::from_json(std::string(1000, '['), "t.json"), FormatError);
  EXPECT_EQ(format_error(Json::object()), "tokenizer.json: model: expected the key, found none");
  EXPECT_EQ(format_error(description(wordpiece(), {{"version", "2.0"}})),
            "tokenizer.json: version: expected \"1.0\", found \"2.0\"");
  EXPECT_NE(format_error(description(wordpiece(), {{"normalizer", {{"type", 3}}}}))
                .find("normalizer.type: expected a string"),
            std::string::npos);
  EXPECT_NE(format_error(description(wordpiece(), {{"added_tokens", {{{"content", "x"}, {"special", 1}}}}}))
                .find("added_tokens[0].special: expected true or false, found 1"),
            std::string::npos);
  EXPECT_NE(
      format_error(description(wordpiece(), {{"added_tokens", 1}})).find("added_tokens: expected an array"),
      std::string::npos);
  for (const char* part : {"normalizer", "pre_tokenizer", "post_processor", "decoder"})
    EXPECT_NE(unsupported(description(wordpiece(), {{part, {{"type", "Magic"}}}}))
                  .find(std::string(part) + ".type: expected"),
              std::string::npos);
}

TEST(Patterns, RefuseWhatDoesNotCompileOrEnd) {
  const auto split = [](const char* regex) {
    return description(wordpiece(), {{"pre_tokenizer",
                                      {{"type", "Split"},
                                       {"pattern", {{"Regex", regex}}},
                                       {"behavior", "Isolated"},
                                       {"invert", false}}}});
  };
  EXPECT_NE(format_error(split("(")).find("pre_tokenizer.pattern.Regex: expected a regular expression"),
            std::string::npos);
  EXPECT_NE(format_error(split("(?:a|aa)+[cd]"), std::string(200, 'a')).find("gave up"), std::string::npos);
  EXPECT_EQ(ids(split("b*"), "a"), std::vector{6});  // empty matches
  Json behavior = split("a");
  behavior["pre_tokenizer"]["behavior"] = "Sometimes";
  EXPECT_NE(format_error(behavior).find("pre_tokenizer.behavior: expected Removed"), std::string::npos);
}

TEST(Metaspace, RefusesContradictions) {
  const auto with = [](Json rest) {
    Json pre = {{"type", "Metaspace"}, {"replacement", "_"}};
    pre.update(rest);
    return description(wordpiece(), {{"pre_tokenizer", pre}});
  };
  EXPECT_NE(format_error(with({{"prepend_scheme", "last"}})).find("prepend_scheme: expected first"),
            std::string::npos);
  EXPECT_NE(
      format_error(with({{"prepend_scheme", "first"}, {"add_prefix_space", false}})).find("expected never"),
      std::string::npos);
  EXPECT_NE(
      format_error(with({{"replacement", "ab"}})).find("replacement: expected a string of one character"),
      std::string::npos);
  EXPECT_EQ(ids(with({{"add_prefix_space", false}}), "a"), std::vector{6});  // files of before prepend_scheme
}

TEST(Precompiled, RefusesMapsThatAreNone) {
  const auto with = [](const Json& map) {
    return description(wordpiece(),
                       {{"normalizer", {{"type", "Precompiled"}, {"precompiled_charsmap", map}}}});
  };
  for (const char* bad : {"abc", "a!==", "AAA=", "//////8A", "BAAAAAAAAAD/"})
    EXPECT_NE(format_error(with(bad)).find("normalizer.precompiled_charsmap: expected"), std::string::npos)
        << bad;
  // A trie of nothing but leaves that point beyond the texts changes nothing.
  EXPECT_EQ(ids(with("BAAAAP////8="), "a"), std::vector{6});
}

// What one search may cost is bounded, and so is what three thousand of them may.
TEST(PreTokenizers, ATextHasOneBoundForAllSearches) {
  const auto splitting_by = [](const char* pattern) {
    return description(wordpiece(), {{"pre_tokenizer",
                                      {{"type", "Split"},
                                       {"pattern", {{"Regex", pattern}}},
                                       {"behavior", "Isolated"},
                                       {"invert", false}}}});
  };
  const std::string text(3000, 'a');
  EXPECT_NE(format_error(splitting_by("a*a*b|a"), text).find("gave up on a text of 3000 bytes"),
            std::string::npos);
  EXPECT_EQ(ids(splitting_by("a"), text), std::vector<int>(3000, 6)) << "a sane pattern, as often";
}

TEST(Templates, AddAFewTokensAtMost) {
  const auto adding = [](std::size_t parts, std::size_t ids) {
    Json single = {{{"Sequence", {{"id", "A"}, {"type_id", 0}}}}};
    for (std::size_t i = 0; i < parts; ++i)
      single.push_back({{"SpecialToken", {{"id", "[X]"}, {"type_id", 0}}}});
    return description(wordpiece(), {{"post_processor",
                                      {{"type", "TemplateProcessing"},
                                       {"single", single},
                                       {"pair", {{{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
                                       {"special_tokens",
                                        {{"[X]",
                                          {{"id", "[X]"},
                                           {"ids", std::vector<int>(ids, 1)},
                                           {"tokens", std::vector<std::string>(ids, "[CLS]")}}}}}}}});
  };
  EXPECT_EQ(ids(adding(2, 3), "a").size(), 7U);
  EXPECT_NE(
      format_error(adding(10, 1000)).find("post_processor.single: expected at most 4096 special tokens"),
      std::string::npos);
  EXPECT_NE(format_error(adding(100, 1)).find("post_processor.single: expected at most 64 parts"),
            std::string::npos);
}

TEST(Templates, MustNameWhatExists) {
  const Json special = {{"[CLS]", {{"id", "[CLS]"}, {"ids", {1}}, {"tokens", {"[CLS]"}}}}};
  const Json a = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}},
             b = {{"Sequence", {{"id", "B"}, {"type_id", 1}}}};
  const auto with = [&](Json single, const Json& tokens) {
    return description(wordpiece(), {{"post_processor",
                                      {{"type", "TemplateProcessing"},
                                       {"single", std::move(single)},
                                       {"pair", {a, b}},
                                       {"special_tokens", tokens}}}});
  };
  const Json cls = {{"SpecialToken", {{"id", "[CLS]"}, {"type_id", 0}}}};
  EXPECT_EQ(ids(with({cls, a}, special), "a"), (std::vector{1, 6}));
  EXPECT_NE(format_error(with({cls, a}, Json::object())).find("expected a key of special_tokens"),
            std::string::npos);
  EXPECT_NE(format_error(with(Json::array({b}), special)).find("expected A, found \"B\""), std::string::npos);
  Json uneven = special;
  uneven["[CLS]"]["tokens"] = Json::array();
  EXPECT_NE(format_error(with(Json::array({a}), uneven)).find("as many tokens as ids"), std::string::npos);
  Json twice = with({cls, a, cls}, special);
  twice["post_processor"] = {{"type", "Sequence"},
                             {"processors", {twice["post_processor"], twice["post_processor"]}}};
  EXPECT_NE(unsupported(twice).find("cannot follow another template"), std::string::npos);
  EXPECT_NE(format_error(
                description(wordpiece(),
                            {{"post_processor", {{"type", "BertProcessing"}, {"cls", {"x"}}, {"sep", 1}}}}))
                .find("post_processor.cls: expected [piece, id]"),
            std::string::npos);
}

TEST(BpeDecoder, NeedsASuffix) {
  EXPECT_NE(format_error(description(wordpiece(), {{"decoder", {{"type", "BPEDecoder"}, {"suffix", ""}}}}))
                .find("decoder.suffix"),
            std::string::npos);
}

TEST(Encode, RefusesInvalidUtf8InEitherText) {
  const auto tokenizer = make(description(wordpiece(), whitespace));
  EXPECT_THROW(tokenizer->encode("a\xff"), InputError);
  EXPECT_THROW(tokenizer->encode("a", "\xc3"), InputError);
}

TEST(Encode, RefusesTextsBeyondAnyModel) {
  EXPECT_THROW(make(description(wordpiece(), whitespace))->encode(std::string((1 << 26) + 1, ' ')),
               InputError);
}

TEST(Encode, RefusesPipelinesThatGrowWithoutEnd) {
  const Json twice = {{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aa"}};
  const Json steps = std::vector<Json>(40, twice);
  EXPECT_NE(
      format_error(description(wordpiece(), {{"normalizer", {{"type", "Sequence"}, {"normalizers", steps}}}}))
          .find("keep the size of a text"),
      std::string::npos);
  const auto decoder =
      make(description(wordpiece(), {{"decoder", {{"type", "Sequence"}, {"decoders", steps}}}}));
  EXPECT_THROW(decoder->decode({6}, false), FormatError);
}

TEST(Encode, TooLongNamesLimitAndLength) {
  const auto tokenizer = make(description(
      wordpiece(),
      {{"pre_tokenizer", {{"type", "WhitespaceSplit"}}},
       {"post_processor", {{"type", "BertProcessing"}, {"cls", {"[CLS]", 1}}, {"sep", {"[SEP]", 2}}}}}));
  try {
    tokenizer->encode("a a a a", {}, {.max_length = 5});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "text: expected at most 5 tokens, found 6; cut it with --truncate or shorten it");
  }
  const Encoding cut = tokenizer->encode("a a a a", {}, {.truncate = true, .max_length = 5});
  EXPECT_TRUE(cut.truncated);
  EXPECT_EQ(cut.ids(), (std::vector{1, 6, 6, 6, 2}));
  EXPECT_FALSE(tokenizer->encode("a a", {}, {.truncate = true, .max_length = 5}).truncated);
  EXPECT_EQ(tokenizer->encode("a a a a", "un un", {.truncate = true, .max_length = 8}).ids(),
            (std::vector{1, 6, 6, 6, 2, 3, 3, 2}));
  EXPECT_THROW(tokenizer->encode("a", "a", {.truncate = true, .max_length = 2}), InputError);
}

}  // namespace
}  // namespace headwater
