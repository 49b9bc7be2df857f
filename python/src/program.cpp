// The program inside the package, and what it alone can do: drawings as PDF and PNG.
#include "bindings.h"
#include "cli/commands/command.h"
#include "cli/pictures.h"

namespace headwater::python {
namespace {

// Arguments are bytes where a name is no text.
int run(const std::vector<std::string>& arguments) {
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  pointers.push_back(nullptr);
  return run_program(static_cast<int>(arguments.size()), pointers.data());
}

}  // namespace

void bind_program(py::module_& module) {
  module.def("program", &run, py::call_guard<py::gil_scoped_release>());
  module.def("picture_of_svg", [](const std::string& svg, const std::string& format) {
    std::string picture;
    {
      const py::gil_scoped_release unlocked;
      picture = picture_of_svg(svg, format);
    }
    return py::bytes(picture);
  });
}

}  // namespace headwater::python
