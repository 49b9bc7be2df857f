// Patterson (1968): to the nodes of a rule are added the zeros of the polynomial that is orthogonal, with the
// old nodes' polynomial as weight, to all of lower degree. From Gauss' three points this gives 7 nodes exact
// for degree 11, 15 for 23 and 31 for 47. Restarting Gauss' rules (3, 5, 8, …) would throw every evaluation
// away.
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
    {0.0, 0, {0.8888888888888888889, 0.4509165386584741423, 0.2255104997982066874, 0.1127552567207686916}},
    {0.774596669241483377,
     0,
     {0.5555555555555555556, 0.2684880898683334407, 0.1344152552437842204, 0.06720775429599070354}},
    {0.434243749346802558, 1, {0, 0.4013974147759622229, 0.200628529376989021, 0.1003142786117955788}},
    {0.9604912687080202834, 1, {0, 0.1046562260264672652, 0.0516032829970797397, 0.02580759809617665356}},
    {0.2233866864289668816, 2, {0, 0, 0.2191568584015874964, 0.1095784210559246382}},
    {0.6211029467372264029, 2, {0, 0, 0.1715119091363913808, 0.08575592004999035115}},
    {0.8884592328722569989, 2, {0, 0, 0.09292719531512453769, 0.04646289326175798654}},
    {0.9938319632127550222, 2, {0, 0, 0.01700171962994026034, 0.008434565739321106246}},
    {0.1124889431331866257, 3, {0, 0, 0, 0.1119568730209534569}},
    {0.3311353932579768331, 3, {0, 0, 0, 0.1056698935802348097}},
    {0.531319743644375624, 3, {0, 0, 0, 0.09362710998126447362}},
    {0.7024962064915270786, 3, {0, 0, 0, 0.07687962049900353104}},
    {0.8367259381688687355, 3, {0, 0, 0, 0.05697950949412335741}},
    {0.9296548574297400567, 3, {0, 0, 0, 0.0359571033071293221}},
    {0.9815311495537401069, 3, {0, 0, 0, 0.01644604985438781093}},
    {0.9990981249676675977, 3, {0, 0, 0, 0.002544780791561874415}},
};

}  // namespace

std::vector<Node> nested_rule(int level) {
  std::vector<Node> nodes;
  for (const Abscissa& a : half) {
    if (a.level > level) continue;
    const double weight = a.weight[static_cast<std::size_t>(level)] / 2;  // [−1, 1] is twice as long
    if (a.x > 0) nodes.push_back({(1 - a.x) / 2, weight});
    nodes.push_back({(1 + a.x) / 2, weight});
  }
  return nodes;
}

}  // namespace headwater
