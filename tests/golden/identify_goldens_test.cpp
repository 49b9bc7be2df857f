// Token identifiability against transformers and numpy (make_identify_goldens.py): equal splits, equal
// counts.
#include <cmath>
#include <string>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "base/json.h"
#include "identifiability/identify.h"
#include "models/family.h"
#include "support/source_folder.h"

namespace headwater {
namespace {

std::vector<ProbeText> texts_of(const Json& golden, const ModelInfo& info) {
  std::vector<ProbeText> texts;
  for (const Json& ids : golden["texts"]) {
    ProbeText text{.ids = ids.get<std::vector<int>>(), .type_ids = {}, .special = {}};
    if (info.segments > 0) text.type_ids.assign(text.ids.size(), 0);
    text.special.assign(text.ids.size(), false);
    text.special.front() = text.special.back() = true;
    texts.push_back(std::move(text));
  }
  return texts;
}

std::string_view name_of_part(Part part) {
  return part == Part::Train ? "train" : part == Part::Validation ? "validation" : "test";
}

IdentifyRequest request_of(const Json& golden) {
  IdentifyRequest request;
  request.control = false;
  request.seed = golden["seed"].get<std::uint64_t>();
  request.ridge = golden["ridge"].get<double>();
  request.maps.clear();
  for (const TokenMap map : {TokenMap::Naive, TokenMap::Linear})
    for (const Json& cell : golden["cells"])
      if (cell["map"] == name_of(map) && (request.maps.empty() || request.maps.back() != map))
        request.maps.push_back(map);
  for (const TokenTarget target : {TokenTarget::Word, TokenTarget::Sum, TokenTarget::Hidden})
    if (golden["target"] == name_of(target)) request.target = target;
  return request;
}

const IdentifyCell& find(const IdentifyReport& report, const Json& cell) {
  for (const IdentifyCell& found : report.cells)
    if (found.state == cell["state"].get<int>() && cell["map"] == name_of(found.map) &&
        cell["distance"] == name_of(found.distance))
      return found;
  throw std::out_of_range("no such cell");
}

TEST(IdentifyGoldens, CountsEqualTransformersAndNumpy) {
  const Json goldens = read_json_file(HEADWATER_SOURCE_DIR "/tests/golden/identify.json");
  ASSERT_GE(goldens.size(), 8U);
  int compared = 0;
  for (const Json& golden : goldens) {
    const std::string name = golden["model"].get<std::string>();
    const auto model = load_model(
        open_checkpoint(find_model(HEADWATER_SOURCE_DIR "/tests/golden/models/" + name, {}), DType::Float64));
    const IdentifyRequest request = request_of(golden);
    const ProbeCorpus corpus = corpus_of(texts_of(golden, model->info()), request);
    for (std::size_t t = 0; t < corpus.texts.size(); ++t)
      ASSERT_EQ(golden["parts"][t], name_of_part(corpus.split.parts[0][t])) << name << ", text " << t;
    Finished finished("", {});
    const IdentifyReport report = run_identify(request, *model, corpus, {}, finished);
    const auto tokens = static_cast<double>(report.tested_tokens),
               content = static_cast<double>(report.tested_content);
    for (const Json& cell : golden["cells"]) {
      const TokenRules<TokenRate>& rates = find(report, cell).rates;
      const std::vector<int> found{static_cast<int>(std::lround(rates.id.rate * tokens)),
                                   static_cast<int>(std::lround(rates.position.rate * tokens)),
                                   static_cast<int>(std::lround(rates.content_id.rate * content)),
                                   static_cast<int>(std::lround(rates.content_position.rate * content))};
      EXPECT_EQ(found, cell["hits"].get<std::vector<int>>())
          << name << " " << golden["target"] << " " << cell;
      ++compared;
    }
  }
  EXPECT_GE(compared, 80);
}

TEST(IdentifyGoldens, AnotherWidthNeedsALearnedMap) {
  const auto model = load_model(open_checkpoint(
      find_model(HEADWATER_SOURCE_DIR "/tests/golden/models/electra_model", {}), DType::Float64));
  IdentifyRequest request;
  EXPECT_THROW(check_identify(request, model->info(), *model), Unsupported);
  request.maps = {TokenMap::Linear};
  EXPECT_NO_THROW(check_identify(request, model->info(), *model));
  const auto vit = load_model(
      open_checkpoint(find_model(HEADWATER_SOURCE_DIR "/tests/golden/models/vit_model", {}), DType::Float64));
  EXPECT_THROW(check_identify(request, vit->info(), *vit), Unsupported);
}

}  // namespace
}  // namespace headwater
