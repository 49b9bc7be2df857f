// What a pull may be told beside its rules; the walkers themselves are held by the laws over ops and models.
#include "tape/tape.h"

#include <gtest/gtest.h>

#include "ops/ops.h"

namespace headwater {
namespace {

// y = 2x + 3x, read by two scales that meet again in a sum.
struct Diamond {
  Tape tape;
  Var x = tape.leaf(Tensor::of({1, 2}, std::vector<double>{1, 4}), Site::ResidPre);
  Var y = add(scale(x, 2, Site::Q), scale(x, 3), {Site::ResidPost, 1});
};

TEST(PullHooks, PassedSeesEveryOpOnTheWay) {
  const Diamond d;
  std::vector<std::string> seen;
  const PullHooks hooks{.passed = [&](const Passed& op) {
    seen.emplace_back(op.op);
    EXPECT_EQ(op.back.size(), op.call.x.size());
    if (op.op == "add") {
      EXPECT_EQ(op.at, Place(Site::ResidPost, 1));
      EXPECT_EQ(op.call.y.at(1), 20);
      EXPECT_EQ(op.signal.at(0), 1);
    }
  }};
  const Tensor seed = Tensor::full({1, 2}, DType::Float64, 1);
  const Signals signals = d.tape.pull(d.y, seed, rules::gradient, {{Site::ResidPre, 0}}, hooks);
  EXPECT_EQ(seen, (std::vector<std::string>{"add", "scale", "scale"}));
  EXPECT_EQ(signals.of(d.x).at(0), 5);
}

TEST(PullHooks, MeetJoinsWhatArrivesAtOneValue) {
  const Diamond d;
  int meetings = 0;
  const PullHooks hooks{.meet = [&](const Meeting& meeting) {
    ++meetings;
    EXPECT_EQ(meeting.at.site, Site::ResidPre);
    EXPECT_EQ(meeting.value.at(1), 4);
    EXPECT_EQ(meeting.branches.size(), 2U);
    for (const Meeting::Branch& branch : meeting.branches)
      if (branch.reader == Site::Q) return branch.signal;
    return Tensor();
  }};
  const Tensor seed = Tensor::full({1, 2}, DType::Float64, 1);
  const Signals signals = d.tape.pull(d.y, seed, rules::gradient, {}, hooks);
  EXPECT_EQ(meetings, 1);
  EXPECT_EQ(signals.of(d.x).at(0), 2);
}

TEST(PullHooks, WhatDoesNotGoOnIsNotHandedToPassed) {
  Tape tape;
  const Var x = tape.leaf(Tensor::full({1, 2}, DType::Float64, 1), Site::ResidPre);
  const Var other = tape.leaf(Tensor::full({1, 2}, DType::Float64, 1), Site::Embed);
  const Var y = add(x, other);
  const PullHooks hooks{.passed = [&](const Passed& op) {
    EXPECT_FALSE(op.back[0].empty());
    EXPECT_TRUE(op.back[1].empty());
  }};
  tape.pull(y, Tensor::full({1, 2}, DType::Float64, 1), rules::gradient, {{Site::ResidPre, 0}}, hooks);
}

}  // namespace
}  // namespace headwater
