// The shipped model of sentences, loaded once.
#pragma once

#include <string>

#include <headwater/engine.h>

#include "support/source_folder.h"

namespace headwater::testing {

inline const Engine& sentiment() {
  static const Engine engine = Engine::load(std::string(HEADWATER_SOURCE_DIR) + "/models/sentiment");
  return engine;
}

}  // namespace headwater::testing
