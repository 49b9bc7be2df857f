// Which address is answered by what.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "files/record_fields.h"
#include "server/answer_fields.h"
#include "server/live_page.h"
#include "server/openapi.h"
#include "server/service.h"

namespace headwater {

namespace {

using RouteAnswer = HttpReply (*)(Service&, HttpRequest&, const Service::Parts&);

template <HttpReply (Service::*member)(HttpRequest&, const Service::Parts&)>
HttpReply by(Service& service, HttpRequest& request, const Service::Parts& parts) {
  return (service.*member)(request, parts);
}
template <auto make>
HttpReply fixed(Service&, HttpRequest&, const Service::Parts&) {
  return make();
}

HttpReply methods_reply() {
  return json_reply(FieldWriter::json_of_value(DataOf<MethodRecord>{method_records()}));
}
HttpReply evaluations_reply() {
  return json_reply(FieldWriter::json_of_value(DataOf<EvaluationRecord>{evaluation_records()}));
}
HttpReply openapi_reply() {
  return {.body = openapi_text()};
}

struct Route {
  std::string_view method, path;
  RouteAnswer answer;
};
constexpr std::array routes{
    Route{"GET", "/", fixed<live_page>},
    Route{"GET", "/health", by<&Service::health>},
    Route{"GET", "/metrics", by<&Service::metrics>},
    Route{"GET", "/openapi.json", fixed<openapi_reply>},
    Route{"GET", "/v1/health", by<&Service::health>},
    Route{"GET", "/v1/models", by<&Service::models>},
    Route{"GET", "/v1/methods", fixed<methods_reply>},
    Route{"GET", "/v1/evaluations", fixed<evaluations_reply>},
    Route{"POST", "/v1/tokenize", by<&Service::tokenize>},
    Route{"POST", "/v1/predict", by<&Service::predict>},
    Route{"POST", "/v1/plan", by<&Service::plan>},
    Route{"POST", "/v1/explain", by<&Service::explain>},
    Route{"POST", "/v1/tree", by<&Service::tree>},
    Route{"POST", "/v1/evaluate", by<&Service::evaluate>},
    Route{"GET", "/v1/jobs/{id}", by<&Service::job>},
    Route{"DELETE", "/v1/jobs/{id}", by<&Service::cancel>},
    Route{"GET", "/v1/jobs/{id}/events", by<&Service::events>},
    Route{"GET", "/v1/jobs/{id}/result", by<&Service::result>},
    Route{"GET", "/v1/jobs/{id}/scores/{index}/{layer}", by<&Service::scores>},
};

std::vector<std::string> segments_of(std::string_view path) {
  std::vector<std::string> segments;
  for (std::size_t begin = 1; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    segments.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return segments;
}

// What stands for the names in braces; nothing if the path is another.
std::optional<Service::Parts> matched_parts(std::string_view pattern, const std::vector<std::string>& path) {
  const std::vector<std::string> wanted = segments_of(pattern);
  if (wanted.size() != path.size()) return {};
  Service::Parts parts;
  for (std::size_t i = 0; i < path.size(); ++i)
    if (wanted[i].starts_with('{') && !path[i].empty())
      parts.push_back(path[i]);
    else if (wanted[i] != path[i])
      return {};
  return parts;
}

HttpReply routed(Service& service, HttpRequest& request) {
  const std::vector<std::string> path = segments_of(request.path);
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  std::string allowed;
  for (const Route& route : routes)
    if (const auto parts = matched_parts(route.path, path)) {
      if (route.method == method) return route.answer(service, request, *parts);
      allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", route.method);
    }
  if (allowed.empty())
    throw Refused(404, "not_found", "path: expected a path of /openapi.json, found another");
  HttpReply reply = reply_of(
      {405, fmt::format("method: expected {} here, found another", allowed), "invalid_request_error"});
  reply.headers.emplace_back("Allow", allowed);
  return reply;
}

}  // namespace

std::vector<std::string> all_routes() {
  std::vector<std::string> all;
  for (const Route& route : routes) all.push_back(fmt::format("{} {}", route.method, route.path));
  return all;
}

HttpReply Service::answer(HttpRequest& request) {
  HttpReply reply;
  try {
    reply = routed(*this, request);
  } catch (...) {
    reply = reply_of(failure_of(std::current_exception()));
  }
  metrics_.count_reply(reply.status);
  return reply;
}

}  // namespace headwater
