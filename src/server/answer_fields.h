// The fields of the service's own answers; results have theirs in files/.
#pragma once

#include "files/report_fields.h"
#include "server/answers.h"
#include "server/job_queue.h"

namespace headwater {

template <>
inline constexpr int words_in<JobStatus> = 5;

void describe(auto& v, Of<GuidedExample> auto& example) {
  v("title", example.title);
  v.maybe("text", example.text);
  v.maybe("pair", example.pair);
  v.maybe("image", example.image);
  v.maybe("prefix", example.prefix);
  v.maybe("methods", example.methods);
  v.maybe("target", example.target);
  v.maybe("contrast", example.contrast);
  v.maybe("row", example.row, {.help = "the word that the example is about"});
  v.maybe("tab", example.tab);
}

void describe(auto& v, Of<ListedModel> auto& model) {
  v("id", model.id);
  v.also("object", [] { return std::string("model"); }, {.choices = {"model"}});
  v("loaded", model.loaded, {.help = "the other fields are present when it is"});
  v.part(model.loaded, [&](auto& part) {
    part("input", model.input, {.choices = {"text", "image", "text-to-text"}});
    part("mask", model.mask, {.help = "the token of an unknown word"});
    describe(part, model.info);
    part("default_methods", model.default_methods);
    part("examples", model.examples);
  });
}

void describe(auto& v, Of<ListedModels> auto& models) {
  v.also("object", [] { return std::string("list"); }, {.choices = {"list"}});
  v("data", models.data);
}

void describe(auto& v, Of<PlannedMethod> auto& planned) {
  v("method", planned.method);
  v("bytes", planned.bytes, {.help = "beyond the weights: an upper estimate"});
  v("seconds", planned.seconds,
    {.help = "for all targets; null if the method refuses this input or its memory is beyond the limit"});
  v("basis", planned.basis,
    {.help = "measured: from a whole run on an input of similar length; estimated: extrapolated from a short "
             "trial; null "
             "without seconds",
     .choices = {"measured", "estimated"}});
}

void describe(auto& v, Of<ExplanationPlan> auto& plan) {
  v("data", plan.data);
  v("command", plan.command, {.help = "the command line that runs all of these methods for these targets"});
  v("python", plan.python, {.help = "the same in Python"});
}

template <class T>
void describe(auto& v, const DataOf<T>& all) {
  v("data", all.data);
}

void describe(auto& v, Of<Failure> auto& failure) {
  v.object("error", [&](auto& error) {
    error("code", failure.code);
    error("message", failure.message);
    error("type", failure.type);
  });
}

void describe(auto& v, Of<JobState> auto& job) {
  v("id", job.id);
  v("status", job.status);
  v("queue", job.before, {.help = "number of jobs before it, while it waits"});
  v.object_where(!job.method.empty(), "progress", [&](auto& progress) {
    progress("method", job.method);
    progress("done", job.done, {.help = "from 0 to 1"});
  });
  v.part(job.status == JobStatus::Failed, [&](auto& part) { describe(part, job.failure); });
}

}  // namespace headwater
