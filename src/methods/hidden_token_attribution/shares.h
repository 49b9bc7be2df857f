// Shares: norms of Jacobian blocks made into contributions, and what is read off them.
#pragma once

#include <vector>

#include <headwater/report.h>

namespace headwater {

// Norms N [maps, T, T] (row: token written, column: token read) with the variance of each N, and the shares
// N / Σ over the row with their standard errors. A row without any norm stays 0.
struct Shares {
  std::vector<double> values, errors;
};
Shares shares_of(const std::vector<double>& norms, const std::vector<double>& variances, Index tokens);

// Per layer of shares [L, T, T]: quartiles of what a token keeps of itself, the percentage of tokens whose
// largest contributor is another, the mean share by distance, how what comes from others is spread over
// distances 1, 2, 3, 4–5, 6–10 and beyond, and the entropy of every row in nats.
std::vector<Map> share_details(const std::vector<double>& shares, Index layers, Index tokens, bool causal);

// How many rows have their two largest shares within three standard errors of each other.
Index undecided_rows(const Shares& shares, Index tokens);

// Mean over the rows of two maps [T, T] of Pearson's and Spearman's correlation; rows with fewer than three
// allowed tokens, or constant ones, do not count. NaN where none counts.
struct RowCorrelation {
  double pearson, spearman;
};
RowCorrelation row_agreement(const double* a, const double* b, Index tokens, bool causal);

}  // namespace headwater
