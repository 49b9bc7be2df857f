// Inputs: from what a caller gives to what a model runs. LoadedModel holds what a checkpoint says about
// reading inputs and outputs; prepare() encodes a text or an image within the model's limit.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <headwater/report.h>
#include <headwater/request.h>

#include "image/image.h"
#include "models/model.h"
#include "text/tokenizer.h"

namespace headwater {

// What the scores of a sequence classifier mean (config.json's problem_type).
enum class Problem { SingleLabel, MultiLabel, Regression };

struct LoadedModel {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Tokenizer> tokenizer;       // null for image models
  std::shared_ptr<const ImageProcessor> processor;  // null for text models
  Problem problem = Problem::SingleLabel;
  std::vector<int> eos;  // generation stops after any of these
  int start = 0;         // encoder–decoders: the token an output begins with

  const ModelInfo& info() const { return model->info(); }
};

std::string_view input_kind(const ModelInfo& info);  // "text", "image", or "text-to-text" of encoder–decoders
// The tokenizer or the image processor, as the model's kind of input wants it.
void load_reader(LoadedModel& loaded, const std::string& folder);

// config.json and, for the end of generation, generation_config.json where the folder has one.
Problem problem_of(const Config& config, const ModelInfo& info);
std::vector<int> end_tokens(const Config& config, const std::string& folder);
// Throws FormatError if neither names one for an encoder–decoder.
int start_token(const Config& config, const std::string& folder, const ModelInfo& info);

// Longest input in tokens: the model's positions, or the tokenizer's own limit if that is lower; 0: none.
Index input_limit(const LoadedModel& loaded);

// One input, encoded; `batch` holds it alone.
struct Prepared {
  Batch batch;
  Encoding encoding;     // of the sequence the output's rows belong to; empty for images
  Encoding source = {};  // encoder–decoders: what is read, where `encoding` is the prefix that is written
  Image crop = {};       // image models: what the model sees
  std::string fitted = {};  // and what it does not
};

// The sequences of an input, and the units of all of them.
struct InputUnits {
  std::vector<Sequence> sequences;
  std::vector<Unit> all;
};

// Throws InputError: no token, a text where an image is wanted or the reverse, a question without its
// context, a text longer than the model (naming limit and length).
Prepared prepare(const LoadedModel& loaded, const Input& input);

// Words also end at white space. Most tokenizers cut there anyway; some that keep spaces as part of their
// pieces take the whole text as one word, which would leave words of no use.
void end_words_at_spaces(Encoding& encoding);

// Words end at white space and nowhere else: of texts whose words somebody counted before ("don't", "U.S.").
void words_between_spaces(Encoding& encoding);

// Without encodings (source first) units have their places and nothing to show.
InputUnits units_of(const ModelInfo& info, const Batch& batch,
                    std::span<const Encoding* const> encodings = {});
InputUnits units_of(const ModelInfo& info, const Prepared& prepared);
// A unit of a picture: a patch, or before them what the model puts there ([CLS], a teacher's token).
Unit patch_of(const Sequence& sequence, Index at);
Index unit_count(const ModelInfo& info, const Batch& batch);
// Units of every input where all are alike, as pictures are; 0: as many as its text has.
Index fixed_units(const ModelInfo& info);
std::string shown(const Encoding& encoding, const Token& token);

std::vector<int> mask_rows(const LoadedModel& loaded, const Encoding& encoding);  // the masks of a text

// The rows of a token-wise head that a prediction needs: the masks, the last token, or all (empty); with
// `also`, that row too. Throws InputError if it lies outside the text, or if a fill-mask text has no mask
// and no row was asked for, naming the token to write.
std::vector<int> wanted_rows(const LoadedModel& loaded, const Encoding& encoding,
                             std::optional<int> also = {});

}  // namespace headwater
