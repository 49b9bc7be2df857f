// Tensors as arrays that share their memory. NumPy's are read-only: a tensor's buffer belongs to a result, or
// to a run that others still walk over.
#include <cstring>

#include "bindings.h"

namespace headwater::python {
namespace {

// DLPack 0.8 (dlpack.h of the DLPack project): a protocol of plain structs, the same in every version
// before 1.0.
struct DLDevice {
  std::int32_t type, id;
};
struct DLDataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t *shape, *strides;
  std::uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor tensor;
  void* context;
  void (*deleter)(DLManagedTensor*);
};
constexpr std::int32_t on_cpu = 1;
constexpr std::uint8_t floating = 2;

void* address_of(const Tensor& tensor) {
  return dispatch(tensor.dtype(),
                  [&]<class R>(R) { return const_cast<void*>(static_cast<const void*>(tensor.data<R>())); });
}

py::array as_array(const Tensor& tensor) {
  const auto width = static_cast<py::ssize_t>(bytes_of(tensor.dtype()));
  const std::vector<py::ssize_t> shape(tensor.shape().dims().begin(), tensor.shape().dims().end());
  std::vector<py::ssize_t> strides(shape.size(), width);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  const py::capsule owner(new Tensor(tensor), [](void* held) { delete static_cast<Tensor*>(held); });
  const py::dtype type = tensor.dtype() == DType::Float32 ? py::dtype::of<float>() : py::dtype::of<double>();
  py::array array(type, shape, strides, address_of(tensor), owner);
  array.attr("flags").attr("writeable") = false;
  return array;
}

// A capsule that nobody took frees its tensor; who takes it renames it.
py::capsule as_dlpack(const Tensor& tensor) {
  struct Held {
    Tensor tensor;
    std::vector<std::int64_t> shape;
    DLManagedTensor managed;
  };
  auto* held = new Held{tensor, {tensor.shape().dims().begin(), tensor.shape().dims().end()}, {}};
  const auto bits = static_cast<std::uint8_t>(8 * bytes_of(tensor.dtype()));
  held->managed = {.tensor = {.data = address_of(tensor),
                              .device = {on_cpu, 0},
                              .ndim = tensor.rank(),
                              .dtype = {floating, bits, 1},
                              .shape = held->shape.data(),
                              .strides = nullptr,
                              .byte_offset = 0},
                   .context = held,
                   .deleter = [](DLManagedTensor* managed) { delete static_cast<Held*>(managed->context); }};
  return py::capsule(&held->managed, "dltensor", [](PyObject* capsule) {
    if (PyCapsule_IsValid(capsule, "dltensor") == 0) return;
    auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
    managed->deleter(managed);
  });
}

}  // namespace

Tensor tensor_of(const py::array& array) {
  const bool single = py::isinstance<py::array_t<float>>(array);
  const auto copied = [&](auto typed) {
    Shape shape(std::vector<Index>(typed.shape(), typed.shape() + typed.ndim()));
    using R = typename decltype(typed)::value_type;
    Tensor tensor(std::move(shape), dtype_of<R>());
    std::memcpy(tensor.data<R>(), typed.data(), tensor.bytes());
    return tensor;
  };
  constexpr int dense = py::array::c_style | py::array::forcecast;
  if (single) return copied(py::array_t<float, dense>(array));
  return copied(py::array_t<double, dense>(array));
}

void bind_tensor(py::module_& module) {
  py::class_<Tensor>(module, "Tensor", "Numbers of a result; numpy() and DLPack share their memory.")
      .def("numpy", &as_array)
      .def("__dlpack__",
           [](const Tensor& tensor, const py::args&, const py::kwargs&) { return as_dlpack(tensor); })
      .def("__dlpack_device__", [](const Tensor&) { return py::make_tuple(on_cpu, 0); });
}

}  // namespace headwater::python
