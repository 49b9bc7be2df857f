// The service behind the addresses: models, jobs, and an answer to every request that was let in.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "server/job_queue.h"
#include "server/metrics.h"
#include "server/model_shelf.h"
#include "server/work.h"

namespace headwater {

struct ServiceOptions {
  InputLimits input;
  JobLimits jobs;
  bool metrics = false;          // whether /metrics answers
  std::size_t max_streams = 64;  // clients that may follow jobs at a time
};

class Service {
 public:
  Service(std::vector<ServedModel> models, const LoadOptions& load, const ServiceOptions& options);

  // Never throws: what fails is a reply too.
  HttpReply answer(HttpRequest& request);
  const ModelShelf& shelf() const { return shelf_; }
  void stop();  // finishes what runs, refuses what waits; followers hear of both

  // The routes' own; {id} and the like of a path are its `parts`.
  using Parts = std::vector<std::string>;
  HttpReply health(HttpRequest&, const Parts&);
  HttpReply models(HttpRequest&, const Parts&);
  HttpReply tokenize(HttpRequest& request, const Parts&);
  HttpReply predict(HttpRequest& request, const Parts&);
  HttpReply plan(HttpRequest& request, const Parts&);
  HttpReply explain(HttpRequest& request, const Parts&);
  HttpReply tree(HttpRequest& request, const Parts&);
  HttpReply evaluate(HttpRequest& request, const Parts&);
  HttpReply job(HttpRequest&, const Parts& parts);
  HttpReply cancel(HttpRequest&, const Parts& parts);
  HttpReply events(HttpRequest&, const Parts& parts);
  HttpReply result(HttpRequest& request, const Parts& parts);
  HttpReply scores(HttpRequest&, const Parts& parts);
  HttpReply metrics(HttpRequest&, const Parts&);

 private:
  // In the background: the job's state (202). Otherwise its result, as soon as it is there.
  HttpReply run(const HttpRequest& request, JobWork work, bool in_background, JobKind kind = JobKind::Long);
  JobState found(const std::string& id) const;  // throws Refused (404)
  void follow(const std::string& id, const EventSink& sink);

  ServiceOptions options_;
  MethodTimes times_;
  Metrics metrics_;
  ModelShelf shelf_;
  std::atomic<std::size_t> streams_{0};
  JobQueue jobs_;  // last: its work uses what stands above
};

// Every address with its methods, "GET /v1/jobs/{id}", for the document that describes them.
std::vector<std::string> all_routes();

}  // namespace headwater
