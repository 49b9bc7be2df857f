// With room for L tokens of text besides the special ones, windows go from word to word: each holds as many
// words as fit, and the next one starts so that at least the requested overlap is read twice. The last one is
// moved back until it is full, because scores that are shares of a row would be larger in a shorter window.
//
//   |------------- L -------------|
//                         |------------- L -------------|
//   ...... kept by the first ||  kept by the second ......
//
// Where two windows overlap, each keeps its half, so that a token is read where more text is on both sides of
// it. Scores are not changed; every window is explained for the same label.
#include "result/text_windows.h"

#include <algorithm>

#include <fmt/format.h>
#include <headwater/error.h>

#include "result/answer_rows.h"

namespace headwater {

namespace {

// Cuts the tokens of a text between its words.
struct Cutter {
  const std::vector<Token>& tokens;  // of the whole text
  Index room, overlap;

  bool starts_word(Index t) const {
    const auto at = static_cast<std::size_t>(t);
    return t == 0 || at == tokens.size() || tokens[at].word != tokens[at - 1].word;
  }
  Index back_to_word(Index t) const {
    while (!starts_word(t)) --t;
    return t;
  }
  // Windows as [first, last) tokens.
  std::vector<std::pair<Index, Index>> cut() const {
    const auto all = static_cast<Index>(tokens.size());
    std::vector<std::pair<Index, Index>> made;
    for (Index begin = 0;;) {
      const Index end = begin + room >= all ? all : back_to_word(begin + room);
      made.emplace_back(begin, end);
      if (end == all) break;
      const Index next = back_to_word(end - overlap);
      if (next <= begin || end <= begin)
        throw InputError(fmt::format(
            "windows: expected words that fit into {} tokens with {} read twice, found a longer one; ask for "
            "less overlap, or cut the text with --truncate",
            room, overlap));
      begin = next;
    }
    Index& last = made.back().first;
    while (last > 0 && all - back_to_word(last - 1) <= room) last = back_to_word(last - 1);
    return made;
  }
};

Index encoded_length(const LoadedModel& loaded, const std::string& text) {
  return static_cast<Index>(loaded.tokenizer->encode(text, {}, {.max_length = Index{1} << 30}).tokens.size());
}

}  // namespace

std::string part_of(const std::string& text, const TextSpan& span) {
  return text.substr(static_cast<std::size_t>(span.begin), static_cast<std::size_t>(span.end - span.begin));
}

std::vector<TextWindow> windows_of(const LoadedModel& loaded, const Input& input,
                                   const std::optional<int>& overlap) {
  const TextSpan whole{0, static_cast<Index>(input.text.size())};
  const Index limit = overlap ? input_limit(loaded) : 0;
  if (limit <= 0 || (!input.pair && encoded_length(loaded, input.text) <= limit)) return {{whole, whole}};
  if (input.pair) throw Unsupported("windows: expected one text, found a pair; use --truncate");
  Encoding encoding =
      loaded.tokenizer->encode(input.text, {}, {.add_special_tokens = false, .max_length = Index{1} << 30});
  end_words_at_spaces(encoding);
  // Without the text before it a word may have more tokens; windows are then shorter by that number.
  for (Index room = limit - encoded_length(loaded, "");;) {
    if (*overlap < 0 || *overlap >= room)
      throw InputError(fmt::format("overlap: expected from 0 to {} tokens, found {}",
                                   std::max<Index>(0, room - 1), *overlap));
    const auto cuts = Cutter{encoding.tokens, room, *overlap}.cut();
    const auto byte = [&](Index t) {  // white space belongs to the next word
      return t == 0 ? 0
             : t == static_cast<Index>(encoding.tokens.size())
                 ? whole.end
                 : encoding.tokens[static_cast<std::size_t>(t - 1)].end;
    };
    std::vector<TextWindow> made;
    Index longest = 0;
    for (const auto& [begin, end] : cuts) {
      const TextSpan text{byte(begin), byte(end)};
      longest = std::max(longest, encoded_length(loaded, part_of(input.text, text)));
      TextSpan kept = text;
      if (!made.empty()) {
        const Index before = cuts[made.size() - 1].second;
        made.back().kept.end = kept.begin =
            byte(Cutter{encoding.tokens, room, 0}.back_to_word((begin + before) / 2));
      }
      made.push_back({text, kept});
    }
    if (longest <= limit) return made;
    room -= longest - limit;
  }
}

ReadTokens joined_windows(std::span<const TextWindow> windows, std::span<const Report> reports) {
  ReadTokens made;
  int words = 0;  // of the windows before
  for (std::size_t w = 0; w < windows.size(); ++w) {
    const Report& report = reports[w];
    made.rows.resize(report.attributions.size());
    std::vector<std::size_t> kept;
    int most = -1;
    for (std::size_t t = 0; t < report.prediction.units.size(); ++t) {
      Unit unit = report.prediction.units[t];
      unit.begin += windows[w].text.begin;
      unit.end += windows[w].text.begin;
      if (unit.special || unit.end <= windows[w].kept.begin || unit.end > windows[w].kept.end) continue;
      most = std::max(most, unit.word);
      unit.word += words;
      made.tokens.push_back(unit);
      made.origins.push_back({w, t});
      kept.push_back(t);
    }
    words += most + 1;
    for (std::size_t m = 0; m < made.rows.size(); ++m) {
      const auto rows = answer_by_layer(report, report.attributions[m]);
      made.rows[m].resize(rows.size());
      for (std::size_t layer = 0; layer < rows.size(); ++layer)
        for (const std::size_t t : kept) made.rows[m][layer].push_back(rows[layer][t]);
    }
  }
  return made;
}

void require_windows(const ModelInfo& info) {
  if (info.task != Task::TextClassification)
    throw Unsupported(
        fmt::format("windows: needs a classifier of texts, whose label is that of every window, and found {}",
                    info.architecture));
}

int label_of_windows(std::span<const Report> reports) {
  std::vector<double> sums;
  for (const Report& report : reports)
    for (const Score& score : report.prediction.outcomes.front().top) {
      const auto label = static_cast<std::size_t>(score.index);
      sums.resize(std::max(sums.size(), label + 1), 0.0);
      sums[label] += score.probability;
    }
  return static_cast<int>(std::max_element(sums.begin(), sums.end()) - sums.begin());
}

}  // namespace headwater
