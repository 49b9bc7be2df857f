// Folders from before tokenizer.json: vocab.txt (BERT), vocab.json + merges.txt (GPT-2, RoBERTa).
#pragma once

#include <optional>
#include <string>

#include "text/settings.h"

namespace headwater {

struct LegacyFiles {
  Json description;   // what the tokenizer.json of this folder would say
  std::string bytes;  // of the files, for the hash
  std::string where;  // the file complaints are about
};

// Nothing if the folder has none of these files. Throws FormatError for broken ones.
std::optional<LegacyFiles> read_legacy(const std::string& folder, TokenizerSettings& settings);

}  // namespace headwater
