// The connection to the network: cpp-httplib behind a door of its own, because its header is long, and with
// connections that cannot be held by those who send or read slowly. A thread for each connection, so many at
// most; each waits, and none computes (job_queue.h).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "server/message.h"

namespace headwater {

struct HttpOptions {
  std::string host = "127.0.0.1";
  int port = 8080;  // 0: any that is free
  std::size_t max_body = std::size_t{1} << 25;
  std::size_t max_bodies = std::size_t{1}
                           << 27;            // of all requests at a time; longer ones are answered by 503
  std::size_t max_connections = 128;         // more are answered by 503 and closed
  std::chrono::milliseconds idle{15000};     // between two requests of a connection
  std::chrono::milliseconds reading{20000};  // a whole request, head and body
  std::chrono::milliseconds writing{20000};  // until a client takes some more
};

class HttpServer {
 public:
  struct Behaviour {
    // Before a body is read: what refuses the request.
    std::function<std::optional<HttpReply>(const HttpRequest&)> refuse;
    std::function<HttpReply(HttpRequest&)> answer;  // may take the body out of the request
    // What each reply has besides its own.
    std::function<std::vector<std::pair<std::string, std::string>>(const HttpRequest&, const HttpReply&)>
        headers;
  };

  // Listens. Throws InputError when the address cannot be had.
  HttpServer(const HttpOptions& options, Behaviour behaviour);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  void stop();  // no new request; returns when all that were begun are answered

 private:
  class Listener;
  std::unique_ptr<Listener> listener_;
};

}  // namespace headwater
