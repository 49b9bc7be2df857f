#include "corpus/kept_results.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <headwater/error.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "corpus/run_record.h"

namespace headwater {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view line_begin = "{\"line\":";
constexpr std::string_view error_begin = ",\"error\":";

}  // namespace

std::size_t number_of(std::string_view line, bool& failed) {
  std::size_t number = 0;
  if (!line.starts_with(line_begin)) return 0;
  line.remove_prefix(line_begin.size());
  const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc()) return 0;
  failed = line.substr(static_cast<std::size_t>(rest - line.data())).starts_with(error_begin);
  return number;
}

std::string numbered(std::size_t line, std::string_view json) {
  return fmt::format("{}{}{}{}", line_begin, line, json == "{}" ? "" : ",", json.substr(1));
}

std::string failure_line(std::size_t line, const std::string& type, const std::string& message) {
  const OrderedJson error{{"type", type}, {"message", message}};
  return fmt::format("{}{}{}{}}}", line_begin, line, error_begin,
                     error.dump(-1, ' ', false, OrderedJson::error_handler_t::replace));
}

namespace {

// `file` is what the earlier run left.
void require_same(const OrderedJson& run, const OrderedJson& before, const std::string& file) {
  const std::vector<std::string> found = differences(run, before);
  if (found.empty()) return;
  throw InputError(
      fmt::format("--resume: expected the run that wrote {}, found another: {} differ{}; repeat that run, "
                  "name another file, or remove {} to start again",
                  file, fmt::join(found, ", "), found.size() == 1 ? "s" : "", file));
}

// What a process that was killed while it wrote the file left behind. The lock says that nobody writes it
// now.
void remove_unfinished(const std::string& path) {
  const fs::path whole(path);
  std::error_code gone;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(whole.parent_path().empty() ? "." : whole.parent_path(), gone)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(whole.filename().string() + ".") && name.ends_with(".part"))
      fs::remove(entry.path(), gone);
  }
}

}  // namespace

KeptResults::KeptResults(std::string file, std::string place, const OrderedJson& run, Start start)
    : file_(std::move(file)), place_(std::move(place)) {
  if (shard_of(run)) shard_ = std::make_unique<OrderedJson>(run);
  if (start == Start::Resume && !file_exists(part())) {
    // The file was complete and in its place: its record says so, or the traces of the run were not removed
    // yet.
    const bool traces = file_exists(run_file());
    if (const auto before = traces ? parse_record(run_file()) : read_record(place_)) {
      require_same(run, *before, traces ? part() : file_);
      complete_ = true;
      return;
    }
  }
  descriptor_.number = ::open(part().c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_.number < 0) fail(part());
  if (::flock(descriptor_.number, LOCK_EX | LOCK_NB) != 0)
    throw InputError(
        fmt::format("{}: expected a file of this run alone, found another run writing it", part()));
  const bool anything = fs::file_size(part()) > 0;
  if (anything && start == Start::Anew) {
    throw InputError(fmt::format(
        "{}: expected no results of an earlier run, found some; continue them with --resume, or remove {}",
        file_, part()));
  }
  if (anything) {
    resume(run);
    read_kept();
    return;
  }
  remove_unfinished(run_file());
  // The other way round a run that had ended could not be told from one that had not begun.
  write_file(run_file(), run.dump(2) + "\n");
}

KeptResults::~KeptResults() {
  std::error_code gone;
  if (complete_ || finished_ || fs::file_size(part(), gone) > 0) return;
  fs::remove(run_file(), gone);
  fs::remove(part(), gone);
}

KeptResults::Descriptor::~Descriptor() {
  if (number >= 0) ::close(number);
}

void KeptResults::fail(const std::string& path) const {
  throw InputError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

void KeptResults::resume(const OrderedJson& run) {
  if (!file_exists(run_file()))
    throw InputError(fmt::format(
        "--resume: expected {}, which describes the run of {}, found none; remove {} to start again",
        run_file(), part(), part()));
  require_same(run, parse_record(run_file()), part());
}

// Counts what is there, and cuts off the lines of the last input: perhaps not all of them were written.
void KeptResults::read_kept() {
  const auto mapped = MappedFile::open(part());
  const std::string_view bytes(reinterpret_cast<const char*>(mapped->bytes().data()), mapped->bytes().size());
  std::size_t last_begin = 0, last_number = 0, inputs = 0, failures = 0, last_failures = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = bytes.find('\n', at);
    if (end == std::string_view::npos) break;
    bool failed = false;
    const std::size_t number = number_of(bytes.substr(at, end - at), failed);
    if (number == 0 || number < last_number)
      throw FormatError(
          fmt::format("{}: expected results in the order of their lines, found other bytes at {}; remove it "
                      "to start again",
                      part(), at));
    if (number > last_number) {
      failures += last_failures;
      last_failures = 0;
      last_number = number;
      last_begin = at;
      ++inputs;
    }
    last_failures += failed ? 1 : 0;
    at = end + 1;
  }
  if (::ftruncate(descriptor_.number, static_cast<off_t>(last_begin)) != 0) fail(part());
  next_line_ = last_number;
  kept_ = inputs > 0 ? inputs - 1 : 0;
  failed_ = failures;
}

void KeptResults::append(std::string_view lines) {
  while (!lines.empty()) {
    const ssize_t written = ::write(descriptor_.number, lines.data(), lines.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(part());
    lines.remove_prefix(static_cast<std::size_t>(written));
  }
}

void KeptResults::finish() {
  std::error_code gone;
  if (!complete_) {
    if (const auto old = fs::status(place_, gone); fs::is_regular_file(old))
      fs::permissions(part(), old.permissions(), gone);
    if (std::rename(part().c_str(), place_.c_str()) != 0) fail(file_);
  }
  finished_ = true;
  if (shard_) write_record(place_, *shard_);
  fs::remove(run_file(), gone);
}

}  // namespace headwater
