// The methods to run and their options, from the command line: --method a,b, --option name=value, one flag
// per option of any method's record (--residual 0.5), and --aggregate.
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
  std::map<std::string, std::string> aggregate;  // by method; "": all methods with a map per layer

  // The checks that need no model: throws InputError for an unknown method, or an option that none of the
  // named methods has.
  void check() const;
  // Each method with its own options; throws as check() does.
  std::vector<MethodSpec> specs(const ModelInfo& info) const;

 private:
  std::vector<MethodSpec> applied_to(std::vector<MethodSpec> methods) const;
};

// `names` are the option's own: both are taken, and the first stands in commands that repeat a run.
void add_method_options(Arguments& arguments, MethodFlags& flags,
                        const std::string& names = "--method,--methods");

}  // namespace headwater
