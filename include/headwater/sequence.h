// What an input is made of, and what the axes of a result count.
//
// An input is one or more sequences: a text, the patches of a picture, and of an encoder–decoder a source and
// the prefix of the output that is being written. A unit is one position of a sequence. Units are numbered
// through all sequences of an input, one after the other, so that a score per unit is one row of numbers
// whatever the model.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <headwater/export.h>
#include <headwater/tensor.h>

namespace headwater {

// Where units come from. Asked only where an input is read; everything later works on units.
enum class Modality { Text, Image };

// A token of a text, or a patch of a picture.
struct Unit {
  int id = 0;                // in the vocabulary; −1: none
  std::string piece = {};    // as the vocabulary spells it
  std::string text = {};     // what a person should see: the original substring, or the piece if special
  Index begin = 0, end = 0;  // what it came from: bytes of its text; of a patch none
  int word = -1;             // units of one word are shown together by a view of words
  int segment = 0;           // 0: the text, 1: its pair
  bool special = false;      // put there by a template: [CLS], [SEP], the start of an output
  bool target = false;  // not of the input: of a target of several tokens, those that later ones build on
  int sequence = 0;     // which of the input's
};

struct Sequence {
  std::string name;  // "text", "image"; of an encoder–decoder "source" and "prefix"
  Modality modality = Modality::Text;
  Index first = 0, count = 0;  // its units among all
  Index rows = 0,
        columns = 0;  // the last rows · columns units are patches of a picture; 0: they stand in a line
};

// What one axis of an array counts. Queries and keys are units of one sequence; units are those of all.
struct Axis {
  enum Kind { Layer, Head, Query, Key, Units, Row, Column, Other };
  Kind kind = Other;
  int sequence = 0;       // of queries and keys: whose
  std::string name = {};  // Other: what it counts
  // NOLINTNEXTLINE(google-explicit-constructor): a kind is an axis
  Axis(Kind of, int of_sequence = 0) : kind(of), sequence(of_sequence) {}
  explicit Axis(const char* counted) : name(counted) {}  // what has no kind of its own: "quartile"
  bool operator==(const Axis&) const = default;
};
HEADWATER_API std::string name_of(const Axis& axis);  // "layer", "head", "query", "key", "token", …

using Axes = std::vector<Axis>;

// An array and what it means. A model with attention of several kinds has a map of each: "encoder",
// "decoder", "cross". NaN: forbidden by a causal mask.
struct Map {
  std::string name = {};  // empty: the only one, or the score per unit
  Axes axes = {};
  Tensor values = {};
};

}  // namespace headwater
