// The output of results: standard output, or a file that appears whole or not at all.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <headwater/formats.h>

#include "cli/interrupt.h"
#include "corpus/kept_results.h"

namespace headwater {

struct OutputOptions;

class Output {
 public:
  // Empty or "-" means standard output. A file is written without a name and gets it by finish(); without
  // finish() nothing of it remains, however the program ends. (If the file system has no unnamed files, a
  // killed program leaves FILE.PID.part.) A link stays a link: the file it leads to is replaced and keeps its
  // permissions. Devices and pipes are written directly. Throws InputError with the path if the folder is
  // missing or not writable, or if the file is not writable.
  explicit Output(std::string path);
  // Lines that are kept as they are written, however the program ends (corpus/kept_results.h). Throws what
  // the constructor above and KeptResults throw.
  Output(std::string path, const OrderedJson& run, KeptResults::Start start);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output();

  void write(std::string_view bytes);
  void write_text(const std::string& text);  // prose and tables; lines are folded to a terminal's width
  void flush();                              // passes what was written so far to the reader
  void finish();                             // throws InputError if not everything could be written
  bool is_file() const { return !path_.empty(); }
  bool is_terminal() const;
  const KeptResults* kept() const { return kept_.get(); }  // null: not of that kind
  // Throws what the constructor would throw, and leaves no trace.
  static void require_place(const std::string& path);
  // Whether the path names a file, or a place for one; not standard output, a device or a pipe.
  static bool names_file(const std::string& path);

 private:
  [[noreturn]] void fail() const;
  std::FILE* unnamed() const;  // null where that cannot be
  bool give_name() const;

  std::string path_;
  std::string place_;  // the path with its links followed
  std::string part_;   // where a file is written, or stands for a moment, until it is in its place
  std::FILE* stream_ = nullptr;
  bool named_ = true;  // the part has its name already
  std::unique_ptr<KeptResults> kept_;
  std::optional<OnInterrupt> removal_;
};

// Ends a command: writes the last of its results and prints to standard error where they are, if that is a
// file.
int finish_with(Output& output, std::string_view text, const OutputOptions& named);
// The same without a message, for plans and descriptions.
int finish_with(Output& output, std::string_view text);
int finish_with_text(Output& output, const std::string& text);  // folded, as write_text does

// The format that --color and the stream determine.
TerminalFormat terminal_of(const Output& output, const std::string& colour);

}  // namespace headwater
