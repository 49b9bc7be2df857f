#include "text/tokenizer_json.h"

#include <cstdint>

namespace headwater {
namespace {

// Builds the JSON value event by event, except model.vocab. Any event it does not expect, there or
// anywhere, stops the parser; the caller then takes the general way, which also knows how to complain.
class Builder final : public Json::json_sax_t {
 public:
  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(std::int64_t value) override { return put(value); }
  bool number_float(double value, const std::string&) override { return put(value); }
  bool string(std::string& value) override { return put(std::move(value)); }
  bool binary(Json::binary_t&) override { return false; }

  bool number_unsigned(std::uint64_t value) override {
    if (!in_vocabulary_) return put(value);
    if (value >= INT32_MAX) return false;
    vocabulary->back().second = static_cast<int>(value);
    return true;
  }

  bool key(std::string& name) override {
    if (in_vocabulary_) {
      vocabulary->emplace_back(std::move(name), 0);
    } else {
      key_ = std::move(name);
    }
    return true;
  }

  bool start_object(std::size_t) override {
    const bool wanted = open_.size() == 2 && in_model_ && key_ == "vocab";
    if (open_.size() == 1) in_model_ = key_ == "model";
    const bool second = vocabulary && (wanted || (open_.size() == 1 && in_model_));
    if (second) return false;
    if (!wanted) return open(Json::object());
    vocabulary.emplace();
    in_vocabulary_ = true;
    return true;
  }

  bool end_object() override {
    if (!in_vocabulary_) return close();
    in_vocabulary_ = false;
    return true;
  }

  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override { return false; }

  Json root;
  std::optional<Entries> vocabulary;

 private:
  // Where the next value goes; null where none may.
  Json* place() {
    if (in_vocabulary_) return nullptr;
    if (open_.empty()) return &root;
    Json& parent = *open_.back();
    if (parent.is_object()) return &parent[key_];
    parent.push_back(nullptr);
    return &parent.back();
  }

  template <class T>
  bool put(T&& value) {
    Json* const target = place();
    if (target != nullptr) *target = std::forward<T>(value);
    return target != nullptr;
  }

  // Parents keep their address while a child is open: nothing is added to them meanwhile.
  bool open(Json value) {
    Json* const target = open_.size() < max_depth ? place() : nullptr;
    if (target == nullptr) return false;
    *target = std::move(value);
    open_.push_back(target);
    return true;
  }

  bool close() {
    open_.pop_back();
    if (open_.size() <= 1) in_model_ = false;
    return true;
  }

  static constexpr std::size_t max_depth = 128;
  std::vector<Json*> open_;
  std::string key_;
  bool in_model_ = false, in_vocabulary_ = false;
};

}  // namespace

TokenizerJson parse_tokenizer_json(std::string_view text, const std::string& where) {
  Builder builder;
  if (Json::sax_parse(text, &builder)) return {std::move(builder.root), std::move(builder.vocabulary)};
  return {parse_json(text, where), std::nullopt};
}

}  // namespace headwater
