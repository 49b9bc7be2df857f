#include "cli/output.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/formats.h>
#include <unistd.h>

#include "cli/options.h"
#include "prose/table.h"

namespace headwater {

namespace fs = std::filesystem;

namespace {

// Where the links of a path lead, whether or not there is a file yet.
std::string behind_links(const std::string& path) {
  fs::path place = path;
  std::error_code error;
  for (int followed = 0; followed < 40 && !error; ++followed) {
    if (!fs::is_symlink(fs::symlink_status(place, error))) return place.string();
    const fs::path target = fs::read_symlink(place, error);
    place = target.is_absolute() ? target : place.parent_path() / target;
  }
  throw InputError(fmt::format("{}: expected a place for a file, found broken links", path));
}

// Renaming asks the folder alone, but who took the write permission from a file meant to keep it.
void require_writable(const std::string& path, const std::string& place) {
  std::error_code none_there;
  const fs::file_status old = fs::status(place, none_there);
  constexpr auto write = fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
  if (fs::is_regular_file(old) && (old.permissions() & write) == fs::perms::none)
    throw InputError(
        fmt::format("{}: expected a file that may be written, found a read-only one; allow it (chmod u+w) or "
                    "name another",
                    path));
}

}  // namespace

void Output::require_place(const std::string& path) {
  const std::string place = behind_links(path);
  std::error_code ignored;
  const fs::path folder = fs::path(place).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored))
    throw InputError(fmt::format("{}: expected an existing folder {}, found none; make it first: mkdir -p {}",
                                 path, folder.string(), folder.string()));
  if (fs::is_directory(place, ignored))
    throw InputError(fmt::format("{}: expected a file to write, found a folder; add a file name", path));
  require_writable(path, place);
}

bool Output::names_file(const std::string& path) {
  if (path.empty() || path == "-") return false;
  std::error_code ignored;
  return !fs::exists(path, ignored) || fs::is_regular_file(path, ignored);
}

Output::Output(std::string path) : path_(path == "-" ? std::string() : std::move(path)) {
  if (path_.empty()) {
    stream_ = stdout;
    return;
  }
  require_place(path_);
  place_ = behind_links(path_);
  const bool special = !names_file(place_);
  if (!special) {
    part_ = fmt::format("{}.{}.part", place_, ::getpid());
    removal_.emplace(OnInterrupt::Do::Remove, part_);
  }
  if (!special) stream_ = unnamed();
  named_ = stream_ == nullptr;
  if (named_) stream_ = std::fopen(special ? place_.c_str() : part_.c_str(), "wb");
  if (stream_ == nullptr) fail();
}

std::FILE* Output::unnamed() const {
  const fs::path folder = fs::path(place_).parent_path();
  const int file = ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (file < 0) return nullptr;
  std::FILE* stream = nullptr;
  if (::access(fmt::format("/proc/self/fd/{}", file).c_str(), F_OK) == 0) stream = ::fdopen(file, "wb");
  if (stream == nullptr) ::close(file);
  return stream;
}

bool Output::give_name() const {
  const std::string file = fmt::format("/proc/self/fd/{}", ::fileno(stream_));
  std::remove(part_.c_str());  // of a process that had our number
  return ::linkat(AT_FDCWD, file.c_str(), AT_FDCWD, part_.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

Output::Output(std::string path, const OrderedJson& run, KeptResults::Start start) : path_(std::move(path)) {
  require_place(path_);
  kept_ = std::make_unique<KeptResults>(path_, behind_links(path_), run, start);
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
  if (kept_) return kept_->append(bytes);
  if (std::fwrite(bytes.data(), 1, bytes.size(), stream_) != bytes.size()) fail();
}

void Output::write_text(const std::string& text) {
  if (!is_terminal()) return write(text);
  write(folded(text, static_cast<std::size_t>(terminal_format(::fileno(stream_)).width)));
}

void Output::flush() {
  if (kept_) return;
  if (std::fflush(stream_) != 0) fail();
}

void Output::finish() {
  if (kept_) return kept_->finish();
  flush();
  if (stream_ == stdout) return;
  if (!named_ && !give_name()) fail();
  const int closed = std::fclose(stream_);
  stream_ = nullptr;
  if (closed != 0) fail();
  if (part_.empty()) return;
  std::error_code none_there;
  if (const auto old = fs::status(place_, none_there); fs::is_regular_file(old))
    fs::permissions(part_, old.permissions(), none_there);
  if (std::rename(part_.c_str(), place_.c_str()) != 0) fail();
  part_.clear();
  removal_.reset();
}

bool Output::is_terminal() const {
  return stream_ != nullptr && ::isatty(::fileno(stream_)) == 1;
}

int finish_with(Output& output, std::string_view text) {
  output.write(text);
  output.finish();
  return 0;
}

int finish_with_text(Output& output, const std::string& text) {
  output.write_text(text);
  return finish_with(output, "");
}

int finish_with(Output& output, std::string_view text, const OutputOptions& named) {
  finish_with(output, text);
  if (output.is_file()) named.say(fmt::format("written: {}", named.path));
  return 0;
}

TerminalFormat terminal_of(const Output& output, const std::string& colour) {
  // A file is no terminal: -1 is a descriptor that cannot be one.
  TerminalFormat format = terminal_format(output.is_file() ? -1 : STDOUT_FILENO);
  if (colour == "never") format.colour = TerminalFormat::Colour::None;
  if (colour == "always" && format.colour == TerminalFormat::Colour::None)
    format.colour = TerminalFormat::Colour::Ansi256;
  return format;
}

}  // namespace headwater
