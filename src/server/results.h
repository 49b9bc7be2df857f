// What jobs give: an explanation in the form a client takes, and results that are JSON alone.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <headwater/report.h>

#include "page/page_document.h"
#include "server/job_queue.h"

namespace headwater {

// Reports of one input, a report per target.
class ExplanationResult : public JobResult {
 public:
  ExplanationResult(std::string job, std::vector<Report> reports)
      : job_(std::move(job)), reports_(std::move(reports)) {}

  HttpReply reply(const HttpRequest& request) const override;  // throws Refused (406)
  HttpReply layer(std::size_t attribution, std::int64_t layer) const override;
  std::size_t bytes() const override;

 private:
  const PageDocument& document() const;

  std::string job_;
  std::vector<Report> reports_;
  mutable std::once_flag drawn_;
  mutable PageDocument document_;  // made when a page asks
};

class JsonResult : public JobResult {
 public:
  explicit JsonResult(std::string json) : json_(std::move(json)) {}
  HttpReply reply(const HttpRequest& request) const override;
  std::size_t bytes() const override { return json_.size(); }

 private:
  std::string json_;
};

}  // namespace headwater
