#include "server/message.h"

#include <algorithm>
#include <new>

#include <headwater/error.h>

#include "files/schema.h"
#include "server/answer_fields.h"

namespace headwater {

namespace {

// A picture of a request is a file of this process; what it is called here is nobody's business.
std::string without_file_names(std::string message) {
  static constexpr std::string_view begins = "/proc/self/fd/";
  for (std::size_t at = 0; (at = message.find(begins, at)) != std::string::npos;) {
    const std::size_t end = message.find_first_not_of("0123456789", at + begins.size());
    message.replace(at, std::min(end, message.size()) - at, "image");
  }
  return message;
}

}  // namespace

std::string HttpRequest::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string() : found->second;
}

namespace {

Failure bare_failure_of(std::exception_ptr error) {
  try {
    std::rethrow_exception(std::move(error));
  } catch (const Refused& e) {
    return {e.code, e.what(), e.type, e.retry_after};
  } catch (const InputError& e) {
    return {400, e.what(), "invalid_request_error"};
  } catch (const FormatError& e) {
    return {422, e.what(), "format_error"};
  } catch (const Unsupported& e) {
    return {422, e.what(), "unsupported"};
  } catch (const std::bad_alloc&) {
    return {503, "memory: expected enough free memory for this request, found too little", "overloaded", 5};
  } catch (const std::exception& e) {
    return {500, e.what(), "internal_error"};
  } catch (...) {
    return {500, "unknown error", "internal_error"};
  }
}

}  // namespace

Failure failure_of(std::exception_ptr error) {
  Failure failure = bare_failure_of(std::move(error));
  failure.message = without_file_names(std::move(failure.message));
  return failure;
}

HttpReply reply_of(const Failure& failure) {
  HttpReply reply = json_reply(FieldWriter::json_of_value(failure), failure.code);
  if (failure.retry_after > 0) reply.headers.emplace_back("Retry-After", std::to_string(failure.retry_after));
  return reply;
}

HttpReply json_reply(const OrderedJson& json, int status) {
  return {.status = status, .body = dump(json, -1) + "\n"};
}

}  // namespace headwater
