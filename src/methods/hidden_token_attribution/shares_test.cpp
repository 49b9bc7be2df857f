#include "methods/hidden_token_attribution/shares.h"

#include <cmath>

#include <gtest/gtest.h>

namespace headwater {
namespace {

using Numbers = std::vector<double>;

TEST(Shares, RowsAndTheirErrors) {
  const Shares shares = shares_of({1, 3, 0, 0}, {.04, .09, 0, 0}, 2);
  EXPECT_EQ(shares.values, (Numbers{.25, .75, 0, 0}));
  EXPECT_NEAR(shares.errors[0], std::sqrt(.75 * .75 * .04 + .25 * .25 * .09) / 4, 1e-15);
  EXPECT_NEAR(shares.errors[1], std::sqrt(.25 * .25 * .09 + .75 * .75 * .04) / 4, 1e-15);
}

TEST(Shares, AggregatesByHand) {
  // Thirteen tokens that each read themselves by half and the first token by the rest.
  constexpr Index tokens = 13;
  Numbers map(tokens * tokens);
  for (Index j = 0; j < tokens; ++j) {
    map[static_cast<std::size_t>(j * tokens + j)] = j == 0 ? 1 : .4;
    if (j > 0) map[static_cast<std::size_t>(j * tokens)] = .6;
  }
  const std::vector<Map> all = share_details(map, 1, tokens, true);
  EXPECT_EQ(all[0].name, "self_share_quartiles");
  EXPECT_DOUBLE_EQ(all[0].values.at(1), .4);
  EXPECT_NEAR(all[1].values.at(0), 100.0 * 12 / 13, 1e-12);
  EXPECT_NEAR(all[2].values.at(12), .6, 1e-15);
  EXPECT_NEAR(all[2].values.at(1), .6 / 12, 1e-15);
  const Numbers bins{1, 1, 1, 2, 5, 2};  // tokens 1, 2, 3, 4–5, 6–10, 11–12
  for (Index b = 0; b < 6; ++b)
    EXPECT_NEAR(all[3].values.at(b), bins[static_cast<std::size_t>(b)] / 12, 1e-15);
  EXPECT_EQ(all[4].values.at(0), 0);
  EXPECT_NEAR(all[4].values.at(5), -.4 * std::log(.4) - .6 * std::log(.6), 1e-15);
}

TEST(Shares, UndecidedRows) {
  EXPECT_EQ(undecided_rows({{.5, .4, .1, .8, .1, .1}, {.1, .1, 0, .01, .01, .01}}, 3), 1);
  EXPECT_EQ(undecided_rows({{1}, {0}}, 1), 0);
}

TEST(Shares, AgreementOfRows) {
  const Numbers a{1, 2, 3, 1, 2, 3, 1, 1, 1}, b{2, 4, 7, 7, 4, 2, 1, 2, 3};
  const RowCorrelation agreement = row_agreement(a.data(), b.data(), 3, false);  // the last row is constant
  EXPECT_NEAR(agreement.spearman, 0, 1e-15);
  EXPECT_NEAR(agreement.pearson, 0, 1e-15);
  const RowCorrelation causal = row_agreement(b.data(), b.data(), 3, true);  // one row of three tokens
  EXPECT_NEAR(causal.pearson, 1, 1e-15);
  const Numbers twice{1, 1, 2, 1, 1, 2, 1, 1, 2}, rising{1, 2, 3, 1, 2, 3, 1, 2, 3};
  EXPECT_NEAR(row_agreement(twice.data(), rising.data(), 3, false).spearman, std::sqrt(3) / 2, 1e-15);
  EXPECT_TRUE(std::isnan(row_agreement(a.data(), b.data(), 1, false).pearson));
}

}  // namespace
}  // namespace headwater
