// A file refused, in these words.
#pragma once

#include <string>

#include <gtest/gtest.h>
#include <headwater/error.h>

namespace headwater::testing {

template <class F>
void expect_format_error(F&& read, const std::string& message) {
  try {
    read();
    ADD_FAILURE() << "accepted";
  } catch (const FormatError& e) {
    EXPECT_EQ(message, e.what());
  }
}

}  // namespace headwater::testing
