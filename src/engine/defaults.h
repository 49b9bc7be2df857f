// Which methods a request runs: the default ones depend on what they cost for this input.
#pragma once

#include <string>
#include <vector>

#include <headwater/request.h>

namespace headwater {

struct ModelInfo;

// Multiplications of a forward run over so many units and of a gradient: about.
double gradient_products(const ModelInfo& info, Index units);

// The request's methods without those that it would only run where they take little (if_affordable).
std::vector<MethodSpec> methods_for(const Request& request, const ModelInfo& info, Index units);
// What a reader must know when one of them was left out; otherwise empty.
std::string left_out_note(const Request& request, const ModelInfo& info, Index units);

}  // namespace headwater
