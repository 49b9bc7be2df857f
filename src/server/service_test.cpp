#include "server/service.h"

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "server/openapi.h"
#include "support/source_folder.h"

namespace headwater {
namespace {

TEST(OpenApi, SaysWhatTheListsOfFieldsSay) {
  const Json schemas = parse_json(openapi_text(), "openapi")["components"]["schemas"];
  const Json& body = schemas["ExplainBody"];
  EXPECT_EQ(body["additionalProperties"], false);
  EXPECT_FALSE(body.contains("required"));
  EXPECT_EQ(body["properties"]["budget"]["maximum"], 3600);
  EXPECT_EQ(body["properties"]["methods"]["maxItems"], 32);
  EXPECT_EQ(body["properties"]["pair"]["nullable"], true);
  EXPECT_EQ(schemas["EvaluateBody"]["required"], Json::array({"examples"}));
  EXPECT_EQ(schemas["Model"]["required"], Json::array({"id", "object", "loaded"}));
  EXPECT_EQ(schemas["Model"]["properties"]["layers"]["type"], "integer");
  EXPECT_EQ(schemas["Report"]["properties"]["attributions"]["items"]["$ref"],
            "#/components/schemas/Attribution");
  EXPECT_EQ(schemas["Evaluation"]["properties"]["cells"]["items"]["$ref"],
            "#/components/schemas/EvaluationCell");
  EXPECT_EQ(schemas["EvaluationCell"]["properties"]["low"]["type"], "number");
  EXPECT_EQ(schemas["Plan"]["properties"]["data"]["items"]["properties"]["basis"]["enum"],
            Json::array({"measured", "estimated", nullptr}));
}

TEST(OpenApi, DescribesEveryAddressAndNoOther) {
  const Json document = parse_json(openapi_text(), "openapi");
  std::vector<std::string> described, answered = all_routes();
  for (const auto& [path, item] : document["paths"].items())
    for (const auto& [method, operation] : item.items()) {
      if (method == "parameters") continue;
      std::string name = method;
      for (char& c : name) c = static_cast<char>(std::toupper(c));
      described.push_back(name + " " + path);
    }
  std::sort(described.begin(), described.end());
  std::sort(answered.begin(), answered.end());
  EXPECT_EQ(described, answered);
}

TEST(OpenApi, EveryReferenceLeadsSomewhere) {
  const Json document = parse_json(openapi_text(), "openapi");
  std::size_t found = 0;
  const std::function<void(const Json&)> look = [&](const Json& value) {
    if (value.is_object() && value.contains("$ref") && value["$ref"].is_string()) {
      ++found;
      const std::string reference = value["$ref"];
      EXPECT_TRUE(document.contains(Json::json_pointer(reference.substr(1)))) << reference;
    }
    if (value.is_structured())
      for (const auto& one : value) look(one);
  };
  look(document);
  EXPECT_GT(found, 40U);
}

TEST(ModelShelf, NamesModelsByTheirFolders) {
  const auto models = served_models({HEADWATER_SOURCE_DIR "/models/vision/", "org/name"});
  EXPECT_EQ(models[0].name, "vision");
  EXPECT_EQ(models[1].name, "org/name");
  EXPECT_THROW(served_models({"x", "x"}), InputError);
}

TEST(Service, SaysThatModelsAreBeingLoadedUntilTheyAre) {
  // Nothing can be loaded from a folder that is not there: so it never is.
  Service service({{"absent", HEADWATER_SOURCE_DIR "/models/absent"}}, {}, {});
  const auto answer = [&](HttpRequest request) { return service.answer(request); };
  const HttpReply health = answer({.method = "GET", .path = "/health"});
  EXPECT_EQ(health.status, 503);
  EXPECT_NE(health.body.find("\"error\""), std::string::npos);
  const HttpReply predicted = answer({.method = "POST", .path = "/v1/predict", .body = "{\"text\": \"x\"}"});
  EXPECT_EQ(predicted.status, 503);
  const Json models = parse_json(answer({.method = "GET", .path = "/v1/models"}).body, "models");
  EXPECT_EQ(models["data"][0]["loaded"], false);
  while (!service.shelf().failure()) std::this_thread::yield();
  EXPECT_THROW(std::rethrow_exception(service.shelf().failure()), InputError);
}

}  // namespace
}  // namespace headwater
