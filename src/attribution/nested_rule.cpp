// Lobatto's five points, exact for polynomials of degree 7; to them are added, as Kronrod (1965) and
// Patterson (1968) do for Gauss' points, the zeros of the polynomial that is orthogonal, with the old nodes'
// polynomial as weight, to all of lower degree. This gives 9 nodes exact for degree 13 and 17 for degree 25.
// Restarting with finer rules would throw every evaluation away.
#include "attribution/nested_rule.h"

#include <array>

namespace headwater {

namespace {

// Where on [−1, 1], the level it enters at, and its weight from that level on.
struct Abscissa {
  double x;
  int level;
  std::array<double, nested_levels> weight;
};

constexpr Abscissa half[] = {
    {1.0, 0, {0.1, 0.030643738977072310406, 0.0093314070397484977831}},
    {0.0, 0, {0.71111111111111111111, 0.34376208721036307243, 0.15888791878565074091}},
    {0.6546536707079771437983, 0, {0.54444444444444444444, 0.28397877804812111381, 0.13560287560509056522}},
    {0.3409822659109929715131, 1, {0, 0.33423373981641768358, 0.17616511974202108289}},
    {0.8904055275126687865703, 1, {0, 0.17926269955320735598, 0.093981518228150220369}},
    {0.1643374391647849239577, 2, {0, 0, 0.17261252620408062725}},
    {0.5089012012693945331338, 2, {0, 0, 0.15723704468557939877}},
    {0.7824160411204615407881, 2, {0, 0, 0.11962516831911094171}},
    {0.9661998630937078523382, 2, {0, 0, 0.056000380783393295562}},
};

}  // namespace

std::vector<Node> nested_rule(int level) {
  std::vector<Node> nodes;
  for (const Abscissa& a : half) {
    if (a.level > level) continue;
    const double weight = a.weight[static_cast<std::size_t>(level)] / 2;  // [−1, 1] is twice as long
    nodes.push_back({(1 + a.x) / 2, weight});
    if (a.x > 0) nodes.push_back({(1 - a.x) / 2, weight});
  }
  return nodes;
}

}  // namespace headwater
