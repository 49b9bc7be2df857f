// ERASER (DeYoung et al., 2020): a line per example,
//
//   {"annotation_id": "negR_800.txt", "classification": "NEG",
//    "evidences": [[{"docid": "negR_800.txt", "start_token": 692, "end_token": 700, …}], …], "query": …}
//
// and docs/<docid>, whose tokens stand between white space. Evidence is a half-open range of them, so that
// one with start_token = end_token marks nothing; the published test.jsonl of the movie reviews has such
// ranges. Texts of one document; the query, which is the same question for all, is left out.
#include <filesystem>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/files.h"
#include "base/json.h"
#include "base/strings.h"
#include "evaluation/data/evaluation_reader.h"

namespace headwater {

namespace {

constexpr std::size_t largest_document = std::size_t{16} << 20;

std::vector<TextSpan> tokens_between_spaces(const std::string& text) {
  std::vector<TextSpan> tokens;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && !is_ascii_space(text[end])) ++end;
    if (end > at) tokens.push_back({static_cast<Index>(at), static_cast<Index>(end)});
    at = end + 1;
  }
  return tokens;
}

Index token_at(const Json& evidence, const char* key, std::size_t tokens, const std::string& where) {
  if (evidence.is_object() && evidence.contains(key) && evidence[key].is_number_integer()) {
    const auto token = evidence[key].get<Index>();
    if (token >= 0 && token <= static_cast<Index>(tokens)) return token;
    throw FormatError(fmt::format("{}: {}: expected a token of the {} in the document, found {}", where, key,
                                  tokens, token));
  }
  throw FormatError(fmt::format("{}: evidences: expected objects with {}", where, key));
}

// Every piece of evidence, whatever the group it stands in.
std::vector<Json> evidence_pieces(const Json& evidences, const std::string& where) {
  if (!evidences.is_array())
    throw FormatError(fmt::format("{}: evidences: expected a list, found {}", where, evidences.type_name()));
  std::vector<Json> pieces;
  for (const Json& group : evidences) {
    if (!group.is_array())
      throw FormatError(
          fmt::format("{}: evidences: expected lists of pieces, found {}", where, group.type_name()));
    pieces.insert(pieces.end(), group.begin(), group.end());
  }
  return pieces;
}

EvaluationExample example_of(const Json& json, const std::string& docs, const std::string& where) {
  EvaluationExample made{.gold = text_at(json, "classification", where), .annotated = true, .name = where};
  const std::vector<Json> pieces = evidence_pieces(json.at("evidences"), where);
  const std::string document =
      pieces.empty() ? text_at(json, "annotation_id", where) : text_at(pieces.front(), "docid", where);
  if (document.find("..") != std::string::npos || document.starts_with("/"))
    throw FormatError(fmt::format("{}: docid: expected a name within docs/, found {}", where, document));
  if (!file_exists(docs + "/" + document))
    throw InputError(fmt::format("{}: expected {}/{}, found no such file", where, docs, document));
  made.input.text = read_file(docs + "/" + document, largest_document);
  const std::vector<TextSpan> tokens = tokens_between_spaces(made.input.text);
  for (const Json& piece : pieces) {
    if (text_at(piece, "docid", where) != document)
      throw InputError(fmt::format("{}: expected evidence of one document, found {} and {}", where, document,
                                   text_at(piece, "docid", where)));
    const Index begin = token_at(piece, "start_token", tokens.size(), where);
    const Index end = token_at(piece, "end_token", tokens.size(), where);
    if (begin > end)
      throw FormatError(fmt::format(
          "{}: evidences: expected start_token not after end_token, found {} and {}", where, begin, end));
    if (begin == end) continue;
    made.evidence.push_back(
        {tokens[static_cast<std::size_t>(begin)].begin, tokens[static_cast<std::size_t>(end - 1)].end});
  }
  return made;
}

// The file of a folder that is meant when none is named.
std::string split_of(const std::string& path) {
  if (!is_directory(path)) return path;
  for (const char* name : {"test.jsonl", "val.jsonl", "train.jsonl"})
    if (std::string file = path + "/" + name; file_exists(file)) return file;
  throw InputError(fmt::format("{}: expected test.jsonl, val.jsonl or train.jsonl, found none", path));
}

}  // namespace

EvaluationFile read_eraser(const std::string& path, std::size_t limit) {
  const std::string file = split_of(path);
  const std::string folder = std::filesystem::path(file).parent_path().string();
  const std::string docs = (folder.empty() ? "." : folder) + "/docs";
  if (!is_directory(docs))
    throw InputError(fmt::format("{}: expected the folder docs beside it, found none", file));
  EvaluationFile read;
  std::vector<std::string> texts;
  each_json_line(file, [&](const Json& json, const std::string& where) {
    if (limit > 0 && read.examples.size() >= limit) return false;
    read.examples.push_back(example_of(json, docs, where));
    const EvaluationExample& made = read.examples.back();
    texts.insert(texts.end(), {made.input.text, made.gold});
    for (const TextSpan& span : made.evidence) texts.push_back(fmt::format("{} {}", span.begin, span.end));
    return true;
  });
  read.understood = fmt::format("ERASER: {} documents with evidence from {}", read.examples.size(), file);
  read.identity = hash_of_texts(texts);
  return read;
}

}  // namespace headwater
