// Which methods to run and with which options, from the command line: --method a,b, --option name=value,
// one flag per option that any method's record declares (--residual 0.5), --aggregate.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <headwater/model_info.h>
#include <headwater/request.h>

namespace headwater {

class Arguments;

struct MethodFlags {
  std::optional<std::string> names;              // none: the model's own (default_methods)
  std::map<std::string, std::string> options;    // by name, or by method.name for one of the methods
  std::map<std::string, std::string> aggregate;  // by method; "": of all methods with a map per layer

  // What can be said before there is a model: throws InputError for an unknown method, or an option that none
  // of the named methods has.
  void check() const;
  // Each method with those options that are its own; throws as check().
  std::vector<MethodSpec> specs(const ModelInfo& info) const;

 private:
  std::vector<MethodSpec> applied_to(std::vector<MethodSpec> methods) const;
};

// `names` are the option's own: both are taken, and the first stands in commands that repeat a run.
void add_method_options(Arguments& arguments, MethodFlags& flags,
                        const std::string& names = "--method,--methods");

}  // namespace headwater
