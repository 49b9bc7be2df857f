#include "corpus/row_reader.h"

#include <sstream>

#include <gtest/gtest.h>
#include <headwater/error.h>

namespace headwater {
namespace {

using Rows = std::vector<std::vector<std::string>>;
using Format = RowReader::Format;

Rows rows_of(const std::string& text, Format format, std::size_t* blank = nullptr) {
  std::istringstream stream(text);
  RowReader reader(stream, format, "file");
  Rows rows;
  std::vector<std::string> row;
  while (reader.next(row)) rows.push_back(row);
  if (blank != nullptr) *blank = reader.blank();
  return rows;
}

std::string refused(RowReader& reader) {
  std::vector<std::string> row;
  try {
    reader.next(row);
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(RowReader, LinesEndAsEverywhere) {
  std::size_t blank = 0;
  EXPECT_EQ(rows_of("one\r\n\n \t\ntwo\tcells\nlast", Format::Lines, &blank),
            (Rows{{"one"}, {"two\tcells"}, {"last"}}));
  EXPECT_EQ(blank, 2U);
  EXPECT_EQ(rows_of("", Format::Lines), Rows{});
  EXPECT_EQ(rows_of("\n\n", Format::Lines, &blank), Rows{});
  EXPECT_EQ(blank, 2U);
}

TEST(RowReader, AByteOrderMarkIsNoLetter) {
  EXPECT_EQ(rows_of("\xEF\xBB\xBFtext\n\xEF\xBB\xBFx\n", Format::Tsv), (Rows{{"text"}, {"\xEF\xBB\xBFx"}}));
  EXPECT_EQ(rows_of("\xEF\xBC\x81\n", Format::Lines), (Rows{{"\xEF\xBC\x81"}}))
      << "another sign of that block";
}

TEST(RowReader, QuotesOfTsvAreLetters) {
  EXPECT_EQ(rows_of("a\t\"b\t\tc\n", Format::Tsv), (Rows{{"a", "\"b", "", "c"}}));
}

// The examples of RFC 4180, section 2.
TEST(RowReader, CsvIsThatOfTheRfc) {
  EXPECT_EQ(rows_of("aaa,bbb,ccc\r\nzzz,yyy,xxx", Format::Csv),
            (Rows{{"aaa", "bbb", "ccc"}, {"zzz", "yyy", "xxx"}}));
  EXPECT_EQ(rows_of("\"aaa\",\"b\r\nbb\",\"ccc\"\r\nzzz,yyy,xxx", Format::Csv),
            (Rows{{"aaa", "b\nbb", "ccc"}, {"zzz", "yyy", "xxx"}}));
  EXPECT_EQ(rows_of("\"aaa\",\"b\"\"bb\",\"ccc\"\n", Format::Csv), (Rows{{"aaa", "b\"bb", "ccc"}}));
  EXPECT_EQ(rows_of(",\"\",\n", Format::Csv), (Rows{{"", "", ""}}));
  EXPECT_EQ(rows_of("it's 5\" long,x\n", Format::Csv), (Rows{{"it's 5\" long", "x"}}));
}

TEST(RowReader, ARowIsNamedByTheLineItBeginsIn) {
  std::istringstream stream("a\n\n\"two\nlines\",x\nb\n");
  RowReader reader(stream, Format::Csv, "file");
  std::vector<std::string> row;
  for (const char* where : {"file:1", "file:3", "file:5"}) {
    ASSERT_TRUE(reader.next(row));
    EXPECT_EQ(reader.where(), where);
  }
}

TEST(RowReader, GoesOnBehindARowThatCannotBeRead) {
  std::istringstream stream("\"a\"b,c\nnext\n\"open\nstill");
  RowReader reader(stream, Format::Csv, "file");
  EXPECT_EQ(
      refused(reader),
      "file:1: expected a comma after a quoted cell, found \"b\"; a quote inside a cell is written twice");
  std::vector<std::string> row;
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row, std::vector<std::string>{"next"});
  EXPECT_EQ(refused(reader), "file:3: expected the end of a quoted cell, found the end of the file");
  EXPECT_FALSE(reader.next(row));
}

TEST(RowReader, ALineHasABound) {
  std::istringstream stream(std::string((std::size_t{4} << 20) + 3, 'x') + "\nnext\n");
  RowReader reader(stream, Format::Lines, "file");
  EXPECT_EQ(refused(reader), "file:1: expected a line of at most 4 MiB, found 3 bytes more");
  std::vector<std::string> row;
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row.front(), "next");
}

// What /dev/zero is: bytes without a line's end, for ever.
class EndlessBytes : public std::streambuf {
 protected:
  int_type underflow() override {
    setg(bytes_.data(), bytes_.data(), bytes_.data() + bytes_.size());
    return traits_type::to_int_type(bytes_.front());
  }

 private:
  std::string bytes_ = std::string(1 << 16, 'x');
};

TEST(RowReader, ALineWithoutAnEndIsLeft) {
  EndlessBytes bytes;
  std::istream stream(&bytes);
  RowReader reader(stream, Format::Lines, "file");
  EXPECT_EQ(refused(reader), "file:1: expected a line of at most 4 MiB, found at least 268435456 bytes more");
  std::vector<std::string> row;
  EXPECT_FALSE(reader.next(row));
}

}  // namespace
}  // namespace headwater
