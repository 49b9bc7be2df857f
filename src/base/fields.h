// A struct's fields are listed once, and its JSON is written and read by the list:
//
//   void describe(auto& v, Of<Check> auto& check) {
//     v("name", check.name);
//     v("bound", check.bound);
//   }
//
// v is a FieldWriter or a FieldReader; `reads` tells them apart where a struct and its JSON differ in shape. Texts,
// numbers (null is NaN), enumerations with words_in and name_of, optionals (null is nothing), lists, tuples (lists of
// fixed length), maps and lists of pairs (objects) and other described structs may be fields. A struct with `listed`,
// which gives a tuple of references, is a list. Other types need `void write_value(OrderedJson&, const T&)` and
// `void read_value(const Json&, const FieldPath&, T&)`.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json.h"

namespace headwater {

template <class T, class S>
concept Of = std::same_as<std::remove_const_t<T>, S>;

// How many words an enumeration has; name_of gives each.
template <class E>
inline constexpr int words_in = 0;

// What is said of a field beyond its name and type.
struct About {
  std::string_view help = {};
  // Bounds of a number; `most` entries of a list or an object.
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
  std::vector<std::string_view> choices = {};  // of a text; empty: any
};

// Where a value stands in a file: "attributions[0].checks[2].name".
struct FieldPath {
  const FieldPath* outer = nullptr;
  std::string_view key =
      {};  // empty: an entry of a list; of the whole file: what it is called where it stands alone
  std::size_t index = 0;
  bool closed = false;  // of a whole file: a field that nobody asks for is refused
  std::string str() const;
};

inline constexpr FieldPath whole_file;

// Each throws FormatError "path: expected …, found …".
[[noreturn]] void unexpected(const FieldPath& path, std::string_view expected, std::string_view found);
[[noreturn]] void of_another_kind(const FieldPath& path, std::string_view expected, const Json& found);

namespace fields {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
concept Tuple = requires {
  std::tuple_size<T>::value;
};
template <class T>
concept List = std::ranges::range<T> && !std::convertible_to<const T&, std::string_view>;
template <class T>
concept Named = List<T> && Tuple<typename T::value_type>;
template <class T>
concept Listed = requires(T& value) {
  listed(value);
};

template <class T>
bool is_empty(const T& value) {
  if constexpr (requires { value.empty(); })
    return value.empty();
  else if constexpr (is_optional<T>)
    return !value.has_value();
  else
    return value == T();
}

template <class E>
std::vector<std::string_view> words() {
  static_assert(words_in<E> > 0, "say how many words the enumeration has");
  std::vector<std::string_view> all;
  for (int word = 0; word < words_in<E>; ++word) all.push_back(name_of(static_cast<E>(word)));
  return all;
}

// The integers that T holds, also where they are written as 1.0.
template <class T>
std::optional<T> whole(const Json& json) {
  const auto within = [](auto number) -> std::optional<T> {
    return std::in_range<T>(number) ? std::optional(static_cast<T>(number)) : std::nullopt;
  };
  if (json.is_number_unsigned()) return within(json.get<std::uint64_t>());
  if (json.is_number_integer()) return within(json.get<std::int64_t>());
  if (!json.is_number() || json != std::floor(json.get<double>()) || std::abs(json.get<double>()) > 1e15)
    return {};
  return within(json.get<std::int64_t>());
}

}  // namespace fields

class FieldWriter {
 public:
  static constexpr bool reads = false;

  template <class T>
  void operator()(const char* key, const T& value, const About& /*about*/ = {}) {
    json_[key] = json_of_value(value);
  }
  // Only then; a file without it leaves the value as it is. Whether it is there.
  template <class T>
  bool where(bool there, const char* key, const T& value, const About& /*about*/ = {}) {
    if (there) (*this)(key, value);
    return there;
  }
  // Unless it is empty, 0 or false.
  template <class T>
  bool maybe(const char* key, const T& value, const About& /*about*/ = {}) {
    return where(!fields::is_empty(value), key, value);
  }
  // What f gives follows from the other fields, and is not read.
  template <class F>
  void also(const char* key, const F& f, const About& /*about*/ = {}) {
    (*this)(key, f());
  }
  template <class F>
  void also_where(bool there, const char* key, const F& f, const About& /*about*/ = {}) {
    if (there) (*this)(key, f());
  }
  // Fields that are there together.
  template <class F>
  void part(bool there, const F& f) {
    if (there) f(*this);
  }
  template <class F>
  void object(const char* key, const F& f) {
    FieldWriter inner;
    f(inner);
    json_[key] = std::move(inner.json_);
  }
  template <class F>
  void object_where(bool there, const char* key, const F& f) {
    if (there) object(key, f);
  }
  // Long lists of numbers, which are not made into a tree; a reader takes them as others.
  template <class T>
  void numbers(bool /*there*/, const char* /*key*/, const T& /*value*/) {}
  OrderedJson take() { return std::move(json_); }

  template <class T>
  static OrderedJson json_of_value(const T& value) {
    static_assert(!std::same_as<T, OrderedJson>, "a tree is no field");
    if constexpr (std::is_enum_v<T>) {
      return name_of(value);
    } else if constexpr (std::is_arithmetic_v<T> || std::convertible_to<const T&, std::string_view>) {
      return value;
    } else if constexpr (requires(OrderedJson & json) { write_value(json, value); }) {
      OrderedJson json;
      write_value(json, value);
      return json;
    } else if constexpr (fields::is_optional<T>) {
      return value ? json_of_value(*value) : OrderedJson();
    } else if constexpr (fields::Listed<const T>) {
      return json_of_value(listed(value));
    } else if constexpr (fields::Tuple<T>) {
      OrderedJson list = OrderedJson::array();
      std::apply([&](const auto&... each) { (list.push_back(json_of_value(each)), ...); }, value);
      return list;
    } else if constexpr (fields::Named<T>) {
      OrderedJson object = OrderedJson::object();
      for (const auto& [name, one] : value) object[name] = json_of_value(one);
      return object;
    } else if constexpr (fields::List<T>) {
      OrderedJson list = OrderedJson::array();
      for (const std::ranges::range_value_t<T>& one : value) list.push_back(json_of_value(one));
      return list;
    } else {
      FieldWriter inner;
      describe(inner, value);
      return inner.take();
    }
  }

 private:
  OrderedJson json_ = OrderedJson::object();
};

class FieldReader {
 public:
  static constexpr bool reads = true;

  FieldReader(const Json& json, const FieldPath& path);  // throws FormatError unless it is an object

  template <class T>
  void operator()(const char* key, T&& value, const About& about = {}) {
    const FieldPath path{.outer = &path_, .key = key};
    const Json* found = find(key);
    if (found == nullptr) unexpected(path, expected<std::remove_reference_t<T>>(about), "nothing");
    read(*found, path, value, about);
  }
  template <class T>
  bool where(bool /*there*/, const char* key, T& value, const About& about = {}) {
    return maybe(key, value, about);
  }
  template <class T>
  bool maybe(const char* key, T& value, const About& about = {}) {
    const Json* found = find(key);
    if (found == nullptr || found->is_null()) return false;
    read(*found, {.outer = &path_, .key = key}, value, about);
    return true;
  }
  template <class T>
  void numbers(bool /*there*/, const char* key, T& value) {
    maybe(key, value);
  }
  template <class F>
  void also(const char* /*key*/, const F& /*f*/, const About& /*about*/ = {}) {}
  template <class F>
  void also_where(bool /*there*/, const char* /*key*/, const F& /*f*/, const About& /*about*/ = {}) {}
  template <class F>
  void object(const char* key, const F& f) {
    const FieldPath path{.outer = &path_, .key = key};
    const Json* found = find(key);
    if (found == nullptr) unexpected(path, "an object", "nothing");
    FieldReader inner(*found, path);
    f(inner);
    inner.finish();
  }
  template <class F>
  void object_where(bool /*there*/, const char* key, const F& f) {
    if (const Json* found = find(key); found != nullptr && !found->is_null()) object(key, f);
  }
  void finish() const;  // throws FormatError for a field that nobody asked for, if the whole is closed

  template <class T>
  static void read(const Json& json, const FieldPath& path, T& value, const About& about = {}) {
    if constexpr (requires { read_value(json, path, value); }) {
      read_value(json, path, value);
    } else if constexpr (std::is_enum_v<T>) {
      read_word(json, path, value, about);
    } else if constexpr (std::same_as<T, bool>) {
      if (!json.is_boolean()) of_another_kind(path, expected<T>(about), json);
      value = json.get<bool>();
    } else if constexpr (std::integral<T>) {
      const std::optional<T> number = fields::whole<T>(json);
      if (!number || !is_within(static_cast<double>(*number), about))
        of_another_kind(path, expected<T>(about), json);
      value = *number;
    } else if constexpr (std::floating_point<T>) {
      if (!json.is_number() && !json.is_null()) of_another_kind(path, expected<T>(about), json);
      value = json.is_null() ? std::numeric_limits<T>::quiet_NaN() : json.get<T>();
      if (!is_within(value, about)) of_another_kind(path, expected<T>(about), json);
    } else if constexpr (std::same_as<T, std::string>) {
      if (!json.is_string()) of_another_kind(path, expected<T>(about), json);
      value = json.get<std::string>();
      if (!is_among(value, about)) unexpected(path, expected<T>(about), "another");
    } else if constexpr (fields::is_optional<T>) {
      if (!json.is_null()) read(json, path, value.emplace(), about);
    } else if constexpr (fields::Listed<T>) {
      auto parts = listed(value);
      read(json, path, parts);
    } else if constexpr (fields::Tuple<T> || fields::Named<T> || fields::List<T>) {
      read_several(json, path, value, about);
    } else {
      FieldReader inner(json, path);
      describe(inner, value);
      inner.finish();
    }
  }

 private:
  // Of values that hold several: a tuple, a map by names, or a list.
  template <class T>
  static void read_several(const Json& json, const FieldPath& path, T& value, const About& about) {
    if constexpr (fields::Tuple<T>) {
      if (!json.is_array() || json.size() != std::tuple_size_v<T>)
        of_another_kind(path, expected<T>(about), json);
      std::size_t index = 0;
      const auto next = [&](auto& each) {
        read(json[index], {.outer = &path, .index = index}, each);
        ++index;
      };
      std::apply([&](auto&... each) { (next(each), ...); }, value);
    } else if constexpr (fields::Named<T>) {
      if (!json.is_object()) of_another_kind(path, expected<T>(about), json);
      refuse_more(path, json, about);
      for (const auto& [name, found] : json.items()) {
        typename T::value_type::second_type one{};
        read(found, {.outer = &path, .key = name}, one);
        value.insert(value.end(), {name, std::move(one)});
      }
    } else {
      if (!json.is_array()) of_another_kind(path, expected<T>(about), json);
      refuse_more(path, json, about);
      value.clear();
      value.reserve(json.size());
      for (std::size_t i = 0; i < json.size(); ++i) {
        typename T::value_type one{};
        read(json[i], {.outer = &path, .index = i}, one);
        value.push_back(std::move(one));
      }
    }
  }
  const Json* find(const char* key) const;

  template <class T>
  static void read_word(const Json& json, const FieldPath& path, T& value, const About& about) {
    for (int word = 0; word < words_in<T>; ++word)
      if (json.is_string() && name_of(static_cast<T>(word)) == json.get_ref<const std::string&>()) {
        value = static_cast<T>(word);
        return;
      }
    of_another_kind(path, expected<T>(about), json);
  }
  static bool is_within(double value, const About& about) {
    return std::isnan(value) || (value >= about.least && value <= about.most);
  }
  static bool is_among(const std::string& text, const About& about);
  static void refuse_more(const FieldPath& path, const Json& json, const About& about);
  static std::string bounded(const char* kind, const About& about);

  template <class T>
  static std::string expected(const About& about) {
    if constexpr (fields::Listed<T>) {
      return expected<decltype(listed(std::declval<T&>()))>(about);
    } else if constexpr (std::is_enum_v<T>) {
      return "one of " + joined(fields::words<T>());
    } else if constexpr (std::same_as<T, bool>) {
      return "true or false";
    } else if constexpr (std::integral<T>) {
      return bounded("a whole number", about);
    } else if constexpr (std::floating_point<T>) {
      return bounded("a number", about);
    } else if constexpr (std::same_as<T, std::string>) {
      return about.choices.empty() ? "a text" : "one of " + joined(about.choices);
    } else if constexpr (fields::is_optional<T>) {
      return expected<typename T::value_type>(about);
    } else if constexpr (fields::Tuple<T>) {
      return "a list of " + std::to_string(std::tuple_size_v<T>);
    } else if constexpr (fields::List<T> && !fields::Named<T>) {
      return "a list";
    } else {
      return "an object";
    }
  }

  static std::string joined(const std::vector<std::string_view>& words);

  const Json& json_;
  const FieldPath& path_;
  bool closed_;
  mutable std::set<std::string> asked_;  // if it is closed
};

}  // namespace headwater
