// Ctrl-C and similar signals end the program at once, with the exit code that a shell expects (130), and
// leave no half-written file.
#pragma once

#include <string>

namespace headwater {

void handle_interrupts();

// While an object exists, an interrupt does this before the program ends. Only one object of each kind at a
// time.
class OnInterrupt {
 public:
  enum class Do { Remove, Say };  // remove the file at this path; print this to standard error
  OnInterrupt(Do what, const std::string& text);
  OnInterrupt(const OnInterrupt&) = delete;
  OnInterrupt& operator=(const OnInterrupt&) = delete;
  ~OnInterrupt();

 private:
  Do what_;
};

}  // namespace headwater
