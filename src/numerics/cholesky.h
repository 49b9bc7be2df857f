// Cholesky factors of large symmetric matrices in double, with the products as the kernels make them: the
// same bits for any number of threads.
#pragma once

#include <vector>

#include <headwater/tensor.h>

namespace headwater {

// A [n, n] row-major becomes L in its lower triangle, A = L Lᵀ; what stands above the diagonal is neither
// read nor kept. False if A is not positive definite.
bool factorise(std::vector<double>& a, Index n);

// B [n, m] ← A⁻¹ B from the factor.
void solve_factorised(const std::vector<double>& l, Index n, std::vector<double>& b, Index m);

}  // namespace headwater
