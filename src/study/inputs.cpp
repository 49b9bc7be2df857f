#include "study/inputs.h"

#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>

#include "base/files.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace headwater {

std::string_view input_kind(const ModelInfo& info) {
  if (info.stacks.front().modality == Modality::Image) return "image";
  return is_encoder_decoder(info) ? "text-to-text" : "text";
}

void load_reader(LoadedModel& loaded, const std::string& folder) {
  if (loaded.info().stacks.front().modality == Modality::Image)
    loaded.processor = ImageProcessor::load(folder);
  else
    loaded.tokenizer = Tokenizer::load(folder);
}

Problem problem_of(const Config& config, const ModelInfo& info) {
  const std::string type = config.text("problem_type", "");
  if (type == "multi_label_classification") return Problem::MultiLabel;
  if (type == "regression") return Problem::Regression;
  const bool one = info.task == Task::TextClassification && info.labels.size() == 1;
  return one ? Problem::Regression : Problem::SingleLabel;
}

namespace {

// The output that is being written: its start token, then the tokens of a text without those of a template.
Encoding begun_with(const LoadedModel& loaded, const std::string& text) {
  Encoding prefix;
  if (!text.empty())
    prefix = loaded.tokenizer->encode(text, {}, {.add_special_tokens = false, .max_length = Index{1} << 30});
  Token start{.id = loaded.start, .special = true};
  start.piece = loaded.tokenizer->piece_of(loaded.start);
  prefix.tokens.insert(prefix.tokens.begin(), start);
  end_words_at_spaces(prefix);
  return prefix;
}

Prepared prepare_image(const LoadedModel& loaded, const Input& input) {
  if (input.image.empty())
    throw InputError(fmt::format("input: expected an image for {} (--image FILE), found text",
                                 loaded.info().architecture));
  const Image image = read_image(input.image);
  Prepared prepared;
  prepared.crop = loaded.processor->crop(image);
  prepared.fitted = loaded.processor->fitting(image);
  const Tensor pixels = loaded.processor->pixels(image, loaded.info().dtype);  // [C, height, width]
  prepared.batch.pixels = pixels.reshaped(pixels.shape().with_front(1));
  return prepared;
}

}  // namespace

Index input_limit(const LoadedModel& loaded) {
  const Index positions = loaded.info().positions;
  const Index own = loaded.tokenizer->model_max_length().value_or(positions);
  if (positions <= 0) return own;
  return std::min(positions, own);
}

std::vector<int> end_tokens(const Config& config, const std::string& folder) {
  const std::string path = folder + "/generation_config.json";
  std::vector<Index> ends;
  if (file_exists(path)) ends = Config::read(path).integers("eos_token_id");
  if (ends.empty()) ends = config.integers("eos_token_id");
  std::vector<int> ids;  // one that is too large for an id is never generated
  for (const Index end : ends)
    if (end == static_cast<int>(end)) ids.push_back(static_cast<int>(end));
  return ids;
}

int start_token(const Config& config, const std::string& folder, const ModelInfo& info) {
  if (!is_encoder_decoder(info)) return 0;
  const std::string path = folder + "/generation_config.json";
  constexpr const char* key = "decoder_start_token_id";
  if (file_exists(path))
    if (const Config generation = Config::read(path); generation.has(key)) return generation.id(key);
  return config.id(config.has(key) ? key : "pad_token_id");
}

Prepared prepare(const LoadedModel& loaded, const Input& input) {
  if (!loaded.tokenizer) return prepare_image(loaded, input);
  if (!input.image.empty())
    throw InputError(fmt::format("input: expected text for {}, found the image {}",
                                 loaded.info().architecture, input.image));
  if (loaded.info().task == Task::QuestionAnswering && !input.pair)
    throw InputError(
        "input: expected a question and a context, found one text; give the context as the pair "
        "(--pair)");
  // There is no limit here, so that one message can give the length and both remedies.
  const Index limit = input_limit(loaded);
  const EncodeOptions options{.truncate = input.truncate,
                              .max_length = input.truncate ? limit : Index{1} << 30};
  Prepared prepared{.encoding = loaded.tokenizer->encode(input.text, input.pair, options)};
  input.spaced ? words_between_spaces(prepared.encoding) : end_words_at_spaces(prepared.encoding);
  const auto length = static_cast<Index>(prepared.encoding.tokens.size());
  if (length == 0) throw InputError("input: expected at least one token, found an empty text");
  if (limit > 0 && length > limit)
    throw InputError(
        fmt::format("input: expected at most {} tokens, found {}; shorten the text, or cut it with "
                    "--truncate",
                    limit, length));
  prepared.batch.ids = {prepared.encoding.ids()};
  if (loaded.info().segments > 0) prepared.batch.type_ids = {prepared.encoding.type_ids()};
  if (is_encoder_decoder(loaded.info())) {
    prepared.source = std::move(prepared.encoding);
    prepared.encoding = begun_with(loaded, input.prefix);
    prepared.batch.prefix = {prepared.encoding.ids()};
  } else if (!input.prefix.empty()) {
    throw InputError(fmt::format("prefix: expected none for {}, found one; it writes on from the text itself",
                                 loaded.info().architecture));
  }
  return prepared;
}

namespace {

// Whether `token` continues `last` in the same word of the tokenizer. Several spaces belong to what follows
// them.
bool starts_after_space(const Encoding& encoding, const Token& last, const Token& token) {
  const std::string& text = token.segment == 0 ? encoding.text : encoding.pair;
  const auto byte = [&](Index at) { return text[static_cast<std::size_t>(at)]; };
  if (token.begin == token.end || token.begin < last.end) return false;
  const std::string_view before = encoding.source(last);
  if (!before.empty() && std::all_of(before.begin(), before.end(), is_ascii_space)) return false;
  return is_ascii_space(byte(token.begin)) ||
         (token.begin > last.end && is_ascii_space(byte(token.begin - 1)));
}

}  // namespace

bool same_word(const Token& a, const Token& b) {
  return a.word >= 0 && a.word == b.word && a.segment == b.segment && !a.special && !b.special;
}

bool same_word(const Unit& a, const Unit& b) {
  return a.word >= 0 && a.word == b.word && a.segment == b.segment && !a.special && !b.special &&
         a.sequence == b.sequence && a.target == b.target;
}

std::vector<int> word_numbers(std::span<const Unit> units) {
  std::vector<int> numbers;
  std::vector<const Unit*> words;  // the first unit of each
  for (const Unit& unit : units) {
    if (unit.word < 0 || unit.special) {
      numbers.push_back(-1);
      continue;
    }
    std::size_t word = words.size();
    while (word > 0 && !same_word(*words[word - 1], unit)) --word;
    if (word == 0) {
      words.push_back(&unit);
      word = words.size();
    }
    numbers.push_back(static_cast<int>(word) - 1);
  }
  return numbers;
}

void end_words_at_spaces(Encoding& encoding) {
  int more = 0;
  const Token* last = nullptr;
  int last_word = -1;  // as the tokenizer counts
  for (Token& token : encoding.tokens) {
    if (token.word < 0) continue;
    if (last != nullptr && last->segment != token.segment) {
      last = nullptr;
      more = 0;
    }
    if (last != nullptr && token.word == last_word && starts_after_space(encoding, *last, token)) ++more;
    last_word = token.word;
    token.word += more;
    last = &token;
  }
}

namespace {

// For every byte, and for the end: the word it is in, or the next one.
std::vector<int> words_of_bytes(const std::string& text) {
  std::vector<int> words;
  int begun = 0;
  bool inside = false;
  for (const char byte : text) {
    const bool space = is_ascii_space(byte);
    if (!space && !inside) ++begun;
    inside = !space;
    words.push_back(inside ? begun - 1 : begun);
  }
  words.push_back(std::max(begun - 1, 0));
  return words;
}

}  // namespace

void words_between_spaces(Encoding& encoding) {
  const std::vector<int> words[] = {words_of_bytes(encoding.text), words_of_bytes(encoding.pair)};
  for (Token& token : encoding.tokens) {
    if (token.word < 0) continue;
    const std::string& text = token.segment == 0 ? encoding.text : encoding.pair;
    auto at = static_cast<std::size_t>(token.begin);
    while (at < static_cast<std::size_t>(token.end) && is_ascii_space(text[at])) ++at;
    token.word = words[token.segment == 0 ? 0 : 1][at];
  }
}

// A byte-level token may hold part of a character; those bytes are shown as the vocabulary spells them. The
// same holds for the mark of a word's start if it is a token of its own without a space before it: its span
// is then that of the next letter, which the next token shows.
std::string shown(const Encoding& encoding, const Token& token) {
  if (token.special || token.begin == token.end) return token.piece;
  const std::string_view source = encoding.source(token);
  const bool lone_mark = token.piece == "\u2581" && source.find_first_not_of(" \t\n") != source.npos;
  return lone_mark || first_invalid_utf8(source) ? token.piece : std::string(source);
}

namespace {

Unit unit_of(const Encoding& encoding, const Token& token) {
  return {.id = token.id,
          .piece = token.piece,
          .text = shown(encoding, token),
          .begin = token.begin,
          .end = token.end,
          .word = token.word,
          .segment = token.segment,
          .special = token.special};
}

std::vector<Sequence> sequences_of(const ModelInfo& info, const Batch& batch) {
  std::vector<Sequence> all;
  const std::vector<Stack>& stacks = info.stacks;
  for (const Stack& stack : stacks) {
    Sequence sequence{.modality = stack.modality,
                      .first = all.empty() ? 0 : all.back().first + all.back().count};
    if (stack.modality == Modality::Image) {
      const Index patch = std::max(1, info.patch_size);
      sequence.name = "image";
      sequence.rows = batch.pixels.dim(2) / patch;
      sequence.columns = batch.pixels.dim(3) / patch;
      sequence.count = info.prefix_tokens + sequence.rows * sequence.columns;
    } else {
      sequence.name = stack.reads >= 0 ? "prefix" : stacks.size() > 1 ? "source" : "text";
      sequence.count = length_of(stack.reads >= 0 ? batch.prefix : batch.ids);
    }
    all.push_back(sequence);
  }
  return all;
}

}  // namespace

Unit patch_of(const Sequence& sequence, Index at) {
  const Index before = sequence.count - sequence.rows * sequence.columns;
  if (const Index patch = at - before; patch >= 0)
    return {.id = -1, .text = fmt::format("({}, {})", patch / sequence.columns, patch % sequence.columns)};
  return {.id = -1, .text = at == 0 ? "[CLS]" : fmt::format("[{}]", at), .special = true};
}

InputUnits units_of(const ModelInfo& info, const Batch& batch, std::span<const Encoding* const> encodings) {
  InputUnits made{.sequences = sequences_of(info, batch)};
  for (std::size_t s = 0; s < made.sequences.size(); ++s) {
    const Sequence& sequence = made.sequences[s];
    for (Index t = 0; t < sequence.count; ++t) {
      Unit unit;
      if (sequence.modality == Modality::Image)
        unit = patch_of(sequence, t);
      else if (s < encodings.size() && t < static_cast<Index>(encodings[s]->tokens.size()))
        unit = unit_of(*encodings[s], encodings[s]->tokens[static_cast<std::size_t>(t)]);
      unit.sequence = static_cast<int>(s);
      made.all.push_back(std::move(unit));
    }
  }
  return made;
}

Index unit_count(const ModelInfo& info, const Batch& batch) {
  const Sequence last = sequences_of(info, batch).back();
  return last.first + last.count;
}

Index fixed_units(const ModelInfo& info) {
  const Index side = info.patch_size > 0 ? info.image_size / info.patch_size : 0;
  return info.prefix_tokens + side * side;
}

InputUnits units_of(const ModelInfo& info, const Prepared& prepared) {
  std::vector<const Encoding*> encodings;
  if (is_encoder_decoder(info)) encodings.push_back(&prepared.source);
  encodings.push_back(&prepared.encoding);
  return units_of(info, prepared.batch, encodings);
}

std::vector<int> mask_rows(const LoadedModel& loaded, const Encoding& encoding) {
  const std::optional<int> mask = loaded.tokenizer->special_id("mask_token");
  std::vector<int> rows;
  for (std::size_t t = 0; mask && t < encoding.tokens.size(); ++t)
    if (encoding.tokens[t].id == *mask) rows.push_back(static_cast<int>(t));
  return rows;
}

std::vector<int> wanted_rows(const LoadedModel& loaded, const Encoding& encoding, std::optional<int> also) {
  const Task task = loaded.info().task;
  const int tokens = static_cast<int>(encoding.tokens.size());
  if (also && (*also < 0 || *also >= tokens))
    throw InputError(fmt::format("position: expected 0 … {}, found {}", tokens - 1, *also));
  if (!is_vocabulary(task)) return {};
  std::vector<int> rows = task == Task::FillMask ? mask_rows(loaded, encoding) : std::vector<int>{tokens - 1};
  if (also && std::find(rows.begin(), rows.end(), *also) == rows.end()) rows.push_back(*also);
  if (rows.empty()) {
    const std::optional<int> mask = loaded.tokenizer->special_id("mask_token");
    const std::string piece = mask ? loaded.tokenizer->piece_of(*mask) : "a mask token";
    throw InputError(fmt::format(
        "input: expected a text with {0}, found none; write {0} where a word should be "
        "filled in, or give a position; methods that explain no output need none (attention_rollout)",
        piece));
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace headwater
