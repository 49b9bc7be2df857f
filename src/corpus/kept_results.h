// Results of a long run, a line of JSON each, kept as they come.
//
// They gather in FILE.part, and FILE appears when the last one is there. FILE.part.run says which run they
// are of: its inputs, options, model and program. A run that was stopped, in whatever way, goes on from
// there; what it had written of its last input is written again. Every line begins {"line":N, which is how
// that is found. Of a shard a record stays beside FILE (run_record.h), for `merge`.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/json_fwd.h"

namespace headwater {

class KeptResults {
 public:
  enum class Start { Anew, Resume };

  // `file` as the user named it (for messages) and where its links lead. `run` is an object; two runs are the
  // same if all its values are. Throws InputError when the place cannot be written, when another process
  // writes there, when results of an earlier run would be lost (Anew), or when they are of another run
  // (Resume).
  KeptResults(std::string file, std::string place, const OrderedJson& run, Start start);
  KeptResults(const KeptResults&) = delete;
  KeptResults& operator=(const KeptResults&) = delete;
  ~KeptResults();

  // Inputs from this line of their file on are still to be done; 0: all.
  std::size_t next_line() const { return next_line_; }
  std::size_t kept() const { return kept_; }      // inputs done before
  std::size_t failed() const { return failed_; }  // of them
  bool complete() const { return complete_; }     // the earlier run had ended; nothing is to be done
  std::string part() const { return place_ + ".part"; }

  // Whole lines, of one input or of several in their order. They outlive the process at once.
  void append(std::string_view lines);
  void finish();

 private:
  std::string run_file() const { return part() + ".run"; }
  void resume(const OrderedJson& run);
  void read_kept();
  [[noreturn]] void fail(const std::string& path) const;

  struct Descriptor {
    int number = -1;
    Descriptor() = default;
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor();
  };

  const std::string file_, place_;
  Descriptor descriptor_;
  std::size_t next_line_ = 0, kept_ = 0, failed_ = 0;
  bool complete_ = false, finished_ = false;
  std::unique_ptr<const OrderedJson> shard_;  // the run, if it is of one
};

// The number of the input's line that a line of results begins with, and whether it stands for a failure; 0:
// not one of ours.
std::size_t number_of(std::string_view line, bool& failed);
// A line of results: the object `json` with the number of its input's line in front.
std::string numbered(std::size_t line, std::string_view json);
// What stands in a result's place: {"line":6,"error":{"type":…,"message":…}}.
std::string failure_line(std::size_t line, const std::string& type, const std::string& message);

}  // namespace headwater
