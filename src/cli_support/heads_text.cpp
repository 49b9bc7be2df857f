#include "cli_support/heads_text.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fwd.h"
#include "cli_support/table.h"
#include "report/colours.h"

namespace headwater {

namespace {

std::string percent(double share) {
  return std::isnan(share) ? "–" : fmt::format("{:.1f}", 100 * share);
}

std::string unresolved_text(int inputs) {
  if (inputs == 0) return {};
  return fmt::format("  {} {} attributions missed the tolerance\n", inputs,
                     inputs == 1 ? "input's" : "inputs'");
}

std::string ranking_text(const HeadImportance& ranking, TerminalFormat::Colour colour) {
  const double peak = std::accumulate(ranking.scores.begin(), ranking.scores.end(), 1e-300,
                                      [](double a, double b) { return std::max(a, std::abs(b)); });
  std::string out = fmt::format("{}  ({} inputs)\n     ", ranking.ranking, ranking.inputs);
  for (int h = 0; h < ranking.heads; ++h) out += fmt::format(" {:>9}", fmt::format("H{}", h));
  out += '\n';
  const auto score = [&](int l, int h) {
    return ranking.scores[static_cast<std::size_t>(l) * static_cast<std::size_t>(ranking.heads) +
                          static_cast<std::size_t>(h)];
  };
  for (int l = 0; l < ranking.layers; ++l) {
    out += fmt::format("{:>5}", fmt::format("L{}", l));
    for (int h = 0; h < ranking.heads; ++h)
      out += " " + painted(fmt::format("{:>9.5f}", score(l, h)), score(l, h) / peak, colour);
    out += '\n';
  }
  std::vector<int> order(ranking.scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return ranking.scores[static_cast<std::size_t>(a)] > ranking.scores[static_cast<std::size_t>(b)];
  });
  out += "  strongest";
  for (std::size_t k = 0; k < std::min<std::size_t>(8, order.size()); ++k)
    out += fmt::format("  L{}H{}", order[k] / ranking.heads, order[k] % ranking.heads);
  return out + "\n" + unresolved_text(ranking.unresolved);
}

}  // namespace

std::string heads_text(std::span<const HeadImportance> rankings, TerminalFormat::Colour colour) {
  std::string out;
  for (const HeadImportance& ranking : rankings)
    out += (out.empty() ? "" : "\n") + ranking_text(ranking, colour);
  return out;
}

std::string heads_json(std::span<const HeadImportance> rankings) {
  OrderedJson all = OrderedJson::array();
  for (const HeadImportance& ranking : rankings) {
    OrderedJson rows = OrderedJson::array();
    for (int l = 0; l < ranking.layers; ++l) {
      const auto begin = ranking.scores.begin() + static_cast<std::ptrdiff_t>(l) * ranking.heads;
      rows.push_back(std::vector<double>(begin, begin + ranking.heads));
    }
    all.push_back({{"ranking", ranking.ranking},
                   {"inputs", ranking.inputs},
                   {"unresolved", ranking.unresolved},
                   {"scores", std::move(rows)}});
  }
  return OrderedJson{{"schema", "headwater.heads/1"}, {"rankings", std::move(all)}}.dump(2) + "\n";
}

std::string curves_text(std::span<const PruningCurve> curves) {
  Table table;
  table.header = {"ranking", "scope", "first"};
  table.right = "lll";
  for (const double rate : curves.front().rates) {
    table.header.push_back(fmt::format("{:.0f} %", 100 * rate));
    table.right += 'r';
  }
  for (const PruningCurve& curve : curves) {
    std::vector<std::string> row{curve.ranking, curve.scope, curve.order};
    for (const double right : curve.accuracy) row.push_back(percent(right));
    table.rows.push_back(std::move(row));
    for (const auto& [name, values] :
         {std::pair("lowest", curve.lowest), std::pair("highest", curve.highest)}) {
      if (values.empty()) continue;
      table.rows.push_back({"", "", name});
      for (const double right : values) table.rows.back().push_back(percent(right));
    }
  }
  return "accuracy in % when this share of the heads is removed\n" + table.str();
}

std::string curves_json(std::span<const PruningCurve> curves) {
  OrderedJson all = OrderedJson::array();
  for (const PruningCurve& curve : curves) {
    OrderedJson one{{"ranking", curve.ranking},
                    {"scope", curve.scope},
                    {"first", curve.order},
                    {"rates", curve.rates},
                    {"accuracy", curve.accuracy}};
    if (!curve.lowest.empty()) {
      one["lowest"] = curve.lowest;
      one["highest"] = curve.highest;
    }
    all.push_back(std::move(one));
  }
  return OrderedJson{{"schema", "headwater.pruning/1"}, {"curves", std::move(all)}}.dump(2) + "\n";
}

std::string curves_csv(std::span<const PruningCurve> curves) {
  std::string out = "ranking,scope,first,rate,accuracy,lowest,highest\n";
  for (const PruningCurve& curve : curves)
    for (std::size_t r = 0; r < curve.rates.size(); ++r)
      out += fmt::format("{},{},{},{},{},{},{}\n", curve.ranking, curve.scope, curve.order, curve.rates[r],
                         curve.accuracy[r], curve.lowest.empty() ? "" : fmt::format("{}", curve.lowest[r]),
                         curve.highest.empty() ? "" : fmt::format("{}", curve.highest[r]));
  return out;
}

std::string triggers_text(const TriggerReport& report) {
  Table table;
  table.header = {"pattern", "from", "strength"};
  table.right = "llr";
  for (std::size_t k = 0; k < report.labels.size(); ++k) {
    table.header.push_back(fmt::format("{} ({})", visible(report.labels[k]), report.inputs[k]));
    table.right += 'r';
  }
  std::vector<std::string> before{"(none)", "", ""};
  for (const double right : report.accuracy) before.push_back(percent(right));
  table.rows.push_back(std::move(before));
  for (const Trigger& trigger : report.triggers) {
    std::string words;
    for (const TriggerToken& token : trigger.tokens)
      words += (words.empty() ? "" : " … ") + visible(token.text);
    std::vector<std::string> row{words, visible(trigger.label), fmt::format("{:.4f}", trigger.strength)};
    for (const double right : trigger.accuracy) row.push_back(percent(right));
    table.rows.push_back(std::move(row));
  }
  return "accuracy in % per gold label, with the pattern inserted\n" + table.str() +
         unresolved_text(report.unresolved);
}

std::string triggers_json(const TriggerReport& report) {
  OrderedJson triggers = OrderedJson::array();
  for (const Trigger& trigger : report.triggers) {
    OrderedJson tokens = OrderedJson::array();
    for (const TriggerToken& token : trigger.tokens)
      tokens.push_back(
          {{"id", token.id}, {"text", token.text}, {"sequence", token.sequence}, {"place", token.place}});
    triggers.push_back({{"label", trigger.label},
                        {"source", trigger.source},
                        {"strength", trigger.strength},
                        {"tokens", std::move(tokens)},
                        {"accuracy", trigger.accuracy}});
  }
  const OrderedJson json{{"schema", "headwater.triggers/1"}, {"labels", report.labels},
                         {"inputs", report.inputs},          {"accuracy", report.accuracy},
                         {"unresolved", report.unresolved},  {"triggers", std::move(triggers)}};
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace headwater
