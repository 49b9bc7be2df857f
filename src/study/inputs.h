// Inputs: the step from what a caller gives to what a model runs. LoadedModel holds what a checkpoint says
// about reading inputs and outputs; prepare() encodes a text or an image within the model's limit.
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

// The meaning of a sequence classifier's scores (config.json's problem_type).
enum class Problem { SingleLabel, MultiLabel, Regression };

struct LoadedModel {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Tokenizer> tokenizer;       // null for image models
  std::shared_ptr<const ImageProcessor> processor;  // null for text models
  Problem problem = Problem::SingleLabel;
  std::vector<int> eos;  // generation stops after any of these
  int start = 0;         // encoder–decoders: the first token of an output

  const ModelInfo& info() const { return model->info(); }
};

std::string_view input_kind(
    const ModelInfo& info);  // "text", "image", or "text-to-text" for encoder–decoders
// Loads the tokenizer or the image processor, depending on the model's kind of input.
void load_reader(LoadedModel& loaded, const std::string& folder);

// These read config.json and, for the end of generation, generation_config.json if the folder has one.
Problem problem_of(const Config& config, const ModelInfo& info);
std::vector<int> end_tokens(const Config& config, const std::string& folder);
// Throws FormatError if neither file names a start token for an encoder–decoder.
int start_token(const Config& config, const std::string& folder, const ModelInfo& info);

// The longest input in tokens: the model's positions, or the tokenizer's own limit if that is lower; 0: no
// limit.
Index input_limit(const LoadedModel& loaded);

// One input, encoded; `batch` holds it alone.
struct Prepared {
  Batch batch;
  Encoding encoding;        // the sequence to which the output's rows belong; empty for images
  Encoding source = {};     // encoder–decoders: the source; `encoding` is then the prefix
  Image crop = {};          // image models: what the model sees
  std::string fitted = {};  // and what it does not
};

// The sequences of an input, and the units of all of them.
struct InputUnits {
  std::vector<Sequence> sequences;
  std::vector<Unit> all;
};

// Encodes an input. Throws InputError for an input without tokens, a text where an image is wanted or the
// reverse, a question without its context, and a text longer than the model allows (the message gives limit
// and length).
Prepared prepare(const LoadedModel& loaded, const Input& input);

// Makes words end at white space too. Most tokenizers cut there anyway; some keep spaces as part of their
// pieces and would take the whole text as one word.
void end_words_at_spaces(Encoding& encoding);

// Whether both are tokens of one word and neither is special. Words are decided here, and only read elsewhere.
bool same_word(const Token& a, const Token& b);
bool same_word(const Unit& a, const Unit& b);
// The number of every unit's word, counted through all sequences; −1: it is in none.
std::vector<int> word_numbers(std::span<const Unit> units);

// Makes words end at white space and nowhere else, for texts whose words were split before ("don't", "U.S.").
void words_between_spaces(Encoding& encoding);

// The encodings are in the order source, prefix. Without encodings, units have their positions but no text.
InputUnits units_of(const ModelInfo& info, const Batch& batch,
                    std::span<const Encoding* const> encodings = {});
InputUnits units_of(const ModelInfo& info, const Prepared& prepared);
// A unit of a picture: a patch, or one that the model puts before the patches ([CLS], a teacher's token).
Unit patch_of(const Sequence& sequence, Index at);
Index unit_count(const ModelInfo& info, const Batch& batch);
// The number of units of every input if all inputs have the same, as pictures do; 0 if it depends on the
// text.
Index fixed_units(const ModelInfo& info);
std::string shown(const Encoding& encoding, const Token& token);

std::vector<int> mask_rows(const LoadedModel& loaded,
                           const Encoding& encoding);  // the positions of masks in a text

// The rows of a token-wise task head that a prediction needs: the masks, the last token, or all (empty); with
// `also`, that row too. Throws InputError if `also` lies outside the text, or if a fill-mask text has no mask
// and no row was requested; the message names the mask token.
std::vector<int> wanted_rows(const LoadedModel& loaded, const Encoding& encoding,
                             std::optional<int> also = {});

}  // namespace headwater
