// A Report: its arrays, what is known about them as JSON, and every format that has a writer.
#include <headwater/error.h>
#include <headwater/formats.h>

#include "bindings.h"

namespace headwater::python {
namespace {

// As measured, and as its view shows it.
struct ViewedReport {
  Report report, shown;
};

using NamedArray = std::tuple<std::string, std::vector<std::string>, Tensor>;

std::vector<NamedArray> arrays_of(const std::vector<Map>& maps) {
  std::vector<NamedArray> arrays;
  for (const Map& map : maps) {
    if (map.values.empty()) continue;
    std::vector<std::string> axes;
    for (const Axis& axis : map.axes) axes.push_back(name_of(axis));
    arrays.emplace_back(map.name, std::move(axes), map.values);
  }
  return arrays;
}

const Attribution& result_at(const ViewedReport& viewed, std::size_t index) {
  return viewed.shown.attributions.at(index);
}

ViewedReport with_view(Report report, const std::string& unit, const std::string& special) {
  if (unit != "token" && unit != "word")
    throw InputError("unit: expected token or word, found '" + unit + "'");
  if (special != "keep" && special != "hide" && special != "drop")
    throw InputError("special: expected keep, hide or drop, found '" + special + "'");
  report.asked.view = {unit == "word" ? View::Unit::Word : View::Unit::Token,
                       special == "hide"   ? View::Special::Hide
                       : special == "drop" ? View::Special::Drop
                                           : View::Special::Keep};
  Report shown = viewed(report);
  return {std::move(report), std::move(shown)};
}

}  // namespace

py::object report_object(Report report) {
  return py::cast(with_view(std::move(report), "token", "keep"));
}

void bind_report(py::module_& module) {
  py::class_<ViewedReport>(module, "Report")
      .def("__len__", [](const ViewedReport& r) { return r.shown.attributions.size(); })
      .def("summary", [](const ViewedReport& r) { return summary_json(r.report, -1); })
      .def("maps", [](const ViewedReport& r, std::size_t i) { return arrays_of(result_at(r, i).maps); })
      .def("details", [](const ViewedReport& r, std::size_t i) { return arrays_of(result_at(r, i).details); })
      .def("answer",
           [](const ViewedReport& r, std::size_t i) {
             const Tensor& answer = result_at(r, i).answer;
             return answer.empty() ? std::optional<Tensor>() : answer;
           })
      .def("logits", [](const ViewedReport& r) { return r.report.prediction.logits; })
      .def("view", [](const ViewedReport& r, const std::string& unit,
                      const std::string& special) { return with_view(r.report, unit, special); })
      .def("call_picture",
           [](ViewedReport& r, const std::string& name) {
             for (Report* one : {&r.report, &r.shown}) one->image = one->asked.input.image = name;
           })
      .def("sentence", [](const ViewedReport& r) { return sentence_of(r.shown); })
      .def("json", [](const ViewedReport& r, int indent) { return to_json(r.report, indent); })
      .def("npz", [](const ViewedReport& r) { return py::bytes(to_npz(r.report)); })
      .def("safetensors", [](const ViewedReport& r) { return py::bytes(to_safetensors(r.report)); })
      .def("html", [](const ViewedReport& r) { return to_html(r.report); })
      .def("svg",
           [](const ViewedReport& r, const std::string& kind, const std::string& method, int layer) {
             return to_svg(r.report, {.kind = kind, .method = method, .layer = layer});
           })
      .def("png", [](const ViewedReport& r) { return py::bytes(to_png(std::span(&r.report, 1))); })
      .def("terminal", [](const ViewedReport& r, bool colour, int width) {
        return to_terminal(
            r.report, {.colour = colour ? TerminalFormat::Colour::TrueColour : TerminalFormat::Colour::None,
                       .width = width});
      });
}

}  // namespace headwater::python
