// What the files of the binding share. Each binds one class; module.cpp puts them together.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <headwater/report.h>
#include <headwater/request.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace headwater::python {

namespace py = pybind11;

void bind_tensor(py::module_& module);
void bind_report(py::module_& module);
void bind_run(py::module_& module);
void bind_engine(py::module_& module);
void bind_records(py::module_& module);
void bind_program(py::module_& module);

py::object report_object(Report report);

// NumPy's numbers as a tensor: float32 and float64 keep their type, whatever else becomes float64. A copy.
Tensor tensor_of(const py::array& array);

// What a running call tells Python, or nothing: callback(method, done). Looks for signals as it goes, so that
// Ctrl-C ends the call with KeyboardInterrupt. To be called without the interpreter's lock.
std::function<void(const Progress&)> watched(const py::object& callback);

}  // namespace headwater::python
