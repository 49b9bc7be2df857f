// headwater._core: the library as Python sees it. The typed face is in python/headwater.
#include <chrono>

#include <headwater/engine.h>
#include <headwater/threads.h>

#include "bindings.h"

namespace headwater::python {
namespace {

// The classes are Python's own (headwater/errors.py), so that each is also the built-in it is a kind of.
void raise(const char* name, const std::exception& error) {
  const py::object type = py::module_::import("headwater.errors").attr(name);
  PyErr_SetString(type.ptr(), error.what());
}

// As pybind11 calls it.
void translate(std::exception_ptr thrown) {  // NOLINT(performance-unnecessary-value-param)
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const InputError& error) {
    raise("InputError", error);
  } catch (const FormatError& error) {
    raise("FormatError", error);
  } catch (const Unsupported& error) {
    raise("Unsupported", error);
  } catch (const InternalError& error) {
    raise("InternalError", error);
  } catch (const std::bad_alloc&) {
    raise("InputError",
          InputError("out of memory: expected enough for this input and these methods; use a shorter "
                     "text or fewer methods, and planned_bytes() to see the need"));
  }
}

}  // namespace

std::function<void(const Progress&)> watched(const py::object& callback) {
  using Clock = std::chrono::steady_clock;
  return [callback = callback.ptr(), last = Clock::now()](const Progress& progress) mutable {
    // Ten times a second: a fast method tells more often than anybody reads.
    if (Clock::now() - last < std::chrono::milliseconds(100) && progress.done < 1) return;
    last = Clock::now();
    const py::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (callback != Py_None) py::reinterpret_borrow<py::object>(callback)(progress.method, progress.done);
  };
}

PYBIND11_MODULE(_core, module) {
  py::register_exception_translator(&translate);
  bind_tensor(module);
  bind_report(module);
  bind_run(module);
  bind_engine(module);
  bind_records(module);
  bind_program(module);
  module.def("version", &version);
  module.def("threads", &threads);
  module.def("set_threads", &set_threads, py::call_guard<py::gil_scoped_release>());
}

}  // namespace headwater::python
