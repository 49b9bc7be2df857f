#include "server/work.h"

#include <algorithm>

#include <fmt/format.h>
#include <headwater/formats.h>

#include "report/page.h"
#include "server/results.h"

namespace headwater {

namespace {

std::string key_of(const std::string& model, const std::string& method) {
  return model + "\n" + method;
}

std::string called(const MethodSpec& spec) {
  return spec.aggregate.empty() ? spec.name : spec.name + "_" + spec.aggregate;
}

// What a reader is told of a picture: its name, not the place of this process where it lies.
void name_picture(Report& report, const AskedInput& of) {
  if (of.picture) report.image = report.asked.input.image = of.picture->name();
}

std::string tree_command(const Report& report, const AskedTree& asked) {
  const Request& request = report.asked;
  std::string command = "headwater tree -m " + shell_quoted(report.record.model);
  if (!report.record.commit.empty()) command += " --revision " + report.record.commit;
  if (!request.target.label.empty()) command += " --target " + shell_quoted(request.target.label);
  if (!request.target.contrast.empty()) command += " --contrast " + shell_quoted(request.target.contrast);
  if (request.target.position) command += fmt::format(" --position {}", *request.target.position);
  command += fmt::format(" --tau {} --lambda {}", asked.options.tau, asked.options.lambda);
  if (!report.image.empty()) return command + " --image " + shell_quoted(report.image);
  if (request.input.pair) command += " --pair " + shell_quoted(*request.input.pair);
  return command + " -- " + shell_quoted(request.input.text);
}

}  // namespace

void MethodTimes::note(const std::string& model, const Report& report) {
  const std::lock_guard lock(mutex_);
  for (const Attribution& one : report.attributions)
    times_[key_of(model, headwater::name_of(one))] = {one.seconds, report.prediction.units.size()};
}

std::optional<double> MethodTimes::seconds(const std::string& model, const MethodSpec& method,
                                           std::size_t units) const {
  const std::lock_guard lock(mutex_);
  const auto found = times_.find(key_of(model, called(method)));
  if (found == times_.end() || found->second.units == 0) return {};
  const double share = static_cast<double>(units) / static_cast<double>(found->second.units);
  return found->second.seconds * (share > 1 ? share * share : share);
}

JobWork explaining(SharedEngine engine, std::string model, AskedExplanation asked, MethodTimes& times) {
  return [engine = std::move(engine), model = std::move(model), asked = std::move(asked), &times](
             const std::string& id, JobTeller& teller) -> std::shared_ptr<const JobResult> {
    std::vector<Report> reports;
    for (const TargetSpec& target : asked.targets) {
      const auto tell_end = [&](const Report& report) {
        std::vector<Report> so_far = reports;
        // Pictures of one page are by the same methods, so that later targets wait until they are whole.
        if (so_far.empty() || report.picture.empty()) so_far.push_back(report);
        for (Report& one : so_far) name_picture(one, asked.of);
        const Attribution& last = report.attributions.back();
        teller.ended({headwater::name_of(last), last.seconds},
                     std::make_shared<ExplanationResult>(id, std::move(so_far)));
      };
      Report report =
          engine->explain({.input = asked.of.input,
                           .target = target,
                           .methods = asked.methods,
                           .view = asked.view,
                           .progress = [&](const Progress& at) { teller.progress(at.method, at.done); },
                           .partial = tell_end});
      if (!report.attributions.empty()) tell_end(report);
      times.note(model, report);
      name_picture(report, asked.of);
      reports.push_back(std::move(report));
    }
    return std::make_shared<ExplanationResult>(id, std::move(reports));
  };
}

JobWork growing_a_tree(SharedEngine engine, AskedTree asked) {
  return [engine = std::move(engine), asked = std::move(asked)](
             const std::string&, JobTeller& teller) -> std::shared_ptr<const JobResult> {
    TreeReport made =
        engine->tree({.input = asked.of.input,
                      .target = asked.target,
                      .methods = {{.name = "attattr"}},
                      .progress = [&](const Progress& at) { teller.progress(at.method, at.done); }},
                     asked.options);
    name_picture(made.report, asked.of);
    return std::make_shared<JsonResult>(to_json(made, tree_command(made.report, asked)));
  };
}

JobWork evaluating(SharedEngine engine, AskedEvaluation asked) {
  return [engine = std::move(engine), asked = std::move(asked)](
             const std::string&, JobTeller& teller) -> std::shared_ptr<const JobResult> {
    EvaluateRequest request = asked.request;
    request.progress = [&](const Progress& at, std::size_t) { teller.progress(at.method, at.done); };
    return std::make_shared<JsonResult>(evaluate_json(engine->evaluate(request), "POST /v1/evaluate"));
  };
}

JobWork predicting(SharedEngine engine, AskedPrediction asked) {
  return [engine = std::move(engine), asked = std::move(asked)](
             const std::string&, JobTeller&) -> std::shared_ptr<const JobResult> {
    return std::make_shared<JsonResult>(
        to_json(engine->predict(asked.of.input, {.top = asked.top}), {.tokens = true}));
  };
}

}  // namespace headwater
