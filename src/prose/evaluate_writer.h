// Evaluations as tables for people (terminal, Markdown, LaTeX) and for programs (CSV, JSON), and their curves
// as SVG.
#pragma once

#include <string>
#include <string_view>

#include <headwater/evaluate.h>
#include <headwater/formats.h>

namespace headwater {

std::string evaluate_text(const EvaluateReport& report, const std::string& command,
                          const TerminalFormat& format);
std::string evaluate_markdown(const EvaluateReport& report, const std::string& command);
std::string evaluate_latex(const EvaluateReport& report, const std::string& command);  // needs booktabs
// One row per figure, per point of a curve and per pair of methods:
// metric,method,other,x,value,low,high,p,adjusted_p,examples.
std::string evaluate_csv(const EvaluateReport& report);

}  // namespace headwater
