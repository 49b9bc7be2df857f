#include <algorithm>

#include <gtest/gtest.h>
#include <headwater/records.h>

#include "methods/method.h"

namespace headwater {
namespace {

template <class Record>
const Record& named(const std::vector<Record>& records, const std::string& name) {
  const auto found =
      std::find_if(records.begin(), records.end(), [&](const Record& r) { return r.name == name; });
  if (found == records.end()) throw std::runtime_error(name);
  return *found;
}

TEST(Records, SayWhatTheRegistriesHold) {
  const std::vector<MethodRecord> all = method_records();
  EXPECT_EQ(all.size(), all_methods().size());
  const MethodRecord& integrated = named(all, "integrated_gradients");
  EXPECT_NE(integrated.paper.find("Sundararajan"), std::string::npos);
  EXPECT_TRUE(integrated.needs_target);
  EXPECT_FALSE(integrated.aggregates);
  const MethodOption quantity = quantity_option;
  const OptionRecord& option = named(integrated.options, std::string(quantity.name));
  EXPECT_EQ(option.type, quantity.type);
  EXPECT_EQ(option.otherwise, quantity.otherwise);
  EXPECT_EQ(option.help, quantity.help);
  EXPECT_EQ(named(all, "value_zeroing").claims.front(), "rows sum to 1");
  EXPECT_TRUE(named(all, "value_zeroing").aggregates);
  EXPECT_EQ(named(all, "chefer").aliases.front(), "transformer_attribution");
}

TEST(Records, NameFamiliesAndEvaluations) {
  const FamilyRecord bert = named(family_records(), "bert");
  EXPECT_NE(std::find(bert.architectures.begin(), bert.architectures.end(), "BertForMaskedLM"),
            bert.architectures.end());
  EXPECT_EQ(named(evaluation_records(), "comprehensiveness").better, "higher");
  EXPECT_EQ(named(evaluation_records(), "sufficiency").better, "lower");
  EXPECT_FALSE(named(evaluation_records(), "deletion").curve_over.empty());
}

}  // namespace
}  // namespace headwater
