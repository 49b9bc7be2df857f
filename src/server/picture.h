// A picture out of a request: never a path, but the bytes of a PNG or JPEG in base64, alone or in a data:
// URL.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headwater {

// Throws InputError for what is no base64.
std::string bytes_of_base64(std::string_view text);

struct PictureSize {
  std::uint64_t width = 0, height = 0;
};
// As its header says; nothing for what is neither PNG nor JPEG. Decodes no pixel.
std::optional<PictureSize> size_of_picture(std::string_view bytes);

// A file that has a path and no disk, as long as it lives.
class PictureFile {
 public:
  // Throws InputError for what is no picture, or one of more pixels.
  PictureFile(std::string_view text, std::uint64_t max_pixels);
  PictureFile(const PictureFile&) = delete;
  PictureFile& operator=(const PictureFile&) = delete;
  ~PictureFile();

  const std::string& path() const { return path_; }
  const std::string& name() const { return name_; }  // what a reader is told: "picture.png"

 private:
  int file_;
  std::string path_, name_;
};

}  // namespace headwater
