// Finished cells, kept in a file so that an interrupted run can go on. The file carries what the numbers
// depend on; a file of another run is refused.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "identifiability/matching.h"

namespace headwater {

struct FinishedCell {
  std::vector<TextHits> hits;  // of every tested text of the fold
  int epochs = 0;
  double residual = 0;  // of a linear fit
};

class Finished {
 public:
  // An empty path keeps everything in memory. `settings` are the names and values the numbers depend on.
  // Throws InputError if the file belongs to a run with other settings, naming them; FormatError if it is no
  // such file.
  Finished(std::string path, std::map<std::string, std::string> settings);

  const FinishedCell* cell(const std::string& key) const;  // null: not yet
  std::optional<double> number(const std::string& key) const;
  void add(const std::string& key, FinishedCell cell);
  void add(const std::string& key, double number);
  void save();  // now; add() saves too, at most every two seconds

  std::size_t found() const { return found_; }  // cells that were in the file

 private:
  void read();
  void save_sometimes();

  std::string path_;
  std::map<std::string, std::string> settings_;
  std::map<std::string, FinishedCell> cells_;
  std::map<std::string, double> numbers_;
  std::size_t found_ = 0;
  std::chrono::steady_clock::time_point saved_ = std::chrono::steady_clock::now();
};

}  // namespace headwater
