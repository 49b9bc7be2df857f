// Comparison of results: what counts as equal, and what of a file is compared.
#include "comparison/compare.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "base/files.h"
#include "base/json.h"
#include "comparison/comparison_writer.h"
#include "files/zip.h"
#include "support/scratch_folder.h"

namespace headwater {
namespace {

using testing::ScratchFolder;

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

Results numbers(std::vector<double> values, std::vector<Index> shape) {
  return {.from = "a", .arrays = {{"x", std::move(shape), std::move(values)}}, .texts = {}};
}

Results from_json(const std::string& text) {
  Results results{.from = "json", .arrays = {}, .texts = {}};
  add_json(parse_json(text, "test"), "", results);
  return results;
}

TEST(Comparison, TheLargestDifferenceIsMeasuredByTheLargestNumber) {
  const Comparison made =
      compare(numbers({1, -4, 2, 0}, {2, 2}), numbers({1, -4, 2.5, 0.1}, {2, 2}), {.tolerance = 0.01});
  ASSERT_EQ(made.arrays.size(), 1U);
  const ArrayDifference& array = made.arrays.front();
  EXPECT_DOUBLE_EQ(array.apart, 0.5);
  EXPECT_DOUBLE_EQ(array.share, 0.125);  // 0.5 / 4
  EXPECT_EQ(array.where, (std::vector<Index>{1, 0}));
  EXPECT_DOUBLE_EQ(array.first, 2);
  EXPECT_DOUBLE_EQ(array.second, 2.5);
  EXPECT_EQ(array.beyond, 2U);  // 0.5 and 0.1 are more than 0.04
  EXPECT_FALSE(are_equal(made));
  EXPECT_TRUE(
      are_equal(compare(numbers({1, -4, 2, 0}, {4}), numbers({1, -4, 2.5, 0.1}, {4}), {.tolerance = 0.125})));
  EXPECT_TRUE(are_equal(compare(numbers({1, -4, 2, 0}, {4}), numbers({1, -4, 2.5, 0.1}, {4}),
                                {.tolerance = 0, .absolute = 0.5})));
}

TEST(Comparison, WhatIsNoNumberEqualsOnlyItself) {
  EXPECT_TRUE(
      are_equal(compare(numbers({no_number, 1}, {2}), numbers({no_number, 1}, {2}), {.tolerance = 0})));
  const Comparison made = compare(numbers({no_number, 1}, {2}), numbers({0, 1}, {2}), {.tolerance = 1});
  EXPECT_FALSE(are_equal(made));
  EXPECT_TRUE(std::isinf(made.arrays.front().apart));
}

TEST(Comparison, ZerosAreEqual) {
  EXPECT_TRUE(are_equal(compare(numbers({0, 0}, {2}), numbers({0, -0.0}, {2}), {.tolerance = 0})));
}

TEST(Comparison, ShapesNamesAndTextsCount) {
  EXPECT_FALSE(are_equal(compare(numbers({1, 2}, {2}), numbers({1, 2}, {1, 2}), {})));
  EXPECT_FALSE(are_equal(compare(from_json(R"({"a": 1, "b": 2})"), from_json(R"({"a": 1})"), {})));
  EXPECT_FALSE(are_equal(compare(from_json(R"({"a": 1})"), from_json(R"({"a": 1, "t": "x"})"), {})));
  const Comparison made = compare(from_json(R"({"t": "x"})"), from_json(R"({"t": "y"})"), {});
  ASSERT_EQ(made.texts.size(), 1U);
  EXPECT_EQ(made.texts.front().second, "y");
  EXPECT_FALSE(are_equal(made));
}

TEST(Comparison, TheWorstArrayComesFirst) {
  const Comparison made = compare(from_json(R"({"a": [1, 2], "b": [1, 2], "c": 3})"),
                                  from_json(R"({"a": [1, 2.1], "b": [1, 3], "c": 3})"), {});
  ASSERT_EQ(made.arrays.size(), 3U);
  EXPECT_EQ(made.arrays[0].name, "b");
  EXPECT_EQ(made.arrays[1].name, "a");
  const Document document = comparison_document(made, 10);
  const std::string text = formatted(document, "text", {});
  EXPECT_NE(text.find("different: 2 of 3 arrays"), std::string::npos) << text;
  EXPECT_EQ(parse_json(formatted(document, "json", {}), "test")["equal"], false);
}

TEST(Comparison, HowARunWasMadeIsLeftOut) {
  const Comparison made = compare(
      from_json(
          R"({"x": 1, "record": {"seconds": 1}, "command": "a", "checks": [{"name": "c", "passed": true, "value": 1e-7, "bound": 1}]})"),
      from_json(
          R"({"x": 1, "record": {"seconds": 9}, "command": "b", "checks": [{"name": "c", "passed": true, "value": 2e-7, "bound": 1}]})"),
      {.tolerance = 0});
  EXPECT_TRUE(are_equal(made));
  EXPECT_FALSE(
      are_equal(compare(from_json(R"({"checks": [{"name": "c", "passed": true, "bound": 1}]})"),
                        from_json(R"({"checks": [{"name": "c", "passed": false, "bound": 1}]})"), {})));
}

TEST(Comparison, NamesOfListEntriesAreTheirMethods) {
  const Results results = from_json(
      R"({"attributions": [{"method": "lrp", "scores": [[1, null], [3, 4]]}, {"method": "lrp", "scores": [5]}]})");
  ASSERT_EQ(results.arrays.size(), 2U);
  EXPECT_EQ(results.arrays[0].name, "attributions[lrp].scores");
  EXPECT_EQ(results.arrays[0].shape, (std::vector<Index>{2, 2}));
  EXPECT_TRUE(std::isnan(results.arrays[0].values[1]));
  EXPECT_EQ(results.arrays[1].name, "attributions[1].scores");
}

TEST(Comparison, RaggedListsAreReadEntryByEntry) {
  const Results results = from_json(R"({"x": [[1], [2, 3], 4]})");
  ASSERT_EQ(results.arrays.size(), 3U);
  EXPECT_EQ(results.arrays[1].name, "x[1]");
  EXPECT_EQ(results.arrays[1].values, (std::vector<double>{2, 3}));
}

TEST(Comparison, NothingInCommonIsAnError) {
  EXPECT_THROW(compare(from_json(R"({"a": 1})"), from_json(R"({"b": 1})"), {}), InputError);
  EXPECT_THROW(compare(from_json(R"({"a": 1})"), from_json(R"({"a": 1})"), {.tolerance = -1}), InputError);
  EXPECT_THROW(compare(from_json(R"({"a": 1})"), from_json(R"({"a": 1})"), {.tolerance = no_number}),
               InputError);
}

// An .npy of version 1 by hand.
std::string npy(const std::string& type, const std::string& shape, const std::string& data) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.append(118 - header.size() - 1, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header + data;
}

std::string npz() {
  const double values[]{1.5, -2, 1e300};
  const std::int32_t ids[]{7, -1};
  Zip zip;
  zip.add("x.npy", npy("<f8", "3,", std::string(reinterpret_cast<const char*>(values), sizeof values)));
  zip.add("ids.npy", npy("<i4", "2, 1", std::string(reinterpret_cast<const char*>(ids), sizeof ids)));
  zip.add("tokens.npy", npy("<U2", "2,", std::string("a\0\0\0b\0\0\0c\0\0\0\0\0\0\0", 16)));
  return std::move(zip).finish();
}

TEST(NpzReader, ReadsNumbersAndTexts) {
  Results results;
  add_npz(npz(), "test", results);
  ASSERT_EQ(results.arrays.size(), 2U);
  EXPECT_EQ(results.arrays[0].name, "x");
  EXPECT_EQ(results.arrays[0].values, (std::vector<double>{1.5, -2, 1e300}));
  EXPECT_EQ(results.arrays[1].shape, (std::vector<Index>{2, 1}));
  EXPECT_EQ(results.arrays[1].values, (std::vector<double>{7, -1}));
  EXPECT_EQ(results.texts.at("tokens[0]"), "ab");
  EXPECT_EQ(results.texts.at("tokens[1]"), "c");
}

TEST(NpzReader, NoDamageGetsFurtherThanAnError) {
  const std::string whole = npz();
  std::size_t refused = 0;
  const auto read = [&](const std::string& bytes) {
    Results results;
    try {
      add_npz(bytes, "test", results);
    } catch (const Error&) {
      ++refused;
    }
  };
  for (std::size_t size = 0; size < whole.size(); ++size) read(whole.substr(0, size));
  EXPECT_EQ(refused, whole.size());  // the directory stands at the end: nothing cut is whole
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string bytes = whole;
      bytes[at] = value;
      read(bytes);
    }
}

TEST(Comparison, FilesAreKnownByTheirEnding) {
  const ScratchFolder scratch;
  const std::string lines = scratch / "a.jsonl", other = scratch / "a.xyz";
  write_file(lines, "{\"x\": 1}\n\n{\"x\": [2, 3]}\n");
  write_file(other, "{}");
  const Results results = read_results(lines);
  ASSERT_EQ(results.arrays.size(), 2U);
  EXPECT_EQ(results.arrays[1].name, "[line 3].x");
  EXPECT_THROW(read_results(other), InputError);
  write_file(lines, "{\"x\": 1}\n{\"x\": \n");
  EXPECT_THROW(read_results(lines), FormatError);
}

}  // namespace
}  // namespace headwater
