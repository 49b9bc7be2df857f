#include "evaluation/data/evaluation_reader.h"

#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/files.h"
#include "base/json.h"

namespace headwater {

namespace {

// What the first line of a .jsonl says the file is.
enum class LineKind { Plain, Eraser, Blimp };

LineKind line_kind(const std::string& path) {
  LineKind kind = LineKind::Plain;
  if (!path.ends_with(".jsonl") || !file_exists(path)) return kind;
  try {
    each_json_line(path, [&](const Json& json, const std::string&) {
      if (json.contains("sentence_good") && json.contains("sentence_bad")) kind = LineKind::Blimp;
      if (json.contains("annotation_id") && json.contains("evidences")) kind = LineKind::Eraser;
      return false;
    });
  } catch (const Error&) {  // the reader that takes it says what is wrong
  }
  return kind;
}

EvaluationFile read_table(const CorpusOptions& options, std::size_t limit) {
  CorpusOptions all = options;
  all.shard.reset();
  CorpusReader reader(all);
  EvaluationFile read;
  std::vector<std::string> texts;
  while (limit == 0 || read.examples.size() < limit) {
    std::optional<Example> example = reader.next();
    if (!example) break;
    EvaluationExample made{
        .input = std::move(example->input), .gold = std::move(example->gold), .name = reader.where()};
    if (example->targets.size() > 1)
      throw InputError(
          fmt::format("{}: expected one target, found {}", reader.where(), example->targets.size()));
    if (!example->targets.empty()) made.target.label = example->targets.front();
    made.target.contrast = example->contrast;
    made.target.position = example->position;
    texts.insert(texts.end(), {made.input.text, made.input.pair.value_or(""), made.input.image, made.gold,
                               made.target.label, made.target.contrast,
                               example->position ? std::to_string(*example->position) : ""});
    read.examples.push_back(std::move(made));
  }
  read.understood = reader.understood();
  read.identity = hash_of_texts(texts);
  return read;
}

}  // namespace

std::string hash_of_texts(const std::vector<std::string>& texts) {
  std::string bytes;
  for (const std::string& text : texts) bytes += text + '\0';
  return sha256_hex(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

void each_json_line(const std::string& path,
                    const std::function<bool(const Json& json, const std::string& where)>& take) {
  require_readable_once(path);
  std::ifstream file(path);
  if (!file) throw InputError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  RowReader rows(file, RowReader::Format::Lines, path, RowReader::longest_result);
  std::vector<std::string> cells;
  while (rows.next(cells)) {
    const Json json = parse_json_unique(cells.front(), rows.where());
    if (!json.is_object())
      throw InputError(fmt::format("{}: expected an object, found {}", rows.where(), json.type_name()));
    if (!take(json, rows.where())) return;
  }
}

std::string text_at(const Json& json, const std::string& key, const std::string& where) {
  if (!json.contains(key) || !json[key].is_string())
    throw InputError(fmt::format("{}: {}: expected a text, found {}", where, key,
                                 json.contains(key) ? json[key].type_name() : "none"));
  return json[key].get<std::string>();
}

EvaluationFile read_examples(const CorpusOptions& options, std::size_t limit) {
  std::string path = options.file;
  if (is_directory(path)) {
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    if (is_directory(path + "/docs")) return read_eraser(path, limit);
    if (is_directory(path + "/images")) return read_masked_pictures(path, limit);
    throw InputError(
        fmt::format("{}: expected a file, a folder of ERASER (docs/ and .jsonl) or of pictures (images/ and "
                    "masks/), found a folder with neither",
                    path));
  }
  const LineKind kind = line_kind(path);
  EvaluationFile read = kind == LineKind::Eraser  ? read_eraser(path, limit)
                        : kind == LineKind::Blimp ? read_blimp(path, limit)
                                                  : read_table(options, limit);
  if (read.examples.empty()) throw InputError(fmt::format("{}: expected examples, found none", path));
  return read;
}

}  // namespace headwater
