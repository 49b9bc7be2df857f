#include "drawing/kept_figure.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "base/files.h"
#include "base/json.h"
#include "image/image.h"
#include "support/json_mutations.h"
#include "support/source_folder.h"

namespace headwater {
namespace {

const std::string kept_results = std::string(HEADWATER_SOURCE_DIR) + "/tests/fuzz/corpus/result/";

std::string white_square(const Report&) {
  return encode_png(
      {.width = 16, .height = 16, .rgb = std::vector<std::uint8_t>(std::size_t{3} * 16 * 16, 255)});
}

bool has_figure(const std::string& name) {
  return name != "identify" && name != "triggers";
}

TEST(KeptFigure, OfEveryKind) {
  for (const std::string& name : entries_of(kept_results)) {
    const Json json = read_json_file(kept_results + name);
    if (has_figure(name))
      EXPECT_TRUE(figure_of(json, name, {.picture = white_square}).starts_with("<svg")) << name;
    else
      EXPECT_THROW(figure_of(json, name, {.picture = white_square}), FormatError) << name;
  }
}

// Whatever is missing from a result or of another type: a picture or an error that says so. Every place in a
// few of the ways; tests/fuzz/result_fuzz.cpp goes on with them.
TEST(KeptFigure, OfDamagedResults) {
  std::size_t damages = 0, refused = 0;
  for (const std::string& name : entries_of(kept_results)) {
    if (!has_figure(name)) continue;
    const Json whole = read_json_file(kept_results + name);
    std::vector<Json::json_pointer> places;
    testing::add_places(whole, Json::json_pointer(), places);
    const bool several = whole.value("schema", "").starts_with("headwater.report/");
    for (std::size_t p = 0; p < places.size(); ++p)
      for (std::size_t way = p % 4; way < testing::ways_to_damage(); way += 4) {
        const Json::json_pointer& place = places[p];
        KeptFigure asked{.picture = white_square};
        if (several && damages % 4 != 0) asked.kind = figures()[damages % figures().size()].name;
        asked.how.all_heads = asked.kind == "grid" && damages % 3 == 0;
        ++damages;
        try {
          static_cast<void>(figure_of(testing::damaged(whole, place, way), "file", asked));
        } catch (const FormatError& error) {
          ++refused;
          EXPECT_TRUE(std::string_view(error.what()).starts_with("file: ")) << error.what();
        } catch (const InputError&) {  // there is no such figure of it
        } catch (const std::exception& error) {
          ADD_FAILURE() << name << place.to_string() << " damaged in way " << way << ", " << asked.kind
                        << ": " << error.what();
        }
      }
  }
  EXPECT_GT(damages, 1200U);
  EXPECT_GT(refused, damages / 4);
}

}  // namespace
}  // namespace headwater
