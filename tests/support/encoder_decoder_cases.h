// The folders of tests/golden/encoder_decoder_models, as cases.txt lists them.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/source_folder.h"

namespace headwater::testing {

struct EncoderDecoderCase {
  std::string name;          // the folder
  std::string architecture;  // transformers' class
};

inline std::filesystem::path encoder_decoder_folder() {
  return std::filesystem::path(HEADWATER_SOURCE_DIR) / "tests" / "golden" / "encoder_decoder_models";
}

inline std::vector<EncoderDecoderCase> encoder_decoder_cases() {
  std::vector<EncoderDecoderCase> cases;
  std::ifstream list(encoder_decoder_folder() / "cases.txt");
  for (EncoderDecoderCase c; list >> c.name >> c.architecture;) cases.push_back(c);
  return cases;
}

}  // namespace headwater::testing
