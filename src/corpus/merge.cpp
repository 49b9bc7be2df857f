#include "corpus/merge.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headwater/error.h>

#include "base/files.h"
#include "corpus/kept_results.h"
#include "corpus/run_record.h"

namespace headwater {

namespace {

// One shard's file.
class ShardFile {
 public:
  explicit ShardFile(const std::string& file) : file_(file), run_(record_of(file)) {
    const std::optional<Shard> shard = shard_of(run_);
    if (!shard)
      throw InputError(fmt::format("{}: expected the results of --shard, found those of a whole run", file));
    shard_ = *shard;
    run_["options"].erase("--shard");
    bytes_ = MappedFile::open(file);
    left_ = {reinterpret_cast<const char*>(bytes_->bytes().data()), bytes_->bytes().size()};
  }

  const std::string& file() const { return file_; }
  const OrderedJson& run() const { return run_; }
  const Shard& shard() const { return shard_; }
  bool at_end() const { return left_.empty(); }

  // All lines of the next input, and its number; 0: they have none, and one line is an input.
  std::string_view next(std::size_t& number, bool& failed) {
    std::size_t size = 0;
    number = 0;
    for (std::size_t at = 0; at < left_.size(); at = size) {
      const std::size_t end = std::min(left_.find('\n', at), left_.size() - 1) + 1;
      bool failure = false;
      const std::size_t of_line = number_of(left_.substr(at, end - at), failure);
      if (at > 0 && (of_line == 0 || of_line != number)) break;
      number = of_line;
      failed = failed || failure;
      size = end;
    }
    const std::string_view lines = left_.substr(0, size);
    left_.remove_prefix(size);
    return lines;
  }

 private:
  static OrderedJson record_of(const std::string& file) {
    if (!file_exists(file))
      throw InputError(file_exists(file + ".part")
                           ? fmt::format("{}: expected a finished shard, found {}.part; repeat its command "
                                         "with --resume to finish it",
                                         file, file)
                           : fmt::format("{}: expected the results of a shard, found no such file", file));
    if (!file_exists(record_path(file)))
      throw InputError(
          fmt::format("{}: expected {} beside it, which every shard writes, found none; copy it too, or "
                      "leave out the file if it is not a shard's",
                      file, record_path(file)));
    std::optional<OrderedJson> record = read_record(file);
    if (!record)
      throw InputError(
          fmt::format("{}: expected the bytes that {} was written for, found others; copy both files again, "
                      "or run the shard again",
                      file, record_path(file)));
    return std::move(*record);
  }

  const std::string file_;
  OrderedJson run_;
  Shard shard_;
  std::shared_ptr<const MappedFile> bytes_;
  std::string_view left_;
};

using ShardFiles = std::vector<std::unique_ptr<ShardFile>>;

void require_one_run(const ShardFiles& parts) {
  const ShardFile& first = *parts.front();
  for (const auto& part : parts) {
    std::vector<std::string> found = differences(first.run(), part->run());
    if (first.shard().count != part->shard().count)
      found.push_back(
          fmt::format("the number of shards ({} and {})", first.shard().count, part->shard().count));
    if (!found.empty())
      throw InputError(
          fmt::format("{}: expected a shard of the same run as {}, found one of another run: {} differ{}",
                      part->file(), first.file(), fmt::join(found, ", "), found.size() == 1 ? "s" : ""));
  }
}

// In the order of the shards; every one is there once.
ShardFiles opened(const std::vector<std::string>& files) {
  if (files.empty()) throw InputError("merge: expected the files of all shards, found none");
  ShardFiles parts;
  for (const std::string& file : files) parts.push_back(std::make_unique<ShardFile>(file));
  require_one_run(parts);
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a->shard().index < b->shard().index; });
  const std::size_t count = parts.front()->shard().count;
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (parts[i]->shard().index == parts[i - 1]->shard().index)
      throw InputError(fmt::format("{}: expected every shard once, found {}/{} in {} too", parts[i]->file(),
                                   parts[i]->shard().index + 1, count, parts[i - 1]->file()));
  if (parts.size() == count) return parts;
  constexpr std::size_t most = 20;
  std::vector<std::size_t> missing;
  for (std::size_t index = 0, at = 0; index < count && missing.size() < most; ++index)
    if (at < parts.size() && parts[at]->shard().index == index)
      ++at;
    else
      missing.push_back(index + 1);
  throw InputError(fmt::format("merge: expected all {} shards, found {}; missing: {}{}", count, parts.size(),
                               fmt::join(missing, ","), count - parts.size() > most ? ",…" : ""));
}

}  // namespace

Merged merge_shards(const std::vector<std::string>& files,
                    const std::function<void(std::string_view)>& write) {
  const ShardFiles parts = opened(files);
  Merged merged{.run = parts.front()->run()};
  const auto whose = [&](std::size_t turn) -> ShardFile& { return *parts[turn % parts.size()]; };
  for (std::size_t last = 0; !whose(merged.inputs).at_end(); ++merged.inputs) {
    ShardFile& part = whose(merged.inputs);
    std::size_t number = 0;
    bool failed = false;
    const std::string_view lines = part.next(number, failed);
    if (number < last || (number == last && last > 0))
      throw FormatError(fmt::format("{}: expected a line after {}, found {}; lines are missing or duplicated",
                                    part.file(), last, number));
    last = number;
    merged.failed += failed ? 1 : 0;
    write(lines);
  }
  for (const auto& part : parts)
    if (!part->at_end())
      throw FormatError(fmt::format("{}: expected no more lines than {} has, found more", part->file(),
                                    whose(merged.inputs).file()));
  return merged;
}

}  // namespace headwater
