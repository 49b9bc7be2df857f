#include "server/results.h"

#include <array>

#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/formats.h>

#include "server/negotiation.h"

namespace headwater {

namespace {

constexpr std::size_t json_numbers = std::size_t{1} << 23;  // more would make a text of hundreds of megabytes

[[noreturn]] void not_offered(std::span<const std::string_view> offered) {
  throw Refused(406, "invalid_request_error",
                fmt::format("Accept: expected {}, found another type", fmt::join(offered, ", ")));
}

const Report& only(const std::vector<Report>& reports, std::string_view type) {
  if (reports.size() != 1)
    throw InputError(fmt::format("Accept: expected one target for {}, found {}; ask for them one by one",
                                 type, reports.size()));
  return reports.front();
}

std::string json_of_reports(const std::vector<Report>& reports, std::size_t bytes) {
  if (bytes / sizeof(float) > json_numbers)
    throw Refused(406, "invalid_request_error",
                  fmt::format("Accept: expected {}, {} or {} for so many numbers, found {}", npz_type,
                              safetensors_type, page_type, json_type));
  if (reports.size() == 1) return to_json(reports.front(), -1);
  std::string json = "{\"reports\":[";
  for (const Report& report : reports) json += (json.back() == '[' ? "" : ",") + to_json(report, -1);
  return json + "]}";
}

std::size_t bytes_of_maps(const std::vector<Map>& maps) {
  std::size_t bytes = 0;
  for (const Map& map : maps) bytes += map.values.bytes();
  return bytes;
}

}  // namespace

HttpReply ExplanationResult::reply(const HttpRequest& request) const {
  static constexpr std::array offered{json_type, page_type, npz_type, safetensors_type, html_type};
  const auto type = chosen_type(request.header("accept"), offered);
  if (!type) not_offered(offered);
  HttpReply reply{.type = std::string(*type), .headers = {{"Vary", "Accept"}, {"Headwater-Job", job_}}};
  if (*type == page_type)
    reply.body = framed(document());
  else if (*type == npz_type)
    reply.body = to_npz(only(reports_, *type));
  else if (*type == safetensors_type)
    reply.body = to_safetensors(only(reports_, *type));
  else if (*type == html_type)
    reply.body = to_html(reports_);
  else
    reply.body = json_of_reports(reports_, bytes() / 2);
  return reply;
}

HttpReply ExplanationResult::layer(std::size_t attribution, std::int64_t layer) const {
  return {.type = "application/octet-stream", .body = layer_bytes(document(), attribution, layer)};
}

const PageDocument& ExplanationResult::document() const {
  std::call_once(drawn_, [this] {
    document_ = page_document(reports_, {.scores_path = fmt::format("/v1/jobs/{}/scores", job_)});
  });
  return document_;
}

// Twice the numbers: the page's document may come to hold them again.
std::size_t ExplanationResult::bytes() const {
  std::size_t bytes = 0;
  for (const Report& report : reports_) {
    bytes += report.picture.size() + report.text.size() + sizeof(Unit) * report.prediction.units.size();
    for (const Attribution& one : report.attributions)
      bytes += 2 * (bytes_of_maps(one.maps) + bytes_of_maps(one.details));
  }
  return bytes;
}

HttpReply JsonResult::reply(const HttpRequest& request) const {
  static constexpr std::array offered{json_type};
  if (!chosen_type(request.header("accept"), offered)) not_offered(offered);
  return {.body = json_};
}

}  // namespace headwater
