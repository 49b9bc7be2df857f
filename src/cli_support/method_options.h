// Which methods to run and with which options, from the command line: --method a,b, --option name=value,
// and one flag per option that any method's record declares (--residual 0.5).
#pragma once

#include <map>
#include <string>
#include <vector>

#include <headwater/request.h>

namespace headwater {

class Arguments;

struct MethodFlags {
  std::string names = "attention_rollout";
  std::map<std::string, std::string> options;

  // Throws InputError for an unknown method, or an option that none of the chosen methods has.
  void check() const;
  // Each method with those options that are its own.
  std::vector<MethodSpec> specs() const;
};

void add_method_options(Arguments& arguments, MethodFlags& flags);

}  // namespace headwater
