// The integral of F's gradient along a way a = 0 … 1, from as few evaluations as completeness allows. It says
// where it needs the gradient next and is told what was found there, so that many integrals go on together.
#pragma once

#include <vector>

#include <headwater/tensor.h>

#include "attribution/quadrature.h"

namespace headwater {

// What is known at one place of the way.
struct Slope {
  Tensor gradient;      // of F
  double along = 0;     // dF/da: the gradient's share along the way
  double value = 0;     // F
  double rounding = 0;  // of F
};

// sum += w g, in double; an empty sum is zero.
void add_weighted(double weight, const Slope& slope, std::vector<double>& sum);

class PathIntegral {
 public:
  // The slope at a = 1 is known. `growth`: how much longer what is normalised along the way gets, as a share
  // of what it begins with; a guess that costs evaluations when it is bad, and nothing else.
  PathIntegral(Slope end, double growth);

  std::vector<double> wanted() const;    // where it needs slopes next
  void take(std::vector<Slope> slopes);  // the slopes there, in that order
  void refine();                         // wants more where the defect is largest

  std::vector<double> gradient() const;  // ∫₀¹ ∂F/∂(·) da
  std::vector<double> coarser() const;   // the same by fewer nodes; only after the first slopes
  double change() const;                 // F(1) − F(0)
  double defect() const;                 // what the integral says of it, less that
  // The same, with the defects on the way there, which are allowed to be larger.
  double worst() const;
  double rounding() const { return rounding_; }
  int evaluations() const { return evaluations_; }

 private:
  // A part of the way. Known slopes are in the order of the nested rule: at its end, its beginning, …; after
  // the last level at its end, its beginning and its middle.
  struct Piece {
    double begin = 0, end = 1;  // of t
    std::vector<Slope> known;
    int level = 0;
    std::vector<double> sum;  // ∫ over the piece
    double defect = 0;        // what the sum says of the change of F over the piece, less that
    double on_the_way = 0;    // the same up to the node where it is largest

    double worst() const;
  };

  double share(double t) const;                      // a(t)
  double pace(double t) const;                       // da/dt
  std::vector<Node> nodes_of(const Piece& p) const;  // over t
  void finish(Piece& piece);

  double growth_;
  std::vector<Piece> pieces_;
  std::vector<std::size_t> looking_;  // the pieces that want slopes
  double rounding_ = 0;
  int evaluations_ = 0;
};

}  // namespace headwater
