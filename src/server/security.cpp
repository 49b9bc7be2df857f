#include "server/security.h"

#include <algorithm>
#include <cctype>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/crypto.h>

#include "base/files.h"

namespace headwater {

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// "[::1]:8080" → "[::1]", "localhost:80" → "localhost"; nothing for what is no name, or two of them.
std::string without_port(const std::string& authority) {
  const std::size_t end =
      authority.starts_with('[') ? authority.find(']') + 1 : std::min(authority.find(':'), authority.size());
  const std::string_view rest = std::string_view(authority).substr(end);
  const bool port = rest.empty() || (rest.front() == ':' && rest.size() <= 6 &&
                                     rest.find_first_not_of("0123456789", 1) == std::string_view::npos);
  return port ? lower(authority.substr(0, end)) : std::string();
}

bool is_address(const std::string& name) {
  unsigned char parts[16];
  if (name.starts_with('[') && name.ends_with(']'))
    return ::inet_pton(AF_INET6, name.substr(1, name.size() - 2).c_str(), parts) == 1;
  return ::inet_pton(AF_INET, name.c_str(), parts) == 1;
}

bool is_listed(const std::vector<std::string>& list, const std::string& one) {
  return std::any_of(list.begin(), list.end(), [&](const std::string& entry) { return lower(entry) == one; });
}

bool is_our_name(const AccessRules& rules, const std::string& name) {
  if (name == "localhost" || name == "127.0.0.1" || name == "[::1]") return true;
  if (name == lower(rules.host) || name == "[" + lower(rules.host) + "]") return true;
  if (is_listed(rules.hosts, name)) return true;
  // Bound to all addresses: each is ours, and an address, unlike a name, cannot be pointed elsewhere.
  return (rules.host == "0.0.0.0" || rules.host == "::") && is_address(name);
}

bool is_open(const std::string& path) {
  return path == "/" || path == "/health" || path == "/v1/health";
}

bool allowed_origin(const AccessRules& rules, const std::string& origin) {
  return is_listed(rules.origins, lower(origin));
}

bool has_key(const AccessRules& rules, const HttpRequest& request) {
  std::string given = request.header("x-api-key");
  const std::string bearer = request.header("authorization");
  if (given.empty() && lower(bearer.substr(0, 7)) == "bearer ") given = bearer.substr(7);
  return equal_in_constant_time(given, rules.api_key);
}

std::optional<Failure> unlawful_body(const AccessRules& rules, const HttpRequest& request) {
  if (!request.header("transfer-encoding").empty())
    return Failure{411, "body: expected a Content-Length, found a Transfer-Encoding",
                   "invalid_request_error"};
  const std::string length = request.header("content-length");
  const bool has_body = !length.empty() && length != "0";
  if (length.find_first_not_of("0123456789") != std::string::npos || length.size() > 12)
    return Failure{400, "Content-Length: expected one number, found something else", "invalid_request_error"};
  if (has_body && std::stoull(length) > rules.max_body)
    return Failure{413, fmt::format("body: expected at most {} bytes, found {}", rules.max_body, length),
                   "invalid_request_error"};
  if (!has_body && request.method != "POST") return {};
  const std::string type = lower(request.header("content-type"));
  if (type != "application/json" && !type.starts_with("application/json;"))
    return Failure{415, "Content-Type: expected application/json, found another or none",
                   "invalid_request_error"};
  if (!request.header("content-encoding").empty())
    return Failure{415, "Content-Encoding: expected none, found one; send the body as it is",
                   "invalid_request_error"};
  if (length.empty())
    return Failure{411, "Content-Length: expected one, found none", "invalid_request_error"};
  return {};
}

// A browser asks for another site before it sends.
HttpReply preflight() {
  return {.status = 204,
          .type = "text/plain",
          .headers = {{"Access-Control-Allow-Methods", "GET, POST, DELETE"},
                      {"Access-Control-Allow-Headers", "Content-Type, X-API-Key, Authorization, Accept"},
                      {"Access-Control-Max-Age", "600"}}};
}

}  // namespace

bool is_loopback(const std::string& host) {
  const std::string name = lower(host);
  unsigned char parts[4];
  if (::inet_pton(AF_INET, name.c_str(), parts) == 1) return parts[0] == 127;
  return name == "localhost" || name == "::1";
}

bool equal_in_constant_time(const std::string& a, const std::string& b) {
  const auto hash = [](const std::string& text) {
    return sha256_hex(std::as_bytes(std::span(text.data(), text.size())));
  };
  const std::string x = hash(a), y = hash(b);
  return CRYPTO_memcmp(x.data(), y.data(), x.size()) == 0;
}

std::optional<HttpReply> refused_by(const AccessRules& rules, const HttpRequest& request) {
  const auto forbidden = [](const std::string& why) { return reply_of({403, why, "forbidden"}); };
  const std::string host = request.header("host"), origin = request.header("origin");
  if (host.empty()) return reply_of({400, "Host: expected one, found none", "invalid_request_error"});
  if (!is_our_name(rules, without_port(host)))
    return forbidden("Host: expected a name of this server, found another; --allow-host allows it");
  const bool own = lower(origin) == "http://" + lower(host);
  const bool other = !origin.empty() && !own;
  if (other && !allowed_origin(rules, origin))
    return forbidden("Origin: expected this server's own, found another; --cors-origins allows it");
  // What a page of another site embeds comes without an Origin. A link to the page is all it may follow.
  if (origin.empty() && request.header("sec-fetch-site") == "cross-site" && request.path != "/")
    return forbidden("Sec-Fetch-Site: expected a request of this server's page, found one of another site");
  if (request.method == "OPTIONS" && other) return preflight();
  if (!rules.api_key.empty() && !is_open(request.path) && !has_key(rules, request)) {
    HttpReply reply = reply_of(
        {401, "key: expected the server's in X-API-Key or Authorization: Bearer, found another or none",
         "authentication_error"});
    reply.headers.emplace_back("WWW-Authenticate", "Bearer");
    return reply;
  }
  if (const auto failure = unlawful_body(rules, request)) return reply_of(*failure);
  return {};
}

std::vector<std::pair<std::string, std::string>> guarding_headers(const AccessRules& rules,
                                                                  const HttpRequest& request,
                                                                  const HttpReply& reply) {
  std::vector<std::pair<std::string, std::string>> headers{
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Permissions-Policy", "camera=(), geolocation=(), microphone=()"},
      {"Cache-Control", "no-store"},
      // A report says itself what it may do, and does it in a place of its own.
      {"Content-Security-Policy", reply.type == "text/html" ? "sandbox allow-scripts; frame-ancestors 'none'"
                                                            : "default-src 'none'; frame-ancestors 'none'"}};
  const std::string origin = request.header("origin");
  if (!origin.empty() && allowed_origin(rules, origin)) {
    headers.emplace_back("Access-Control-Allow-Origin", origin);
    headers.emplace_back("Access-Control-Expose-Headers", "Headwater-Job, Retry-After");
    std::erase_if(headers, [](const auto& h) { return h.first == "Cross-Origin-Resource-Policy"; });
    headers.emplace_back("Cross-Origin-Resource-Policy", "cross-origin");
  }
  if (!rules.origins.empty()) headers.emplace_back("Vary", "Origin");
  std::erase_if(headers, [&](const auto& guard) {
    return std::any_of(reply.headers.begin(), reply.headers.end(),
                       [&](const auto& own) { return own.first == guard.first; });
  });
  return headers;
}

}  // namespace headwater
