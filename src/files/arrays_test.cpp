// The bytes of npz and safetensors, read back by the formats' own rules.
#include "files/arrays.h"

#include <cstring>
#include <map>

#include <gtest/gtest.h>
#include <headwater/error.h>
#include <headwater/formats.h>
#include <zlib.h>

#include "base/json.h"
#include "base/utf8.h"
#include "checkpoint/safetensors.h"
#include "files/zip.h"
#include "support/sample_report.h"

namespace headwater {
namespace {

template <class T>
T number_at(const std::string& bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// Every stored file of an archive, found through its central directory.
std::map<std::string, std::string> unzip(const std::string& bytes) {
  std::map<std::string, std::string> files;
  const std::size_t end = bytes.size() - 22;
  EXPECT_EQ(bytes.substr(end, 4), "PK\x05\x06");
  std::size_t at = number_at<std::uint32_t>(bytes, end + 16);
  for (int left = number_at<std::uint16_t>(bytes, end + 10); left > 0; --left) {
    EXPECT_EQ(bytes.substr(at, 4), "PK\x01\x02");
    const auto size = number_at<std::uint32_t>(bytes, at + 24),
               offset = number_at<std::uint32_t>(bytes, at + 42);
    const auto name_length = number_at<std::uint16_t>(bytes, at + 28);
    const std::string name = bytes.substr(at + 46, name_length);
    EXPECT_EQ(bytes.substr(offset, 4), "PK\x03\x04");
    const std::string content = bytes.substr(offset + 30 + name_length, size);
    EXPECT_EQ(number_at<std::uint32_t>(bytes, at + 16),
              crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())));
    files[name] = content;
    at += 46U + name_length;
  }
  EXPECT_EQ(at, end);
  return files;
}

struct Npy {
  std::string header, data;
};

Npy npy_of(const std::string& bytes) {
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const auto length = number_at<std::uint16_t>(bytes, 8);
  EXPECT_EQ((10 + length) % 64, 0);
  EXPECT_EQ(bytes[9 + length], '\n');
  return {bytes.substr(10, length), bytes.substr(10U + length)};
}

std::string text_of(const std::string& utf32) {
  std::u32string code_points(utf32.size() / 4, U'\0');
  std::memcpy(code_points.data(), utf32.data(), utf32.size());
  while (!code_points.empty() && code_points.back() == U'\0') code_points.pop_back();
  std::string text;
  for (const char32_t c : code_points) append_utf8(text, c);
  return text;
}

TEST(Npz, HoldsOneArrayPerMethodAndTheTokens) {
  Report report = testing::text_report();
  report.prediction.units[2].text = "日本";
  const auto files = unzip(to_npz(report));
  ASSERT_EQ(files.size(), 10U);
  const Npy attention = npy_of(files.at("attention.npy"));
  EXPECT_TRUE(
      attention.header.starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 5, 5), }"));
  const Tensor& scores = report.attributions[0].scores();
  ASSERT_EQ(attention.data.size(), scores.bytes());
  EXPECT_EQ(std::memcmp(attention.data.data(), std::as_const(scores).data<float>(), scores.bytes()), 0);
  EXPECT_NE(npy_of(files.at("attention_rollout.npy")).header.find("(2, 5, 5)"), std::string::npos);
  const Npy tokens = npy_of(files.at("tokens.npy"));
  EXPECT_TRUE(tokens.header.starts_with("{'descr': '<U5', 'fortran_order': False, 'shape': (5,), }"));
  EXPECT_EQ(text_of(tokens.data.substr(40, 20)), "日本");
  EXPECT_EQ(number_at<std::int32_t>(npy_of(files.at("token_ids.npy")).data, 4), 7);
  EXPECT_EQ(number_at<std::int64_t>(npy_of(files.at("offsets.npy")).data, 40), 7);
  EXPECT_EQ(npy_of(files.at("special_mask.npy")).data, std::string("\1\0\0\0\1", 5));
  EXPECT_EQ(number_at<std::int32_t>(npy_of(files.at("word_ids.npy")).data, 0), -1);
  EXPECT_EQ(number_at<double>(npy_of(files.at("logits.npy")).data, 8), 1.25);
}

TEST(Npz, SaysWhoseATokenIsAndWhichRowWasRead) {
  Report report = testing::text_report();
  report.prediction.units[3].segment = 1;
  report.attributions[0].answer = Tensor::of({2, 5}, std::vector<double>(10, 0.5));
  const auto files = unzip(to_npz(report));
  const std::string sequences = npy_of(files.at("sequence_ids.npy")).data;
  ASSERT_EQ(sequences.size(), 5U * 4);
  EXPECT_EQ(number_at<std::int32_t>(sequences, 8), 0);  // of the third token
  EXPECT_EQ(number_at<std::int32_t>(sequences, 12), 1);
  EXPECT_NE(npy_of(files.at("attention.answer.npy")).header.find("(2, 5)"), std::string::npos);
  EXPECT_FALSE(files.contains("attention_rollout.answer.npy")) << "nobody read a row of it";
}

TEST(Npz, CarriesTheRunRecordAsAText) {
  const auto files = unzip(to_npz(testing::text_report()));
  const Npy record = npy_of(files.at("record.npy"));
  EXPECT_NE(record.header.find("'shape': ()"), std::string::npos);
  const Json json = parse_json(text_of(record.data), "record");
  EXPECT_EQ(json["record"]["weights_sha256"], std::string(64, 'a'));
  EXPECT_EQ(json["attributions"][1]["options"]["residual"], "0.5");
  EXPECT_EQ(json["target"]["label"], "POSITIVE");
}

TEST(Npz, HasNoTokensForImagesAndNumbersRepeatedMethods) {
  Report report = testing::image_report();
  report.attributions.push_back(report.attributions[0]);
  const auto files = unzip(to_npz(report));
  EXPECT_FALSE(files.contains("tokens.npy"));
  EXPECT_TRUE(files.contains("attention_2.npy"));
}

TEST(Npz, ReplacesWhatIsNotUtf8) {
  Report report = testing::text_report();
  report.prediction.units[1].text = "\xff";
  EXPECT_EQ(text_of(npy_of(unzip(to_npz(report)).at("tokens.npy")).data.substr(20, 20)), "\xef\xbf\xbd");
}

TEST(Npz, EndsAtFourGigabytes) {
  EXPECT_NO_THROW(Zip::require_size(0xfffffffeULL));
  EXPECT_THROW(Zip::require_size(0xffffffffULL), InputError);
}

TEST(SafetensorsReport, IsReadBackByOurOwnReader) {
  const Report report = testing::text_report();
  const std::string bytes = to_safetensors(report);
  const Safetensors file = Safetensors::parse(std::as_bytes(std::span(bytes.data(), bytes.size())), "report");
  ASSERT_EQ(file.tensors().size(), 8U);
  const Tensor scores = widen(file.tensors().at("attention"), DType::Float32, "report");
  EXPECT_EQ(scores.shape(), (Shape{2, 2, 5, 5}));
  EXPECT_EQ(scores.to_doubles(), report.attributions[0].scores().to_doubles());
  EXPECT_EQ(file.tensors().at("special_mask").type, StoredType::Bool);
  EXPECT_EQ(file.tensors().at("offsets").shape, (Shape{5, 2}));
  const Json record = parse_json(file.metadata().at("record"), "record");
  EXPECT_EQ(record["record"]["model"], "sentiment");
  EXPECT_EQ(parse_json(file.metadata().at("tokens"), "tokens")[2], "bad");
}

TEST(SafetensorsReport, AlignsEveryArray) {
  const std::string bytes = to_safetensors(testing::text_report());
  const auto length = number_at<std::uint64_t>(bytes, 0);
  EXPECT_EQ(length % 8, 0U);
  const Json header = parse_json(bytes.substr(8, length), "header");
  const std::map<std::string, std::size_t> widths{
      {"F32", 4}, {"F64", 8}, {"I32", 4}, {"I64", 8}, {"BOOL", 1}};
  for (const auto& [name, entry] : header.items())
    if (name != "__metadata__") {
      EXPECT_EQ(entry["data_offsets"][0].get<std::size_t>() % widths.at(entry["dtype"]), 0U) << name;
    }
}

}  // namespace
}  // namespace headwater
