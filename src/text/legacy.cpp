// The pipelines these files imply, written as tokenizer.json would describe them:
//
//   vocab.txt                one piece a line, its id the line number; BertNormalizer by do_lower_case,
//                            strip_accents and tokenize_chinese_chars; [CLS] A [SEP] B [SEP]
//   vocab.json + merges.txt  byte-level BPE; GPT-2 adds nothing, RoBERTa <s> A </s> </s> B </s>
#include "text/legacy.h"

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/files.h"
#include "base/json.h"
#include "base/utf8.h"
#include "text/unicode.h"

namespace headwater {
namespace {

std::string_view without_trailing_space(std::string_view line) {
  while (!line.empty()) {
    std::size_t at = line.size() - 1;
    while (at > 0 && (static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U) --at;
    std::size_t end = at;
    if (!is_space(next_code_point(line, end))) break;
    line = line.substr(0, at);
  }
  return line;
}

template <class F>
void for_each_line(std::string_view text, F f) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    f(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string read_utf8(const std::string& path) {
  std::string text = read_file(path);
  if (const auto bad = first_invalid_utf8(text))
    throw FormatError(fmt::format("{}: expected UTF-8, found an invalid byte at {}", path, *bad));
  return text;
}

void default_role(TokenizerSettings& settings, const char* role, const char* content) {
  AddedToken token;
  token.content = content;
  token.normalized = false;
  token.special = true;
  settings.roles.emplace(role, token);
}

Json piece_and_id(const TokenizerSettings& settings, const char* role, const Json& vocabulary,
                  const std::string& where) {
  const std::string& piece = settings.roles.at(role).content;
  const auto found = vocabulary.find(piece);
  if (found == vocabulary.end())
    throw FormatError(
        fmt::format("{}: expected the {} \"{}\" among the pieces, found none", where, role, piece));
  return Json::array({piece, *found});
}

Json skeleton() {
  return {{"version", "1.0"},         {"added_tokens", Json::array()}, {"normalizer", nullptr},
          {"pre_tokenizer", nullptr}, {"post_processor", nullptr},     {"decoder", nullptr}};
}

LegacyFiles read_bert(const std::string& path, TokenizerSettings& settings) {
  LegacyFiles files{skeleton(), read_utf8(path), path};
  Json vocabulary = Json::object();
  int id = 0;
  for_each_line(files.bytes,
                [&](std::string_view line) { vocabulary[std::string(without_trailing_space(line))] = id++; });
  for (const auto& [role, content] : {std::pair{"unk_token", "[UNK]"},
                                      {"sep_token", "[SEP]"},
                                      {"pad_token", "[PAD]"},
                                      {"cls_token", "[CLS]"},
                                      {"mask_token", "[MASK]"}})
    default_role(settings, role, content);
  const JsonView config(settings.config, "tokenizer_config.json");
  const auto accents = config.find("strip_accents");
  files.description["normalizer"] = {
      {"type", "BertNormalizer"},
      {"clean_text", true},
      {"handle_chinese_chars", config.boolean_or("tokenize_chinese_chars", true)},
      {"strip_accents", accents ? Json(accents->boolean()) : Json()},
      {"lowercase", config.boolean_or("do_lower_case", true)}};
  files.description["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
  files.description["post_processor"] = {{"type", "BertProcessing"},
                                         {"cls", piece_and_id(settings, "cls_token", vocabulary, path)},
                                         {"sep", piece_and_id(settings, "sep_token", vocabulary, path)}};
  files.description["decoder"] = {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}};
  files.description["model"] = {{"type", "WordPiece"},
                                {"unk_token", settings.roles.at("unk_token").content},
                                {"continuing_subword_prefix", "##"},
                                {"max_input_chars_per_word", 100},
                                {"vocab", std::move(vocabulary)}};
  return files;
}

bool is_roberta(const TokenizerSettings& settings, const Json& vocabulary) {
  for (const std::string& name : {settings.tokenizer_class, settings.model_type}) {
    if (name.empty()) continue;
    if (name.starts_with("Roberta") || name == "roberta") return true;
    if (name.starts_with("GPT2") || name == "gpt2") return false;
  }
  return vocabulary.contains("<s>") && vocabulary.contains("</s>");
}

void set_roberta(TokenizerSettings& settings) {
  for (const auto& [role, content] : {std::pair{"bos_token", "<s>"},
                                      {"eos_token", "</s>"},
                                      {"sep_token", "</s>"},
                                      {"cls_token", "<s>"},
                                      {"unk_token", "<unk>"},
                                      {"pad_token", "<pad>"},
                                      {"mask_token", "<mask>"}})
    default_role(settings, role, content);
}

LegacyFiles read_byte_level(const std::string& vocabulary_path, const std::string& merges_path,
                            TokenizerSettings& settings) {
  const std::string vocabulary_text = read_file(vocabulary_path);
  const std::string merges_text = read_utf8(merges_path);
  LegacyFiles files{skeleton(), vocabulary_text + merges_text, vocabulary_path};
  Json vocabulary = parse_json(vocabulary_text, vocabulary_path);
  JsonView(vocabulary, vocabulary_path).object();
  Json merges = Json::array();
  for_each_line(merges_text, [&](std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty() && !line.starts_with("#version")) merges.push_back(std::string(line));
  });
  const JsonView config(settings.config, "tokenizer_config.json");
  const bool space = config.boolean_or("add_prefix_space", false);
  const bool roberta = is_roberta(settings, vocabulary);
  if (roberta) {
    set_roberta(settings);
    files.description["post_processor"] = {
        {"type", "RobertaProcessing"},
        {"cls", piece_and_id(settings, "cls_token", vocabulary, vocabulary_path)},
        {"sep", piece_and_id(settings, "sep_token", vocabulary, vocabulary_path)},
        {"trim_offsets", config.boolean_or("trim_offsets", true)},
        {"add_prefix_space", space}};
  } else {
    for (const char* role : {"unk_token", "bos_token", "eos_token"})
      default_role(settings, role, "<|endoftext|>");
  }
  files.description["pre_tokenizer"] = {
      {"type", "ByteLevel"}, {"add_prefix_space", space}, {"trim_offsets", true}, {"use_regex", true}};
  files.description["decoder"] = {{"type", "ByteLevel"}};
  files.description["model"] = {
      {"type", "BPE"}, {"vocab", std::move(vocabulary)}, {"merges", std::move(merges)}};
  return files;
}

}  // namespace

std::optional<LegacyFiles> read_legacy(const std::string& folder, TokenizerSettings& settings) {
  if (file_exists(folder + "/vocab.txt")) return read_bert(folder + "/vocab.txt", settings);
  if (file_exists(folder + "/vocab.json") && file_exists(folder + "/merges.txt"))
    return read_byte_level(folder + "/vocab.json", folder + "/merges.txt", settings);
  return std::nullopt;
}

}  // namespace headwater
