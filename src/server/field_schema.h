// The schema, in OpenAPI 3.0's words, of what a list of fields describes.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "base/fields.h"

namespace headwater {

// The name under which the document has the schema of a struct; null: it stands where it is used.
template <class T>
inline constexpr const char* api_name = nullptr;

class FieldSchema {
 public:
  static constexpr bool reads = false;

  // Schemas that have a name are put into `named`. A closed object takes no other fields.
  explicit FieldSchema(Json& named, bool closed = false) : named_(named), closed_(closed) {}

  template <class T>
  void operator()(const char* key, const T& value, const About& about = {}) {
    add(key, value, about);
    required_.push_back(key);
  }
  template <class T>
  bool where(bool /*there*/, const char* key, const T& value, const About& about = {}) {
    if constexpr (fields::is_optional<T>)
      if (!closed_) return where(false, key, typename T::value_type(), about);  // left out instead of null
    add(key, value, about);
    return false;
  }
  template <class T>
  bool maybe(const char* key, const T& value, const About& about = {}) {
    where(false, key, value, about);
    if constexpr (std::floating_point<T>)
      if (closed_) properties_[key]["default"] = value;
    return false;
  }
  template <class F>
  void also(const char* key, const F& /*f*/, const About& about = {}) {
    (*this)(key, std::remove_cvref_t<std::invoke_result_t<F>>(), about);
  }
  template <class F>
  void also_where(bool there, const char* key, const F& /*f*/, const About& about = {}) {
    where(there, key, std::remove_cvref_t<std::invoke_result_t<F>>(), about);
  }
  template <class F>
  void part(bool /*there*/, const F& f) {
    const Json required = required_;
    f(*this);
    required_ = required;
  }
  template <class T>
  void numbers(bool there, const char* key, const T& value) {
    where(there, key, value);
  }
  template <class F>
  void object(const char* key, const F& f) {
    object_where(true, key, f);
    required_.push_back(key);
  }
  template <class F>
  void object_where(bool /*there*/, const char* key, const F& f) {
    FieldSchema inner(named_, closed_);
    f(inner);
    properties_[key] = inner.schema();
  }
  Json schema() const {
    Json schema{{"type", "object"}, {"properties", properties_}};
    if (!required_.empty()) schema["required"] = required_;
    if (closed_) schema["additionalProperties"] = false;
    return schema;
  }

  // Of types whose schema their fields do not say: `Json schema_of(const T*)`.
  template <class T>
  static Json of_type(Json& named, bool closed = false) {
    if constexpr (requires { schema_of(static_cast<const T*>(nullptr)); })
      return schema_of(static_cast<const T*>(nullptr));
    else
      return of(T{}, named, closed);
  }
  template <class T>
  static Json of(const T& value, Json& named, bool closed = false) {
    if constexpr (requires { schema_of(&value); }) {
      return schema_of(&value);
    } else if constexpr (std::is_enum_v<T>) {
      return {{"type", "string"}, {"enum", fields::words<T>()}};
    } else if constexpr (std::same_as<T, bool>) {
      return {{"type", "boolean"}};
    } else if constexpr (std::is_arithmetic_v<T>) {
      return {{"type", std::integral<T> ? "integer" : "number"}};
    } else if constexpr (std::convertible_to<const T&, std::string_view>) {
      return {{"type", "string"}};
    } else if constexpr (fields::is_optional<T>) {
      Json schema = of_type<typename T::value_type>(named, closed);
      schema["nullable"] = true;
      if (schema.contains("enum")) schema["enum"].push_back(nullptr);
      return schema;
    } else if constexpr (fields::Listed<const T>) {
      return of(listed(value), named, closed);
    } else if constexpr (fields::Tuple<T>) {
      return {{"type", "array"}, {"items", of(std::get<0>(value), named, closed)}};
    } else if constexpr (fields::Named<T>) {
      return {{"type", "object"},
              {"additionalProperties", of_type<typename T::value_type::second_type>(named, closed)}};
    } else if constexpr (fields::List<T>) {
      return {{"type", "array"}, {"items", of_type<std::ranges::range_value_t<T>>(named, closed)}};
    } else {
      const std::string name = api_name<T> == nullptr ? "" : api_name<T>;
      if (name.empty() || !named.contains(name)) {
        FieldSchema v(named, closed);
        describe(v, value);
        if (name.empty()) return v.schema();
        named[name] = v.schema();
      }
      return {{"$ref", "#/components/schemas/" + name}};
    }
  }

 private:
  template <class T>
  void add(const char* key, const T& value, const About& about) {
    Json schema = of(value, named_, closed_);
    const bool list = schema.value("type", "") == "array";
    const auto bound = [&](const char* word, double number) {
      if (std::isinf(number)) return;
      schema[word] = std::floating_point<T> ? Json(number) : Json(static_cast<std::int64_t>(number));
    };
    bound("minimum", about.least);
    bound(list ? "maxItems" : "maximum", about.most);
    if (!about.choices.empty()) {
      schema["enum"] = about.choices;
      if (schema.contains("nullable")) schema["enum"].push_back(nullptr);
    }
    if (!about.help.empty()) schema["description"] = about.help;
    properties_[key] = std::move(schema);
  }

  Json& named_;
  bool closed_;
  Json properties_ = Json::object(), required_ = Json::array();
};

}  // namespace headwater
