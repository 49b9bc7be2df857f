// A request and its reply, without the library that carries them (http.cpp): all other files of the server
// know nothing else, and are tested without a connection.
#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_fwd.h"

namespace headwater {

struct HttpRequest {
  std::string method, path;                         // without a query, which nothing here has
  std::map<std::string, std::string> headers = {};  // names in lower case
  std::string body = {};
  std::function<bool()> gone = [] { return false; };  // nobody waits for the reply any more

  std::string header(const std::string& name) const;  // empty if there is none
};

// Takes the next bytes of a stream; false when nobody reads it any more.
using EventSink = std::function<bool(std::string_view)>;

struct HttpReply {
  int status = 200;
  std::string type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::function<void(const EventSink&)> events =
      {};  // instead of a body: server-sent events until it returns
};

// A request that is answered by a code and a reason of ours.
class Refused : public std::runtime_error {
 public:
  Refused(int status, std::string kind, const std::string& message, int seconds = 0)
      : std::runtime_error(message), code(status), type(std::move(kind)), retry_after(seconds) {}
  int code;
  std::string type;
  int retry_after;  // seconds; 0: not said
};

// Why something failed, as clients read it: {"error": {"code", "message", "type"}}.
struct Failure {
  int code = 500;
  std::string message, type;
  int retry_after = 0;
};
Failure failure_of(std::exception_ptr error);  // the engine's errors, Refused, and whatever else there is
HttpReply reply_of(const Failure& failure);

HttpReply json_reply(const OrderedJson& json, int status = 200);

}  // namespace headwater
