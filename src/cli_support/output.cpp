#include "cli_support/output.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/formats.h>
#include <unistd.h>

#include "cli_support/table.h"

namespace headwater {

namespace fs = std::filesystem;

Output::Output(std::string path) : path_(path == "-" ? std::string() : std::move(path)) {
  if (path_.empty()) {
    stream_ = stdout;
    return;
  }
  std::error_code ignored;
  const fs::path folder = fs::path(path_).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored))
    throw InputError(fmt::format("{}: expected an existing folder {}, found none; make it first: mkdir -p {}",
                                 path_, folder.string(), folder.string()));
  if (fs::is_directory(path_, ignored))
    throw InputError(fmt::format("{}: expected a file to write, found a folder; add a file name", path_));
  const bool special = fs::exists(path_, ignored) && !fs::is_regular_file(path_, ignored);
  if (!special) {
    part_ = fmt::format("{}.{}.part", path_, ::getpid());
    removal_.emplace(part_);
  }
  stream_ = std::fopen(special ? path_.c_str() : part_.c_str(), "wb");
  if (stream_ == nullptr) fail();
}

Output::~Output() {
  if (stream_ != nullptr && stream_ != stdout) std::fclose(stream_);
  if (!part_.empty()) std::remove(part_.c_str());
}

void Output::fail() const {
  throw InputError(fmt::format("{}: cannot be written: {}", path_.empty() ? "standard output" : path_,
                               std::strerror(errno)));
}

void Output::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stream_) != bytes.size()) fail();
}

void Output::write_text(const std::string& text) {
  if (!is_terminal()) return write(text);
  write(folded(text, static_cast<std::size_t>(terminal_format(::fileno(stream_)).width)));
}

void Output::flush() {
  if (std::fflush(stream_) != 0) fail();
}

void Output::finish() {
  flush();
  if (stream_ == stdout) return;
  const int closed = std::fclose(stream_);
  stream_ = nullptr;
  if (closed != 0) fail();
  if (part_.empty()) return;
  if (std::rename(part_.c_str(), path_.c_str()) != 0) fail();
  part_.clear();
  removal_.reset();
}

bool Output::is_terminal() const {
  return ::isatty(::fileno(stream_)) == 1;
}

}  // namespace headwater
