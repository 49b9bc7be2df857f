// Examples for an evaluation, whatever they come in:
//
//   ERASER     a folder with docs/ and test.jsonl (or val.jsonl), or one of its .jsonl files: texts with the
//              words that people marked as the reason
//   BLiMP      .jsonl of minimal pairs (sentence_good, sentence_bad): a masked word and its cue
//   pictures   a folder with images/ and masks/ (or trimaps/) of the same names, list.txt with a label
//              behind a name if there is one
//   others     txt, tsv, csv, jsonl with labels, as every command reads them (corpus_reader.h)
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <headwater/evaluate.h>

#include "base/json_fwd.h"
#include "corpus/corpus_reader.h"

namespace headwater {

struct EvaluationFile {
  std::vector<EvaluationExample> examples;
  std::string understood;  // "BLiMP minimal pairs: 1000 of anaphor_gender_agreement"
  std::string identity;    // hash of what was read
};

// `limit`: the first so many; 0: all, whatever the shard: what is measured of an example may rest on others.
// Throws InputError or FormatError naming file and line.
EvaluationFile read_examples(const CorpusOptions& options, std::size_t limit);

// One each of the above; `path` is the .jsonl file, or the folder.
EvaluationFile read_eraser(const std::string& path, std::size_t limit);
EvaluationFile read_blimp(const std::string& path, std::size_t limit);
EvaluationFile read_masked_pictures(const std::string& folder, std::size_t limit);

// What the readers share: every line of a .jsonl as an object, with its place for messages; stops when
// `take` returns false.
void each_json_line(const std::string& path,
                    const std::function<bool(const Json& json, const std::string& where)>& take);
// A key's text. Throws InputError that begins with `where`.
std::string text_at(const Json& json, const std::string& key, const std::string& where);
// A space behind each, so that lists of different lengths differ.
std::string hash_of_texts(const std::vector<std::string>& texts);

}  // namespace headwater
