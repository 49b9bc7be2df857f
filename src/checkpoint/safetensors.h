// Safetensors: one memory-mapped file of named arrays. The header is checked completely when the file is
// opened (offsets in range, no overlap, sizes that agree with shape and type), so that later reads cannot
// fail, and nothing is allocated because a file merely claims it.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <headwater/tensor.h>

#include "base/files.h"

namespace headwater {

enum class StoredType { F64, F32, F16, BF16, I64, I32, I16, I8, U64, U32, U16, U8, Bool };
std::string_view name_of(StoredType type);
std::size_t bytes_of(StoredType type);

struct StoredTensor {
  StoredType type;
  Shape shape;
  std::span<const std::byte> bytes;  // may be unaligned; valid while the file is held
};

class Safetensors {
 public:
  static Safetensors open(const std::string& path);  // throws FormatError naming file and tensor
  // From bytes already in memory; `where` names them in messages. `bytes` must outlive the object.
  static Safetensors parse(std::span<const std::byte> bytes, const std::string& where);

  const std::map<std::string, StoredTensor>& tensors() const { return tensors_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const std::string& where() const { return where_; }
  // Its bytes take no memory until they are read again.
  void forget(const StoredTensor& tensor) const {
    if (file_) file_->forget(tensor.bytes);
  }

 private:
  std::string where_;
  std::shared_ptr<const MappedFile> file_;
  std::map<std::string, StoredTensor> tensors_;
  std::map<std::string, std::string> metadata_;
};

// Widens (or narrows) a stored float tensor to the working type. Throws FormatError "tensor: expected a
// floating type, found I64".
Tensor widen(const StoredTensor& stored, DType dtype, const std::string& where);

}  // namespace headwater
