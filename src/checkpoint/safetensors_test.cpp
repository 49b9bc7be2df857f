#include "checkpoint/safetensors.h"

#include <cstring>

#include <gtest/gtest.h>
#include <headwater/error.h>

namespace headwater {
namespace {

std::string file_of(const std::string& header, const std::string& data) {
  std::string bytes(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>((header.size() >> (8 * i)) & 0xFFU);
  return bytes + header + data;
}

Safetensors parse(const std::string& bytes) {
  return Safetensors::parse(std::as_bytes(std::span(bytes)), "f.safetensors");
}

// Expects a FormatError that contains every one of `parts`.
void expect_refused(const std::string& bytes, const std::vector<std::string>& parts) {
  try {
    parse(bytes);
    ADD_FAILURE() << "accepted";
  } catch (const FormatError& e) {
    for (const std::string& part : parts)
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << part << " not in: " << e.what();
  }
}

void expect_header_refused(const std::string& header, std::size_t data,
                           const std::vector<std::string>& parts) {
  expect_refused(file_of(header, std::string(data, '\0')), parts);
}

TEST(Safetensors, ReadsTensorsMetadataAndPadding) {
  const std::string bytes = file_of(
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"U8","shape":[3],"data_offsets":[4,7]},)"
      R"("a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"e":{"dtype":"F16","shape":[2,0],"data_offsets":[7,7]}}   )",
      std::string("\0\0\x80\x3f\x01\x02\x03", 7));
  const Safetensors file = parse(bytes);
  EXPECT_EQ(file.where(), "f.safetensors");
  EXPECT_EQ(file.metadata().at("format"), "pt");
  ASSERT_EQ(file.tensors().size(), 3U);
  EXPECT_EQ(file.tensors().at("a").shape, Shape{});
  EXPECT_EQ(file.tensors().at("b").type, StoredType::U8);
  EXPECT_EQ(file.tensors().at("b").bytes[2], std::byte{3});
  EXPECT_EQ(file.tensors().at("e").shape, (Shape{2, 0}));
  EXPECT_TRUE(file.tensors().at("e").bytes.empty());
}

TEST(Safetensors, AcceptsAFileWithoutTensors) {
  EXPECT_TRUE(parse(file_of("{}", "")).tensors().empty());
}

TEST(Safetensors, KeepsStrangeNames) {
  const Safetensors file =
      parse(file_of(R"({"a\u0000b/../ü":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}})", "\1"));
  EXPECT_TRUE(file.tensors().contains(std::string("a\0b/../ü", 9)));
}

TEST(Safetensors, RefusesBrokenLengths) {
  expect_refused("", {"f.safetensors", "at least 8 bytes", "found 0"});
  expect_refused(std::string(7, '\0'), {"found 7"});
  expect_refused(std::string(8, '\0'), {"start with '{'", "nothing"});
  expect_refused(std::string(8, '\xff'), {"at most 100000000", "18446744073709551615"});
  expect_refused(file_of("{}", "").substr(0, 9), {"header of 2 bytes", "only 1 bytes"});
  expect_refused(file_of(" {}", ""), {"start with '{'"});
}

TEST(Safetensors, RefusesBrokenJson) {
  expect_header_refused("{\"a\"", 0, {"valid JSON"});
  expect_header_refused("{\"\xff\":1}", 0, {"valid JSON"});
  expect_header_refused("{\"a\":" + std::string(1000, '[') + std::string(1000, ']') + "}", 0, {"128 deep"});
  expect_header_refused(R"({"a":1})", 0, {"tensor a", "expected an object", "found 1"});
  expect_header_refused(R"({"__metadata__":[]})", 0, {"__metadata__", "found []"});
  expect_header_refused(R"({"__metadata__":{"a":1}})", 0, {"__metadata__", "found 1"});
}

TEST(Safetensors, RefusesDuplicateNames) {
  const std::string entry = R"({"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  expect_header_refused(R"({"a":)" + entry + R"(,"a":)" + entry + "}", 0, {"\"a\" twice"});
  expect_header_refused(R"({"a":{"dtype":"U8","dtype":"I8","shape":[0],"data_offsets":[0,0]}})", 0,
                        {"\"dtype\" twice"});
}

TEST(Safetensors, RefusesBrokenEntries) {
  const auto refuse = [](const std::string& members, const std::vector<std::string>& parts) {
    std::vector<std::string> all{"f.safetensors: tensor w\\x00"};
    all.insert(all.end(), parts.begin(), parts.end());
    expect_header_refused(R"({"w\u0000":{)" + members + "}}", 8, all);
  };
  refuse(R"("shape":[2],"data_offsets":[0,8])", {"expected dtype, found none"});
  refuse(R"("dtype":"F32","data_offsets":[0,8])", {"expected shape, found none"});
  refuse(R"("dtype":"F32","shape":[2])", {"expected data_offsets, found none"});
  refuse(R"("dtype":4,"shape":[2],"data_offsets":[0,8])", {"string", "found 4"});
  refuse(R"("dtype":"F33","shape":[2],"data_offsets":[0,8])", {"F33"});
  refuse(R"("dtype":"F32","shape":2,"data_offsets":[0,8])", {"list", "found 2"});
  refuse(R"("dtype":"F32","shape":[-2],"data_offsets":[0,8])", {"found -2"});
  refuse(R"("dtype":"F32","shape":[2.0],"data_offsets":[0,8])", {"found 2.0"});
  refuse(R"("dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,8])", {"9223372036854775808"});
  refuse(R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8])", {"fits into memory"});
  refuse(R"("dtype":"F32","shape":[4294967296,4294967296,0],"data_offsets":[0,0])", {"fits into memory"});
  refuse(R"("dtype":"F32","shape":[0,4294967296,4294967296],"data_offsets":[0,0])", {"fits into memory"});
  refuse(R"("dtype":"F32","shape":[2],"data_offsets":[0])", {"[begin, end]"});
  refuse(R"("dtype":"F32","shape":[2],"data_offsets":{})", {"[begin, end]"});
  refuse(R"("dtype":"F32","shape":[2],"data_offsets":[-8,0])", {"found -8"});
  refuse(R"("dtype":"F32","shape":[2],"data_offsets":[8,0])", {"within the 8 bytes", "[8,0]"});
  refuse(R"("dtype":"F32","shape":[2],"data_offsets":[4,12])", {"within the 8 bytes", "[4,12]"});
  refuse(R"("dtype":"F32","shape":[3],"data_offsets":[0,8])", {"expected 12 bytes for F32 [3]", "found 8"});
  std::string ones = "1";
  for (int i = 0; i < 64; ++i) ones += ",1";
  refuse(R"("dtype":"U8","shape":[)" + ones + R"(],"data_offsets":[0,8])", {"at most 64 axes", "found 65"});
}

TEST(Safetensors, NamesTypesItCannotRead) {
  EXPECT_THROW(parse(file_of(R"({"a":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}})", "x")),
               Unsupported);
}

TEST(Safetensors, RefusesOverlapsHolesAndLeftovers) {
  const auto two = [](int begin, int end) {
    return R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[)" +
           std::to_string(end - begin) + R"(],"data_offsets":[)" + std::to_string(begin) + "," +
           std::to_string(end) + "]}}";
  };
  EXPECT_EQ(parse(file_of(two(4, 8), std::string(8, 'x'))).tensors().size(), 2U);
  expect_header_refused(two(3, 8), 8, {"tensor b", "begin at offset 4, found 3", "overlaps"});
  expect_header_refused(two(0, 4), 4, {"begin at offset 4, found 0", "overlaps"});
  expect_header_refused(two(5, 8), 8, {"tensor b", "begin at offset 4, found 5", "hole"});
  expect_header_refused(two(4, 8), 9, {"fill the 9 bytes", "end at 8"});
}

TEST(Safetensors, OpenRefusesWhatIsNoFile) {
  EXPECT_THROW(Safetensors::open("/nonexistent/x.safetensors"), FormatError);
  EXPECT_THROW(Safetensors::open("/"), FormatError);
}

TEST(StoredType, SizesAndNames) {
  EXPECT_EQ(name_of(StoredType::BF16), "BF16");
  EXPECT_EQ(name_of(StoredType::Bool), "BOOL");
  EXPECT_EQ(bytes_of(StoredType::F64), 8U);
  EXPECT_EQ(bytes_of(StoredType::BF16), 2U);
}

}  // namespace
}  // namespace headwater
