#include "server/picture.h"

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "base/encoding.h"
#include "base/files.h"
#include "image/image.h"

namespace headwater {
namespace {

const std::string picture = encode_png({3, 2, std::vector<std::uint8_t>(18, 9)});

TEST(Picture, Base64ReadsBack) {
  for (const std::string text : {"", "f", "fo", "foo", "foob", "\xff\x00\x80"})
    EXPECT_EQ(bytes_of_base64(base64(text)), text);
  EXPECT_THROW(bytes_of_base64("ab c"), InputError);
  EXPECT_THROW(bytes_of_base64("a=b="), InputError);
}

TEST(Picture, SizeIsReadFromTheHeader) {
  EXPECT_EQ(size_of_picture(picture)->width, 3U);
  EXPECT_EQ(size_of_picture(picture)->height, 2U);
  // Start of image, an application segment of 4 bytes, a frame of 7 x 5.
  const std::string jpeg = std::string(
      "\xff\xd8\xff\xe0\x00\x04"
      "ab\xff\xff\xc2\x00\x11\x08\x00\x05\x00\x07\x03",
      19);
  ASSERT_TRUE(size_of_picture(jpeg).has_value());
  EXPECT_EQ(size_of_picture(jpeg)->width, 7U);
  EXPECT_EQ(size_of_picture(jpeg)->height, 5U);
  EXPECT_FALSE(size_of_picture("GIF89a").has_value());
  EXPECT_FALSE(size_of_picture(std::string("\xff\xd8\xff\xe0\x00\x00\xff\xe0\x00\x00\xff", 11)).has_value());
}

TEST(Picture, IsAFileAsLongAsItLives) {
  std::string path;
  {
    const PictureFile file("data:image/png;base64," + base64(picture), 6);
    path = file.path();
    EXPECT_EQ(read_file(path), picture);
    EXPECT_EQ(file.name(), "picture.png");
  }
  EXPECT_FALSE(file_exists(path));
}

TEST(Picture, RefusesWhatIsNone) {
  EXPECT_THROW(PictureFile("/etc/passwd", 100), InputError);
  EXPECT_THROW(PictureFile("data:image/png,abc", 100), InputError);
  EXPECT_THROW(PictureFile(base64("no picture"), 100), InputError);
  EXPECT_THROW(PictureFile(base64(picture), 5), InputError) << "more pixels than are taken";
}

}  // namespace
}  // namespace headwater
