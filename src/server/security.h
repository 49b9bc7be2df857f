// Who may ask, and what a browser may do with an answer. A server on one's own machine is reached by every
// page that runs in one's browser, so the rules hold on loopback too:
//   Host    one of our own names, or another site's name could be pointed at us (DNS rebinding)
//   Origin  our own, or one that was allowed: no page of another site may ask
//   bodies  JSON by their type, which no form of another site can send unasked; no compression, no chunks
//   key     when one is set, everywhere but on the page itself and /health
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/message.h"

namespace headwater {

struct AccessRules {
  std::string host = "127.0.0.1";         // as bound
  std::string api_key = {};               // empty: none
  std::vector<std::string> hosts = {};    // further names of this machine
  std::vector<std::string> origins = {};  // of other sites that may ask
  std::size_t max_body = 0;
};

bool is_loopback(const std::string& host);
// Takes the same time wherever two texts of one length differ.
bool equal_in_constant_time(const std::string& a, const std::string& b);

// The reply to a request that is not let in, and to a browser that asks what it may do (OPTIONS). Reads no
// body.
std::optional<HttpReply> refused_by(const AccessRules& rules, const HttpRequest& request);

// What every reply has besides: what browsers must not do with it. A reply's own headers win.
std::vector<std::pair<std::string, std::string>> guarding_headers(const AccessRules& rules,
                                                                  const HttpRequest& request,
                                                                  const HttpReply& reply);

}  // namespace headwater
