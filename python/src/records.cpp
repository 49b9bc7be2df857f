// The records of methods, families and evaluations, as dictionaries.
#include <headwater/records.h>

#include "bindings.h"

namespace headwater::python {
namespace {

using namespace py::literals;

py::list options_of(const std::vector<OptionRecord>& options) {
  py::list list;
  for (const OptionRecord& option : options)
    list.append(py::dict("name"_a = option.name, "type"_a = option.type, "default"_a = option.otherwise,
                         "help"_a = option.help, "least"_a = option.least, "most"_a = option.most));
  return list;
}

py::list methods_list() {
  py::list list;
  for (const MethodRecord& m : method_records())
    list.append(py::dict("name"_a = m.name, "summary"_a = m.summary, "title"_a = m.title,
                         "question"_a = m.question, "formula"_a = m.formula, "paper"_a = m.paper,
                         "cost"_a = m.cost, "limits"_a = m.limits, "options"_a = options_of(m.options),
                         "claims"_a = m.claims, "aliases"_a = m.aliases, "needs_target"_a = m.needs_target,
                         "role"_a = m.role, "aggregates"_a = m.aggregates));
  return list;
}

py::list families_list() {
  py::list list;
  for (const FamilyRecord& f : family_records())
    list.append(py::dict("name"_a = f.name, "summary"_a = f.summary, "model_types"_a = f.model_types,
                         "architectures"_a = f.architectures));
  return list;
}

py::list evaluations_list() {
  py::list list;
  for (const EvaluationRecord& e : evaluation_records())
    list.append(py::dict("name"_a = e.name, "summary"_a = e.summary, "formula"_a = e.formula,
                         "paper"_a = e.paper, "better"_a = e.better, "needs"_a = e.needs,
                         "curve_over"_a = e.curve_over, "options"_a = options_of(e.options)));
  return list;
}

}  // namespace

void bind_records(py::module_& module) {
  module.def("methods", &methods_list);
  module.def("families", &families_list);
  module.def("evaluations", &evaluations_list);
}

}  // namespace headwater::python
