// The records of methods, families and evaluations, as JSON.
#include <headwater/records.h>

#include "bindings.h"
#include "files/record_fields.h"
#include "files/schema.h"

namespace headwater::python {

void bind_records(py::module_& module) {
  module.def("methods", [] { return dump(FieldWriter::json_of_value(method_records()), -1); });
  module.def("families", [] { return dump(FieldWriter::json_of_value(family_records()), -1); });
  module.def("evaluations", [] { return dump(FieldWriter::json_of_value(evaluation_records()), -1); });
}

}  // namespace headwater::python
