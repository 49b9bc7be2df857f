// With p the softmax of the row that predicts a place, a reading t_0 t_1 … of a text has the probability
//
//   P = p(t_0 | input) p(t_1 | input, t_0) …
//
// and the likeliest reading is used if P ≥ 0.9 Σ P over all readings.
#include "study/token_target.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <headwater/error.h>

#include "study/prediction.h"
#include "study/token_text.h"

namespace headwater {

namespace {

struct Candidate {
  Reading ids;
  double log_probability;
};

bool fills(const LoadedModel& loaded) {
  return loaded.info().task == Task::FillMask;
}

Gap gap_at(const LoadedModel& loaded, const Encoding& encoding, int position) {
  return {encoding, position, fills(loaded) ? Gap::Kind::Instead : Gap::Kind::After};
}

std::vector<Reading> readings_at(const LoadedModel& loaded, const Encoding& encoding, int position,
                                 const std::string& text) {
  return readings_of(*loaded.tokenizer, loaded.info().vocabulary, gap_at(loaded, encoding, position), text);
}

std::string spelt(const LoadedModel& loaded, const Reading& ids) {
  std::vector<std::string> pieces;
  for (const int id : ids) pieces.push_back(loaded.tokenizer->piece_of(id));
  return fmt::format("{}", fmt::join(pieces, " "));
}

// "▁was (#471, 0.3517)", the likeliest first.
std::string listed_candidates(const LoadedModel& loaded, std::span<const Candidate> candidates) {
  constexpr std::size_t most = 6;
  std::vector<std::string> names;
  for (const Candidate& candidate : candidates.subspan(0, std::min(most, candidates.size())))
    names.push_back(fmt::format("{} ({}, {:.4g})", spelt(loaded, candidate.ids), written_ids(candidate.ids),
                                std::exp(candidate.log_probability)));
  return fmt::format("{}{}", fmt::join(names, ", "), candidates.size() > most ? ", …" : "");
}

Reading likeliest(const LoadedModel& loaded, std::vector<Candidate> candidates, const std::string& text,
                  std::string_view what) {
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.log_probability > b.log_probability;
  });
  double all = 0;  // as a multiple of the likeliest
  for (const Candidate& candidate : candidates)
    all += std::exp(candidate.log_probability - candidates.front().log_probability);
  if (1 >= clear_share * all) return candidates.front().ids;
  throw InputError(fmt::format(
      "{}: expected a text that can be read in one way there, found '{}', which may be {}; name it "
      "by id ({}) or piece, or with its space (' {}')",
      what, text, listed_candidates(loaded, candidates), written_ids(candidates.front().ids),
      without_space(text)));
}

[[noreturn]] void refuse_unspelt(const std::string& text, std::string_view what) {
  throw InputError(
      fmt::format("{}: expected a text that tokens of the vocabulary spell, found '{}'; `headwater tokenize` "
                  "shows how a text is read, and #id names a token",
                  what, text));
}

// The log-probability of each token of a reading, from a run on the input up to `position` and the reading.
Candidate measured_candidate(const LoadedModel& loaded, const Prepared& prepared, int position,
                             const Reading& reading) {
  std::vector<int> ids = prepared.encoding.ids(), rows;
  ids.resize(static_cast<std::size_t>(position) + 1);
  ids.insert(ids.end(), reading.begin(), reading.end() - 1);
  for (std::size_t i = 0; i < reading.size(); ++i) rows.push_back(position + static_cast<int>(i));
  Batch batch = prepared.batch;
  written(batch) = {std::move(ids)};
  batch.type_ids.clear();
  batch.positions = rows;
  Tape tape(Keep::Nothing);
  const Row row = row_of(loaded.model->run(tape, batch).value, 0, rows);
  Candidate candidate{.ids = reading, .log_probability = 0};
  for (std::size_t i = 0; i < reading.size(); ++i)
    candidate.log_probability += log_softmax(logits_at(row, rows[i]), static_cast<std::size_t>(reading[i]));
  return candidate;
}

bool is_several(const Reading& reading) {
  return reading.size() > 1;
}

void require_room(const LoadedModel& loaded, int position, std::size_t tokens) {
  const Index limit = input_limit(loaded), length = position + static_cast<Index>(tokens);
  if (limit > 0 && length > limit)
    throw InputError(
        fmt::format("target: expected at most {} tokens, the target's but the last included, found {}; "
                    "shorten the text or the target",
                    limit, length));
}

// The tokens of a text if some of its readings have several tokens; otherwise nothing, and the later run
// decides.
std::optional<Reading> settled_reading(const LoadedModel& loaded, const Prepared& prepared, int position,
                                       const std::string& text, std::string_view what) {
  const std::vector<Reading> readings = readings_at(loaded, prepared.encoding, position, text);
  if (std::none_of(readings.begin(), readings.end(), is_several)) return {};
  std::vector<Candidate> candidates;
  for (const Reading& reading : readings) {
    require_room(loaded, position, reading.size());
    candidates.push_back(measured_candidate(loaded, prepared, position, reading));
  }
  return likeliest(loaded, std::move(candidates), text, what);
}

// For every row the tokens before it must be the same for the target and the contrast.
void require_common_way(const Reading& wanted, const Reading& contrast) {
  const std::size_t shared = std::min(wanted.size(), contrast.size());
  for (std::size_t i = 0; i + 1 < shared; ++i)
    if (wanted[i] != contrast[i])
      throw InputError(fmt::format(
          "contrast: expected tokens that differ from the target's ({}) in the last only, found {}: each is "
          "predicted after its own tokens, so that the two need inputs of their own; explain them one by one",
          written_ids(wanted), written_ids(contrast)));
}

}  // namespace

std::string written_ids(std::span<const int> ids) {
  return fmt::format("#{}", fmt::join(ids, ","));
}

std::optional<std::vector<int>> token_ids(const LoadedModel& loaded, const std::string& text,
                                          std::string_view what) {
  if (!text.starts_with('#')) return {};
  std::vector<int> ids;
  bool numbers = true, inside = true;
  for (std::size_t begin = 1; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (begin < end && text[begin] == '#') ++begin;  // "#1,#2"
    int id = -1;
    const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, id);
    numbers = numbers && begin < end && error == std::errc{} && stop == text.data() + end;
    inside = inside && id >= 0 && id < loaded.info().vocabulary;
    ids.push_back(id);
    begin = end + 1;
  }
  if (numbers && inside) return ids;
  if (!numbers && loaded.tokenizer->id_of(text)) return {};  // "##ing"
  throw InputError(
      fmt::format("{}: expected a token id #0 … #{}, found '{}'; a text that begins with # takes a "
                  "space before it",
                  what, loaded.info().vocabulary - 1, text));
}

std::vector<int> tokens_meant(const LoadedModel& loaded, const Encoding& encoding, int position,
                              std::span<const double> logits, const std::string& text,
                              std::string_view what) {
  if (std::optional<std::vector<int>> ids = token_ids(loaded, text, what)) {
    if (ids->size() == 1 || !fills(loaded)) return *ids;
    throw InputError(
        fmt::format("{}: expected one token in the place of one, found {} ({})", what, ids->size(), text));
  }
  std::vector<Reading> readings = readings_at(loaded, encoding, position, text);
  if (readings.empty()) refuse_unspelt(text, what);
  const Reading first = readings.front();
  std::erase_if(readings, is_several);
  if (readings.empty())
    throw InputError(fmt::format(
        "{}: expected the text of one token, found '{}', which is {} tokens ({}); write one mask for "
        "each and explain them one by one with --position, or name one token (#id)",
        what, text, first.size(), spelt(loaded, first)));
  std::vector<Candidate> candidates;
  for (Reading& reading : readings) {
    const auto id = static_cast<std::size_t>(reading.front());
    candidates.push_back({std::move(reading), log_softmax(logits, id)});
  }
  return likeliest(loaded, std::move(candidates), text, what);
}

std::string token_name(const LoadedModel& loaded, std::span<const double> logits, int id) {
  const std::string label = token_label(*loaded.tokenizer, id);
  const double own = logits[static_cast<std::size_t>(id)];
  for (const int other : tokens_shown_as(*loaded.tokenizer, loaded.info().vocabulary, label))
    if (logits[static_cast<std::size_t>(other)] > own) return fmt::format("{} #{}", label, id);
  return label;
}

void append_tokens(const LoadedModel& loaded, Prepared& prepared, int position, std::span<const int> more) {
  Encoding& encoding = prepared.encoding;
  encoding.tokens.resize(static_cast<std::size_t>(position) + 1);
  std::vector<int> ids = encoding.ids();
  int word = -1;
  for (const Token& token : encoding.tokens) word = std::max(word, token.word);
  Token token{.segment = encoding.tokens.back().segment, .type_id = encoding.tokens.back().type_id};
  std::string& text = token.segment == 0 ? encoding.text : encoding.pair;
  for (const int& id : more) {
    const std::string before = loaded.tokenizer->decode(ids, true);
    ids.push_back(id);
    const std::string after = loaded.tokenizer->decode(ids, true);
    const std::string own = after.starts_with(before) ? after.substr(before.size()) : "";
    token.id = id;
    token.piece = loaded.tokenizer->piece_of(id);
    token.begin = static_cast<Index>(text.size());
    text += own;
    token.end = static_cast<Index>(text.size());
    if (&id == more.data() || own.starts_with(' ')) ++word;
    token.word = word;
    encoding.tokens.push_back(token);
  }
  written(prepared.batch) = {std::move(ids)};
  if (!prepared.batch.type_ids.empty()) prepared.batch.type_ids = {encoding.type_ids()};
}

MovedOn move_on(const LoadedModel& loaded, TargetSpec spec, Prepared& prepared) {
  const Encoding& encoding = prepared.encoding;
  prepared.batch.positions = wanted_rows(loaded, encoding, spec.position);
  if (!writes(loaded.info().task)) return {std::move(spec)};
  const int position = spec.position.value_or(static_cast<int>(encoding.tokens.size()) - 1);
  const auto tokens_of = [&](std::string& text, std::string_view what) -> Reading {
    if (text.empty()) return {};
    if (std::optional<Reading> ids = token_ids(loaded, text, what)) return *ids;
    std::optional<Reading> found = settled_reading(loaded, prepared, position, text, what);
    if (found) text = written_ids(*found);
    return found.value_or(Reading{});
  };
  const Reading wanted = tokens_of(spec.label, "target"), contrast = tokens_of(spec.contrast, "contrast");
  require_common_way(wanted, contrast);
  const Reading& longer = wanted.size() >= contrast.size() ? wanted : contrast;
  if (!is_several(longer)) return {std::move(spec)};
  require_room(loaded, position, longer.size());
  spec.position = position;
  append_tokens(loaded, prepared, position, std::span(longer).first(longer.size() - 1));
  prepared.batch.positions.clear();
  for (std::size_t i = 0; i < longer.size(); ++i)
    prepared.batch.positions.push_back(position + static_cast<int>(i));
  return {std::move(spec), static_cast<int>(longer.size()) - 1};
}

Index most_added(const LoadedModel& loaded, const TargetSpec& spec, const Encoding& encoding) {
  if (!writes(loaded.info().task)) return 0;
  const int last = static_cast<int>(encoding.tokens.size()) - 1;
  const int position = std::clamp(spec.position.value_or(last), 0, last);
  std::size_t most = 1;
  for (const std::string* text : {&spec.label, &spec.contrast}) {
    if (text->empty()) continue;
    if (const std::optional<Reading> ids = token_ids(loaded, *text, "target"))
      most = std::max(most, ids->size());
    else
      for (const Reading& reading : readings_at(loaded, encoding, position, *text))
        most = std::max(most, reading.size());
  }
  return static_cast<Index>(most) - 1;
}

}  // namespace headwater
