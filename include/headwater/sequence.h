// The parts of an input, and what the axes of a result count.
//
// An input is one or more sequences: a text, the patches of a picture, or for an encoder–decoder a source and
// the prefix of the output that is being written. A unit is one position of a sequence. Units are numbered
// through all sequences of an input, so that one row of numbers holds a score per unit for every model.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <headwater/export.h>
#include <headwater/tensor.h>

namespace headwater {

// The kind of input. Only code that reads inputs uses it; everything later works on units.
enum class Modality { Text, Image };

// A token of a text, or a patch of a picture.
struct Unit {
  int id = 0;                // id in the vocabulary; −1: none
  std::string piece = {};    // as the vocabulary spells it
  std::string text = {};     // the text to show: the original substring, or the piece if special
  Index begin = 0, end = 0;  // the bytes of its text; a patch has none
  int word = -1;             // a view of words shows units of one word together
  int segment = 0;           // 0: the text, 1: its pair
  bool special = false;      // added by a template: [CLS], [SEP], the start of an output
  bool target = false;       // an appended token of a target of several tokens, not of the input
  int sequence = 0;          // the number of its sequence
};

struct Sequence {
  std::string name;  // "text", "image"; for an encoder–decoder "source" and "prefix"
  Modality modality = Modality::Text;
  Index first = 0, count = 0;  // its units in the numbering of all units
  // The last rows · columns units are patches of a picture; 0: the units form a line.
  Index rows = 0, columns = 0;
};

// What one axis of an array counts. Queries and keys are units of one sequence; Units counts the units of all
// sequences.
struct Axis {
  enum Kind { Layer, Head, Query, Key, Units, Row, Column, Other };
  Kind kind = Other;
  int sequence = 0;       // for queries and keys: the sequence
  std::string name = {};  // for Other: what it counts
  // NOLINTNEXTLINE(google-explicit-constructor): a kind is an axis
  Axis(Kind of, int of_sequence = 0) : kind(of), sequence(of_sequence) {}
  explicit Axis(const char* counted) : name(counted) {}  // an axis without a kind of its own: "quartile"
  bool operator==(const Axis&) const = default;
};
HEADWATER_API std::string name_of(const Axis& axis);  // "layer", "head", "query", "key", "token", …

using Axes = std::vector<Axis>;

// An array with its meaning. A model with several kinds of attention has one map of each: "encoder",
// "decoder", "cross". NaN marks cells that a causal mask forbids.
struct Map {
  std::string name = {};  // empty: the only map, or the score per unit
  Axes axes = {};
  Tensor values = {};
};

}  // namespace headwater
