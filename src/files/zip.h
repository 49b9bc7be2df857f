// Zip: an archive of stored (uncompressed) files, as npz needs. The date is fixed, so that equal content
// gives equal bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headwater {

class Zip {
 public:
  void add(std::string_view name, std::string_view bytes);
  std::string finish() &&;

  // Throws InputError beyond 4 GiB, the limit of the format without its 64-bit extension.
  static void require_size(std::uint64_t bytes);

 private:
  std::string files_, directory_;
  std::uint16_t count_ = 0;
};

}  // namespace headwater
