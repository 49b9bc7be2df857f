// The four ways a request can fail. Every frontend has one catch for each:
//
//   InputError     the caller can fix it: text, option, target      exit 2
//   FormatError    a file is broken; names file, key, offset         exit 3
//   Unsupported    well-formed, not implemented; says exactly what   exit 4
//   InternalError  a bug of ours                                     exit 70
//
// A message reads "where: expected …, found …", followed by a remedy where one is known.
#pragma once

#include <stdexcept>
#include <string>

#include <headwater/export.h>

namespace headwater {

class HEADWATER_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  virtual int exit_code() const noexcept = 0;
};

class HEADWATER_API InputError : public Error {
 public:
  using Error::Error;
  int exit_code() const noexcept override { return 2; }
};

class HEADWATER_API FormatError : public Error {
 public:
  using Error::Error;
  int exit_code() const noexcept override { return 3; }
};

class HEADWATER_API Unsupported : public Error {
 public:
  using Error::Error;
  int exit_code() const noexcept override { return 4; }
};

class HEADWATER_API InternalError : public Error {
 public:
  using Error::Error;
  int exit_code() const noexcept override { return 70; }
};

}  // namespace headwater
