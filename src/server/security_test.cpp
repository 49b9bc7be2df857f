#include "server/security.h"

#include <gtest/gtest.h>

namespace headwater {
namespace {

const AccessRules local{.max_body = 1000};

HttpRequest asked(std::map<std::string, std::string> headers, const std::string& method = "GET",
                  const std::string& path = "/v1/models") {
  headers.try_emplace("host", "localhost:8080");
  return {.method = method, .path = path, .headers = std::move(headers)};
}

int status_of(const AccessRules& rules, const HttpRequest& request) {
  const auto reply = refused_by(rules, request);
  return reply ? reply->status : 0;
}

TEST(Security, KnowsLoopback) {
  for (const char* host : {"127.0.0.1", "127.8.8.8", "localhost", "::1"})
    EXPECT_TRUE(is_loopback(host)) << host;
  for (const char* host : {"0.0.0.0", "192.168.1.1", "example.org", "::", "127.0.0.1.org", ""})
    EXPECT_FALSE(is_loopback(host)) << host;
}

TEST(Security, ComparesKeys) {
  EXPECT_TRUE(equal_in_constant_time("key", "key"));
  EXPECT_FALSE(equal_in_constant_time("key", "kex"));
  EXPECT_FALSE(equal_in_constant_time("key", "keys"));
  EXPECT_FALSE(equal_in_constant_time("", "key"));
}

TEST(Security, LetsInItsOwnNamesAlone) {
  for (const char* host : {"localhost", "127.0.0.1:1", "[::1]:8080", "LocalHost:8080"})
    EXPECT_EQ(status_of(local, asked({{"host", host}})), 0) << host;
  for (const char* host : {"evil.org", "localhost.evil.org", "10.0.0.1", "[::2]", "[::1", ":8080",
                           "[::1]evil.com", "[::1]:80evil.com", "localhost:80, evil.com",
                           "localhost, localhost", "localhost:8080:80", "localhost:x"})
    EXPECT_EQ(status_of(local, asked({{"host", host}})), 403) << host;
  EXPECT_EQ(status_of(local, asked({{"host", ""}})), 400);
  const AccessRules all{.host = "0.0.0.0", .hosts = {"Box.Example"}};
  EXPECT_EQ(status_of(all, asked({{"host", "box.example:80"}})), 0);
  EXPECT_EQ(status_of(all, asked({{"host", "10.0.0.1"}})), 0) << "an address is nobody else's";
  EXPECT_EQ(status_of(all, asked({{"host", "other.example"}})), 403);
}

TEST(Security, LetsInItsOwnPageAlone) {
  EXPECT_EQ(status_of(local, asked({{"origin", "http://localhost:8080"}})), 0);
  for (const char* origin : {"http://evil.org", "null", "http://localhost:1", "https://localhost:8080"})
    EXPECT_EQ(status_of(local, asked({{"origin", origin}})), 403) << origin;
  const AccessRules open{.origins = {"https://site.example"}};
  EXPECT_EQ(status_of(open, asked({{"origin", "https://site.example"}})), 0);
  EXPECT_EQ(status_of(open, asked({{"origin", "https://site.example"}}, "OPTIONS")), 204);
  EXPECT_EQ(status_of(local, asked({{"sec-fetch-site", "cross-site"}})), 403);
  EXPECT_EQ(status_of(local, asked({{"sec-fetch-site", "cross-site"}}, "GET", "/")), 0);
}

TEST(Security, AsksForTheKey) {
  const AccessRules locked{.api_key = "secret"};
  EXPECT_EQ(status_of(locked, asked({})), 401);
  EXPECT_EQ(status_of(locked, asked({{"x-api-key", "secret"}})), 0);
  EXPECT_EQ(status_of(locked, asked({{"authorization", "bearer secret"}})), 0);
  EXPECT_EQ(status_of(locked, asked({{"authorization", "Basic secret"}})), 401);
  for (const char* path : {"/", "/health", "/v1/health"})
    EXPECT_EQ(status_of(locked, asked({}, "GET", path)), 0);
}

TEST(Security, TakesJsonBodiesOfKnownLength) {
  const auto post = [](std::map<std::string, std::string> headers) {
    headers.try_emplace("content-type", "application/json; charset=utf-8");
    return status_of(local, asked(std::move(headers), "POST", "/v1/predict"));
  };
  EXPECT_EQ(post({{"content-length", "1000"}}), 0);
  EXPECT_EQ(post({{"content-length", "1001"}}), 413);
  EXPECT_EQ(post({{"content-length", "0"}}), 0);
  EXPECT_EQ(post({}), 411) << "or the server would wait for bytes that nobody sends";
  EXPECT_EQ(post({{"content-length", "2, 4"}}), 400);
  EXPECT_EQ(post({{"content-length", "9999999999999"}}), 400);
  EXPECT_EQ(post({{"transfer-encoding", "chunked"}}), 411);
  EXPECT_EQ(post({{"content-encoding", "gzip"}}), 415);
  EXPECT_EQ(post({{"content-type", "text/plain"}}), 415);
  EXPECT_EQ(status_of(local, asked({{"content-length", "5"}}, "DELETE")), 415);
}

TEST(Security, GuardsEveryReply) {
  const auto find = [](const auto& headers, const std::string& name) {
    for (const auto& header : headers)
      if (header.first == name) return header.second;
    return std::string();
  };
  const auto guards = guarding_headers(local, asked({}), {});
  EXPECT_EQ(find(guards, "X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(find(guards, "Content-Security-Policy"), "default-src 'none'; frame-ancestors 'none'");
  EXPECT_EQ(find(guards, "Access-Control-Allow-Origin"), "");
  const auto own = guarding_headers(local, asked({}), {.headers = {{"Cache-Control", "no-cache"}}});
  EXPECT_EQ(find(own, "Cache-Control"), "") << "a reply's own headers win";
  const AccessRules open{.origins = {"https://site.example"}};
  EXPECT_EQ(find(guarding_headers(open, asked({{"origin", "https://site.example"}}), {}),
                 "Access-Control-Allow-Origin"),
            "https://site.example");
  EXPECT_EQ(find(guarding_headers(open, asked({{"origin", "https://evil.example"}}), {}),
                 "Access-Control-Allow-Origin"),
            "");
}

}  // namespace
}  // namespace headwater
