// Ctrl-C and its kin end the program at once, with the code a shell expects (130), and leave no
// half-written file behind.
#pragma once

#include <string>

namespace headwater {

void handle_interrupts();

// While it lives, an interrupt does this before the program ends. One of each at a time.
class OnInterrupt {
 public:
  enum class Do { Remove, Say };  // remove the file of this path; say this on standard error
  OnInterrupt(Do what, const std::string& text);
  OnInterrupt(const OnInterrupt&) = delete;
  OnInterrupt& operator=(const OnInterrupt&) = delete;
  ~OnInterrupt();

 private:
  Do what_;
};

}  // namespace headwater
