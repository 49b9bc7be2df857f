#include "server/work.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <headwater/formats.h>

#include "base/strings.h"
#include "files/schema.h"
#include "page/page_document.h"
#include "server/answer_fields.h"
#include "server/results.h"

namespace headwater {

namespace {

std::string called(const MethodSpec& spec) {
  return spec.aggregate.empty() ? spec.name : spec.name + "_" + spec.aggregate;
}

// What a reader is told of a picture: its name, not the place of this process where it lies.
void name_picture(Report& report, const AskedInput& of) {
  if (of.picture) report.image = report.asked.input.image = of.picture->name();
}

// What runs all of the methods, for all targets, elsewhere.
void add_repetition(const Engine& engine, const AskedExplanation& asked, ExplanationPlan& plan) {
  std::vector<Report> reports;
  for (const TargetSpec& target : asked.targets) {
    Report report;
    report.record = engine.record();
    report.asked = {.input = asked.of.input, .target = target, .methods = asked.methods, .view = asked.view};
    name_picture(report, asked.of);
    reports.push_back(std::move(report));
  }
  plan.command = reproduce_command(reports);
  plan.python = reproduce_python(reports);
}

// Every target is a run of its own. A time that is not known is null.
std::string plan_json(const Engine& engine, const AskedExplanation& asked,
                      const std::vector<std::optional<MethodTime>>& times) {
  ExplanationPlan plan;
  for (std::size_t m = 0; m < asked.methods.size(); ++m) {
    const MethodSpec& spec = asked.methods[m];
    PlannedMethod& one = plan.data.emplace_back();
    one.method = called(spec);
    one.bytes =
        engine.planned_bytes({.input = asked.of.input, .target = asked.targets.front(), .methods = {spec}});
    if (!times[m]) continue;
    one.seconds = times[m]->seconds * static_cast<double>(asked.targets.size());
    one.basis = times[m]->measured ? "measured" : "estimated";
  }
  add_repetition(engine, asked, plan);
  return dump(FieldWriter::json_of_value(plan), -1);
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

JobWork explaining(SharedEngine engine, std::string model, AskedExplanation asked, MethodTimes& times) {
  return [engine = std::move(engine), model = std::move(model), asked = std::move(asked), &times](
             const std::string& id, JobTeller& teller) -> std::shared_ptr<const JobResult> {
    std::vector<Report> reports;
    for (const TargetSpec& target : asked.targets) {
      std::set<std::string> told;
      const auto with = [&](const Report& report) {
        std::vector<Report> so_far = reports;
        // Pictures of one page are by the same methods, so that later targets wait until they are whole.
        if (so_far.empty() || report.picture.empty()) so_far.push_back(report);
        for (Report& one : so_far) name_picture(one, asked.of);
        return std::make_shared<ExplanationResult>(id, std::move(so_far));
      };
      const auto tell_end = [&](const Report& report) {
        for (const Attribution& one : report.attributions)  // those that refine end last, wherever they stand
          if (const std::string name = headwater::name_of(one); told.insert(name).second)
            teller.ended({name, one.seconds}, with(report));
      };
      Report report =
          engine->explain({.input = asked.of.input,
                           .target = target,
                           .methods = asked.methods,
                           .view = asked.view,
                           .budget = asked.budget,
                           .progress = [&](const Progress& at) { teller.progress(at.method, at.done); },
                           .partial = tell_end,
                           .layers = [&](const Report& so_far) { teller.layers(with(so_far)); }});
      if (!report.attributions.empty()) tell_end(report);
      for (std::size_t m = 0; m < report.attributions.size() && asked.budget == 0; ++m)
        times.note(model, report.asked.methods[m], report.prediction.units.size(),
                   {report.attributions[m].seconds, true});
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

std::shared_ptr<const JobResult> known_plan(const Engine& engine, const std::string& model,
                                            const AskedExplanation& asked, const MethodTimes& times) {
  const std::size_t units = units_of_input(engine, asked.of.input);
  std::vector<std::optional<MethodTime>> known;
  for (const MethodSpec& spec : asked.methods) {
    known.push_back(times.of(model, spec, units));
    if (!known.back()) return nullptr;
  }
  return std::make_shared<JsonResult>(plan_json(engine, asked, known));
}

JobWork planning(SharedEngine engine, std::string model, AskedExplanation asked, std::size_t memory,
                 MethodTimes& times) {
  return [engine = std::move(engine), model = std::move(model), asked = std::move(asked), memory, &times](
             const std::string&, JobTeller& teller) -> std::shared_ptr<const JobResult> {
    const std::size_t units = units_of_input(*engine, asked.of.input);
    std::vector<std::optional<MethodTime>> known;
    for (const MethodSpec& spec : asked.methods) {
      teller.progress(called(spec), 0);  // between two trials it can be cancelled too
      auto time = times.of(model, spec, units);
      if (!time) {
        time = tried(*engine, asked.of.input, spec, {.memory = memory},
                     [&](const Progress& at) { teller.progress(at.method, at.done); });
        if (time) times.note(model, spec, units, *time);
      }
      known.push_back(time);
    }
    return std::make_shared<JsonResult>(plan_json(*engine, asked, known));
  };
}

}  // namespace headwater
