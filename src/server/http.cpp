#include "server/http.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <headwater/error.h>
#include <httplib.h>
#include <malloc.h>
#include <poll.h>

namespace headwater {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t head_bytes = 1 << 16;    // of a request line and all its headers
constexpr std::size_t taken_at_end = 8 << 20;  // of a body nobody wants
constexpr int requests_per_connection = 1000;  // then it is opened anew
constexpr std::size_t short_body = 1 << 16, long_body = 1 << 20;

bool ready(int socket, decltype(pollfd::events) what, Clock::duration at_most) {
  const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(at_most).count();
  pollfd one{socket, what, 0};
  return wait >= 0 && ::poll(&one, 1, static_cast<int>(std::min<std::int64_t>(wait, 1 << 30))) > 0;
}

// A socket that is read through a buffer, within a time and a number of bytes for each request.
class Connection : public httplib::Stream {
 public:
  Connection(int socket, const HttpOptions& options) : socket_(socket), options_(options) {}

  // Waits for the next request; false when there is none.
  bool begin(const std::atomic<bool>& stopping) {
    const auto until = Clock::now() + options_.idle;
    while (at_ == filled_ && !ready(socket_, POLLIN, std::chrono::milliseconds(100)))
      if (stopping || Clock::now() > until) return false;
    until_ = Clock::now() + options_.reading;
    left_ = head_bytes;
    return true;
  }
  void end_head() { left_ = options_.max_body; }
  bool gone() const {
    char byte = 0;
    const ssize_t got = ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
  }
  // What was sent and not read must be taken, or the reply would be lost with it.
  void close() {
    ::shutdown(socket_, SHUT_WR);
    const auto until = Clock::now() + std::chrono::seconds(1);
    for (std::size_t taken = 0;
         body_unread && taken < taken_at_end && ready(socket_, POLLIN, until - Clock::now());) {
      const ssize_t some = ::recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
      if (some <= 0) break;
      taken += static_cast<std::size_t>(some);
    }
    ::close(socket_);
  }
  bool body_unread = false;  // it cannot go on after this request

  bool is_readable() const override { return at_ < filled_ || ready(socket_, POLLIN, until_ - Clock::now()); }
  bool is_writable() const override { return ready(socket_, POLLOUT, options_.writing); }
  ssize_t read(char* to, std::size_t size) override {
    if (at_ == filled_) {
      if (left_ == 0 || !is_readable()) return -1;
      const ssize_t got = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
      if (got <= 0) return got;
      at_ = 0;
      filled_ = static_cast<std::size_t>(got);
    }
    const std::size_t taken = std::min({size, filled_ - at_, left_});
    std::copy_n(buffer_.data() + at_, taken, to);
    at_ += taken;
    left_ -= taken;
    return taken == 0 ? -1 : static_cast<ssize_t>(taken);
  }
  ssize_t write(const char* from, std::size_t size) override {
    for (std::size_t sent = 0; sent < size;) {
      if (!is_writable()) return -1;
      const ssize_t some = ::send(socket_, from + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (some > 0) sent += static_cast<std::size_t>(some);
      if (some < 0 && errno != EAGAIN && errno != EINTR) return -1;
    }
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}  // nobody asks who it is
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return socket_; }

 private:
  int socket_;
  const HttpOptions& options_;
  std::array<char, 8192> buffer_{};
  std::size_t at_ = 0, filled_ = 0;  // of the buffer
  Clock::time_point until_ = Clock::now();
  std::size_t left_ = 0;  // bytes this request may still have
};

// The connection a thread serves, and whether there was no place for it.
thread_local Connection* served = nullptr;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
thread_local bool crowded = false;          // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

// A thread for each connection, up to a number.
class ConnectionThreads : public httplib::TaskQueue {
 public:
  explicit ConnectionThreads(std::size_t most) : most_(most) {}

  void enqueue(std::function<void()> serve) override {
    std::unique_lock lock(mutex_);
    if (count_ < most_) {
      ++count_;
      try {
        std::thread([this, serve] {
          serve();
          const std::lock_guard ending(mutex_);
          --count_;
          ended_.notify_all();
        }).detach();
        return;
      } catch (const std::system_error&) {
        --count_;
      }
    }
    lock.unlock();
    crowded = true;
    serve();
    crowded = false;
  }
  void shutdown() override {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return count_ == 0; });
  }

 private:
  std::size_t most_, count_ = 0;
  std::mutex mutex_;
  std::condition_variable ended_;
};

HttpRequest request_of(const httplib::Request& from) {
  HttpRequest request{.method = from.method, .path = from.path};
  for (const auto& [name, value] : from.headers) {
    std::string key = name;
    std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) { return std::tolower(c); });
    std::string& known = request.headers[key];
    known += (known.empty() ? "" : ", ") + value;
  }
  Connection* connection = served;
  request.gone = [connection] { return connection->gone(); };
  return request;
}

std::string_view reason_of(int status) {
  if (status == 413) return "body: expected a shorter one, found more bytes than are taken";
  if (status == 414) return "path: expected a shorter one, found more bytes than are taken";
  return "request: expected complete and well-formed HTTP/1.1, found something else";
}

// The bytes of one body among those of all, until it is answered. A short one always has room, so that long
// ones which are sent slowly do not shut everybody out.
class BodyRoom {
 public:
  BodyRoom(std::atomic<std::size_t>& all, std::size_t most) : all_(all), most_(most) {}
  BodyRoom(const BodyRoom&) = delete;
  BodyRoom& operator=(const BodyRoom&) = delete;
  ~BodyRoom() { all_ -= taken_; }

  bool take(std::size_t bytes) {
    taken_ += bytes;
    full_ = (all_ += bytes) > most_ && taken_ > short_body;
    return !full_;
  }
  std::size_t taken() const { return taken_; }
  // Why it was not read to its end.
  Failure failure() const {
    if (full_)
      return {503, fmt::format("body: expected at most {} bytes in all requests together, found more", most_),
              "overloaded", 1};
    return {400, std::string(reason_of(400)), "invalid_request_error"};
  }

 private:
  std::atomic<std::size_t>& all_;
  std::size_t most_, taken_ = 0;
  bool full_ = false;
};

// False when it did not come to its end, or there is no room for it.
bool read_body(const httplib::ContentReader& read, BodyRoom& room, std::string& body) {
  return read([&](const char* data, std::size_t size) {
    if (!room.take(size)) return false;
    body.append(data, size);
    return true;
  });
}

}  // namespace

class HttpServer::Listener : public httplib::Server {
 public:
  Listener(HttpOptions options, Behaviour behaviour)
      : options_(std::move(options)), behaviour_(std::move(behaviour)) {
    new_task_queue = [this] { return new ConnectionThreads(options_.max_connections); };
    set_payload_max_length(options_.max_body);
    set_tcp_nodelay(true);
    // The library's own would share a port with a second server.
    set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    set_keep_alive_max_count(requests_per_connection);
    set_keep_alive_timeout(options_.idle.count() / 1000);
    set_pre_routing_handler(
        [this](const httplib::Request& from, httplib::Response& to) { return enter(from, to); });
    Post(R"([\s\S]*)", [this](const httplib::Request& from, httplib::Response& to,
                              const httplib::ContentReader& read) { answer_body(from, to, read); });
    set_error_handler(HandlerWithResponse([this](const httplib::Request& from, httplib::Response& to) {
      if (to.body.empty() && !to.content_provider_) {
        served->body_unread = true;
        put(request_of(from),
            reply_of({to.status, std::string(reason_of(to.status)), "invalid_request_error"}), to);
      }
      return HandlerResponse::Handled;
    }));
    listen_here();
  }

  void listen_here() {
    bound_ = options_.port == 0 ? bind_to_any_port(options_.host)
                                : (bind_to_port(options_.host, options_.port) ? options_.port : -1);
    if (bound_ < 0)
      throw InputError(fmt::format(
          "--port: expected a free port of {}, found that {} cannot be used; --port 0 takes any free one",
          options_.host, options_.port));
    ::listen(svr_sock_, 512);  // the library's own queue is short
    accepting_ = std::thread([this] { listen_after_bind(); });
    while (!is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  void end() {
    stopping_ = true;
    Server::stop();
    if (accepting_.joinable()) accepting_.join();
  }
  int bound() const { return bound_; }

 private:
  // Before the body is read. What needs none is answered here.
  HandlerResponse enter(const httplib::Request& from, httplib::Response& to) {
    HttpRequest request = request_of(from);
    const std::string length = request.header("content-length");
    const bool has_body = !request.header("transfer-encoding").empty() ||
                          (length.empty() ? request.method == "POST" : length != "0");
    std::optional<HttpReply> reply = behaviour_.refuse(request);
    if (!reply && request.method == "POST") return HandlerResponse::Unhandled;
    served->body_unread = has_body;
    put(request, reply ? std::move(*reply) : behaviour_.answer(request), to);
    return HandlerResponse::Handled;
  }

  void answer_body(const httplib::Request& from, httplib::Response& to, const httplib::ContentReader& read) {
    BodyRoom room(body_bytes_, options_.max_bodies);
    served->body_unread = true;
    {
      HttpRequest request = request_of(from);
      request.body.reserve(std::min(options_.max_body, from.get_header_value<std::size_t>("Content-Length")));
      const bool whole = read_body(read, room, request.body);
      served->body_unread = !whole;
      put(request, whole ? behaviour_.answer(request) : reply_of(room.failure()), to);
    }
    // What a long body was read into lies in small pieces all over the heap, which keeps them otherwise.
    if (room.taken() > long_body) ::malloc_trim(0);
  }

  void put(const HttpRequest& request, HttpReply reply, httplib::Response& to) const {
    to.status = reply.status;
    for (const auto& headers : {behaviour_.headers(request, reply), reply.headers})
      for (const auto& [name, value] : headers) to.set_header(name, value);
    if (reply.events && request.method != "HEAD") {
      to.set_chunked_content_provider(
          reply.type, [events = std::move(reply.events)](std::size_t, httplib::DataSink& sink) {
            events([&](std::string_view text) { return sink.write(text.data(), text.size()); });
            sink.done();
            return true;
          });
      return;
    }
    to.set_header("Content-Type",
                  reply.type.starts_with("text/") ? reply.type + "; charset=utf-8" : reply.type);
    to.body = std::move(reply.body);
  }

  bool process_and_close_socket(socket_t socket) override {
    Connection connection(socket, options_);
    if (crowded) {
      static constexpr std::string_view full =
          "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: "
          "close\r\n\r\n";
      ::send(socket, full.data(), full.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      ::close(socket);
      return false;
    }
    served = &connection;
    const auto set_up = [](httplib::Request& request) {
      served->end_head();
      // No compression (slow, and of no use on one machine) and no part of an answer.
      request.headers.erase("Accept-Encoding");
      request.headers.erase("Range");
      request.ranges.clear();
    };
    for (int n = 1; n <= requests_per_connection && connection.begin(stopping_); ++n) {
      bool closed = false;
      const bool last = stopping_ || n == requests_per_connection;
      if (!process_request(connection, last, closed, set_up) || closed || last || connection.body_unread)
        break;
    }
    served = nullptr;
    connection.close();
    return true;
  }

  HttpOptions options_;
  Behaviour behaviour_;
  std::atomic<std::size_t> body_bytes_{0};  // of all requests that are being read or answered
  int bound_ = -1;
  std::atomic<bool> stopping_{false};
  std::thread accepting_;
};

HttpServer::HttpServer(const HttpOptions& options, Behaviour behaviour)
    : listener_(std::make_unique<Listener>(options, std::move(behaviour))) {}

HttpServer::~HttpServer() {
  stop();
}

int HttpServer::port() const {
  return listener_->bound();
}

void HttpServer::stop() {
  listener_->end();
}

}  // namespace headwater
