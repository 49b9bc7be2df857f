// The integral of F's gradient along a way a = 0 … 1, from as few evaluations as an error asked for allows.
// It says where it needs the gradient next and is told what was found there, so that many integrals go on
// together.
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include <headwater/tensor.h>

#include "base/as_size.h"
#include "numerics/quadrature.h"

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
  // The largest magnitude among the scores that an integrated gradient gives. Scores are linear in it.
  using Largest = std::function<double(const std::vector<double>& gradient)>;

  // `known`: the slope at a = 1, or none. `growth`: how much longer what is normalised along the way gets, as
  // a share of what it begins with; a guess that costs evaluations when it is bad, and nothing else.
  // `level`: of the nested rule to begin with. `most_kept`: gradients it holds for later; what it needs
  // beyond them it wants again, so that memory is bounded and the numbers are the same.
  PathIntegral(std::vector<Slope> known, double growth, Largest largest, int level = 0,
               std::size_t most_kept = std::numeric_limits<std::size_t>::max());

  std::vector<double> wanted() const;    // where it needs slopes next: about as many as it may keep
  void take(std::vector<Slope> slopes);  // the slopes there, in that order
  bool waits() const { return !looking_.empty(); }  // it wants more before it can say anything
  // Wants more where the error is estimated largest: as much as leaves half of `allowed` to the rest, but not
  // more than `most` slopes. False if that allows nothing.
  bool refine(double allowed, int most);

  std::vector<double> gradient() const;  // ∫₀¹ ∂F/∂(·) da
  double change() const;                 // F(1) − F(0)
  double defect() const;                 // what the integral says of it, less that
  // Estimated, of the score that is off most: from how the slopes vary from node to node, and from what the
  // integral of each piece misses of the change of F there.
  double error() const;
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
    double error = 0;         // estimated
    double decay = 0;         // of the coefficients, by degree; 1: they do not fall
  };

  // Errors of pieces. They add up at worst; those of many pieces differ in sign.
  struct Errors {
    double sum = 0, squares = 0;
    void add(double error);
    double together() const;
  };
  Errors errors() const;

  double share(double t) const;                      // a(t)
  double pace(double t) const;                       // da/dt
  std::vector<Node> nodes_of(const Piece& p) const;  // over t
  // Which nodes of a piece have no gradient, and how many of the pieces looked at are served next.
  std::vector<std::size_t> missing(const Piece& piece) const;
  std::size_t next_pieces() const;
  void drop_gradients();  // of the pieces that need them last, until no more than may be are kept
  void finish(Piece& piece);
  void estimate(Piece& piece, const std::vector<double>& scale) const;
  void look_closer(std::size_t at);
  bool splits(const Piece& piece) const;  // when looked at closer; otherwise more nodes
  int slopes_to_look_closer(const Piece& piece) const;

  double growth_;
  Largest largest_;
  std::size_t most_kept_;
  std::vector<Piece> pieces_;
  std::vector<std::size_t> looking_;  // the pieces that want slopes
  double rounding_ = 0;
  int evaluations_ = 0;
};

}  // namespace headwater
