// Ctrl-C and its kin end the program at once, with the code a shell expects (130), and leave no
// half-written file behind.
#pragma once

#include <string>

namespace headwater {

void handle_interrupts();

// While it lives, an interrupt removes this file before the program ends. One at a time.
class RemoveOnInterrupt {
 public:
  explicit RemoveOnInterrupt(const std::string& path);
  RemoveOnInterrupt(const RemoveOnInterrupt&) = delete;
  RemoveOnInterrupt& operator=(const RemoveOnInterrupt&) = delete;
  ~RemoveOnInterrupt();
};

// While it lives, an interrupt says this on standard error before the program ends. One at a time.
class SayOnInterrupt {
 public:
  explicit SayOnInterrupt(const std::string& message);
  SayOnInterrupt(const SayOnInterrupt&) = delete;
  SayOnInterrupt& operator=(const SayOnInterrupt&) = delete;
  ~SayOnInterrupt();
};

}  // namespace headwater
