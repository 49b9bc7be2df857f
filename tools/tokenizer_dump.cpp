// Prints what the tokenizer makes of each input line, as JSON lines, for tools/check_tokenizers.py.
//
//   tokenizer_dump FOLDER|tokenizer.json < {"text": …, "pair": …, "special": true, "limit": 0} per line
//
// Answers {"ids", "spans", "words", "types", "special", "sequences", "decoded"} or {"error"} per line;
// with {"decode": [ids]} in place of "text", {"decoded"}.
#include <iostream>
#include <string>

#include <headwater/error.h>

#include "base/files.h"
#include "base/json.h"
#include "text/tokenizer.h"

namespace {

using headwater::Json;

Json answer(const headwater::Tokenizer& tokenizer, const Json& request) {
  std::optional<std::string> pair;
  if (request.contains("pair")) pair = request["pair"].get<std::string>();
  headwater::EncodeOptions options;
  options.add_special_tokens = request.value("special", true);
  options.max_length = request.value("limit", headwater::Index{1} << 40);
  options.truncate = true;
  const auto encoding = tokenizer.encode(request.at("text").get<std::string>(), pair, options);
  Json result = {{"ids", Json::array()},
                 {"spans", Json::array()},
                 {"words", Json::array()},
                 {"types", Json::array()},
                 {"special", Json::array()}};
  for (const auto& token : encoding.tokens) {
    result["ids"].push_back(token.id);
    result["spans"].push_back({token.begin, token.end});
    result["words"].push_back(token.word);
    result["types"].push_back(token.type_id);
    result["special"].push_back(token.special ? 1 : 0);
  }
  if (request.value("decode", false)) {
    result["decoded"] = tokenizer.decode(encoding.ids(), false);
    result["decoded_plain"] = tokenizer.decode(encoding.ids(), true);
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "usage: tokenizer_dump FOLDER|tokenizer.json < requests.jsonl\n";
    return 2;
  }
  const std::string path = argv[1];
  const auto tokenizer = headwater::is_directory(path)
                             ? headwater::Tokenizer::load(path)
                             : headwater::Tokenizer::from_json(headwater::read_file(path), path);
  std::string line;
  while (std::getline(std::cin, line)) {
    try {
      std::cout << answer(*tokenizer, Json::parse(line)).dump() << '\n';
    } catch (const headwater::Error& error) {
      std::cout << Json{{"error", error.what()}}.dump() << '\n';
    }
  }
  return 0;
} catch (const headwater::Error& error) {
  std::cerr << error.what() << '\n';
  return error.exit_code();
}
