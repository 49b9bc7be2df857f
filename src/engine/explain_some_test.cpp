// Reports of explain_some are those of explain, one by one; errors come in their turn.
#include <algorithm>
#include <thread>

#include <gtest/gtest.h>
#include <headwater/engine.h>
#include <headwater/threads.h>

#include "support/shipped_engines.h"

namespace headwater {
namespace {

using testing::sentiment;

std::vector<Request> stream_of(std::initializer_list<const char*> texts) {
  std::vector<Request> requests;
  for (const char* text : texts)
    requests.push_back({.input = Input{.text = text}, .methods = {{"chefer"}, {"attention"}}});
  return requests;
}

// Two threads, whatever the machine has.
struct ExplainSome : ::testing::Test {
  int before = threads();
  ExplainSome() { set_threads(2); }
  ~ExplainSome() override { set_threads(before); }
};

// Texts of equal length among them, whose runs are made together.
TEST_F(ExplainSome, HasTheBitsOfOneByOne) {
  const std::vector<Request> requests =
      stream_of({"not bad at all", "dull", "so it is good", "warm", "a film that is rather long, and funny",
                 "warm and honest"});
  const std::vector<Report> reports = sentiment().explain_some(requests);
  ASSERT_EQ(reports.size(), requests.size()) << "short texts fit together";
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const Report alone = sentiment().explain(requests[i]);
    EXPECT_EQ(reports[i].text, requests[i].input.text);
    for (std::size_t m = 0; m < alone.attributions.size(); ++m)
      EXPECT_TRUE(std::ranges::equal(reports[i].attributions[m].scores().values<float>(),
                                     alone.attributions[m].scores().values<float>()));
  }
}

TEST_F(ExplainSome, StopsBeforeAnErrorAndThrowsItInItsTurn) {
  std::vector<Request> requests = stream_of({"not bad", "dull", "warm"});
  requests[1].target.label = "happy";
  EXPECT_EQ(sentiment().explain_some(requests).size(), 1U);
  EXPECT_THROW(sentiment().explain_some(std::span(requests).subspan(1)), InputError);
}

TEST_F(ExplainSome, TakesOneAtATimeWhereMemoryIsBounded) {
  std::vector<Request> requests = stream_of({"not bad", "dull"});
  requests[0].max_memory = std::size_t{1} << 30;
  EXPECT_EQ(sentiment().explain_some(requests).size(), 1U);
  EXPECT_TRUE(sentiment().explain_some({}).empty());
}

TEST_F(ExplainSome, TellsItsCallersThreadAlone) {
  std::vector<Request> requests = stream_of({"not bad", "dull", "warm", "a delight", "funny", "long"});
  const auto caller = std::this_thread::get_id();
  bool elsewhere = false;
  for (Request& request : requests) {
    request.methods = {{"attattr"}};
    request.progress = [&](const Progress&) {
      elsewhere = elsewhere || std::this_thread::get_id() != caller;
    };
  }
  sentiment().explain_some(requests);
  EXPECT_FALSE(elsewhere);
}

}  // namespace
}  // namespace headwater
