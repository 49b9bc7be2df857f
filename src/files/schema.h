// The one schema of a report: every format is this object, and its numbers are where that format keeps
// arrays.
#pragma once

#include <span>
#include <string>

#include <headwater/report.h>

#include "base/json.h"

namespace headwater {

inline constexpr const char* schema_name = "headwater.report/1";

// Of everything in a report that has fields (report_fields.h), without its scores.
template <class T>
OrderedJson json_of(const T& value);
// An attribution with its sentence.
OrderedJson json_of(const Report& report, const Attribution& attribution);
OrderedJson record_of(std::span<const Report> reports);  // with the command that repeats them
// The sequence of a token: 0 for the text (or the source), 1 for its pair, 2 for the output.
int sequence_id(const Unit& token);
OrderedJson tokens_of(const Prediction& prediction);    // for texts
OrderedJson names_of(const Axes& axes);                 // without their sequences
OrderedJson head_of(const Report& report);              // everything but tokens and scores
std::string dump(const OrderedJson& json, int indent);  // invalid UTF-8 becomes U+FFFD

// Appends the shortest decimal that reads back to the same value of its type, or null if it is not finite.
void append_number(std::string& out, float value);
void append_number(std::string& out, double value);

// Applies f to every element and returns a JSON list.
template <class Range, class F>
OrderedJson list_of(const Range& range, const F& f) {
  OrderedJson list = OrderedJson::array();
  for (const auto& one : range) list.push_back(f(one));
  return list;
}
template <class Range>
OrderedJson list_of(const Range& range) {
  return list_of(range, [](const auto& one) { return json_of(one); });
}

}  // namespace headwater
