// Config: a JSON object such as config.json, read key by key with errors that name file and key, and with
// Hugging Face's defaults given at the point of use.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <headwater/tensor.h>

#include "base/json_fwd.h"

namespace headwater {

class Config {
 public:
  static Config read(const std::string& path);  // throws FormatError
  static Config parse(std::string_view text, const std::string& where);

  bool has(const std::string& key) const;       // present and not null
  bool mentions(const std::string& key) const;  // present, if only as null
  // Without a default a missing key is a FormatError; a value of the wrong type always is.
  Index integer(const std::string& key, std::optional<Index> otherwise = {}) const;
  int positive(const std::string& key, std::optional<Index> otherwise = {}) const;  // 1 … 2^31 − 1
  int id(const std::string& key, std::optional<Index> otherwise = {}) const;        // of 32 bits
  double number(const std::string& key, std::optional<double> otherwise = {}) const;
  bool boolean(const std::string& key, std::optional<bool> otherwise = {}) const;
  std::string text(const std::string& key, const std::optional<std::string>& otherwise = {}) const;
  std::vector<std::string> texts(const std::string& key) const;  // list of strings, [] if absent
  std::vector<Index> integers(const std::string& key) const;     // an integer or a list of them, [] if absent
  Config section(const std::string& key) const;                  // an object of its own, empty if absent
  // id2label in order; LABEL_0 … when absent. Throws FormatError for gaps.
  std::vector<std::string> labels() const;

  const Json& json() const { return *json_; }
  const std::string& where() const { return where_; }

 private:
  int whole(const std::string& key, std::optional<Index> otherwise, int least,
            std::string_view expected) const;
  std::string where_;
  std::shared_ptr<const Json> json_;
};

}  // namespace headwater
