// Results as bytes. A Report can be JSON, NumPy and safetensors arrays, terminal text, a self-contained page,
// or a picture. Every format carries the run record. All are pure functions of the report: they use no clock,
// no environment and no network.
#pragma once

#include <span>
#include <string>

#include <headwater/check.h>
#include <headwater/evaluate.h>
#include <headwater/export.h>
#include <headwater/heads.h>
#include <headwater/identify.h>
#include <headwater/report.h>
#include <headwater/tree.h>

namespace headwater {

// One JSON object without a final newline. Numbers are the shortest that read back to the same value, and NaN
// is null. With `indent` < 0 it is one line, for JSON Lines.
HEADWATER_API std::string to_json(const Report& report, int indent = 2);
// The same without scores: everything else that is known about them.
HEADWATER_API std::string summary_json(const Report& report, int indent = 2);
// label, probability, logits and what else the task has; tokens only on request.
struct PredictionFormat {
  bool tokens = false;
  int indent = -1;
};
HEADWATER_API std::string to_json(const Prediction& prediction, const PredictionFormat& format = {});
// The same, preceded by the input: text and pair, or image (the path). The keys are those of a line of
// inputs.
HEADWATER_API std::string to_json(const Input& input, const Prediction& prediction,
                                  const PredictionFormat& format = {});
HEADWATER_API std::string to_json(const RunRecord& record, int indent = 2);

// The results of runs over many inputs. `command` repeats the run.
HEADWATER_API std::string heads_json(std::span<const HeadImportance> rankings, const std::string& command);
HEADWATER_API std::string curves_json(const PruningReport& report, const std::string& command);
HEADWATER_API std::string triggers_json(const TriggerReport& report, const std::string& command);
HEADWATER_API std::string evaluate_json(const EvaluateReport& report, const std::string& command);
HEADWATER_API std::string identify_json(const IdentifyReport& report, const std::string& command);
HEADWATER_API std::string check_json(const ModelTest& test, const std::string& command);
HEADWATER_API std::string to_json(const TreeReport& made, const std::string& command);
HEADWATER_API std::string to_svg(const TreeReport& made, const std::string& command);
HEADWATER_API std::string to_json(const ModelInfo& info, int indent = 2);
HEADWATER_API std::string tokens_json(const std::vector<Unit>& tokens, int indent);  // −1: on one line

// One array per method under its name, and for a map also <name>.answer, the row the output was read from.
// Then tokens, token_ids, offsets [T, 2] (bytes), special_mask, word_ids, sequence_ids (0: the text, 1: its
// pair, 2: the output), logits, and `record`, a JSON string. numpy.load reads it without pickle.
HEADWATER_API std::string to_npz(const Report& report);
// The same numbers; tokens and the record are JSON strings under __metadata__.
HEADWATER_API std::string to_safetensors(const Report& report);

struct TerminalFormat {
  enum class Colour { None, Ansi256, TrueColour };
  Colour colour = Colour::None;
  int width = 80;  // columns
  // What fits on a screen: checks that passed and notes are counted, and the sentence comes last.
  bool brief = false;
  Index row = -1;  // for maps: the token whose row is shown; −1: the one the output was read from
};
HEADWATER_API std::string to_terminal(const Report& report, const TerminalFormat& format = {});
HEADWATER_API std::string to_terminal(const Prediction& prediction, const TerminalFormat& format = {});
// The format for a stream, from NO_COLOR, TERM, COLORTERM, COLUMNS and whether the descriptor is a terminal.
HEADWATER_API TerminalFormat terminal_format(int file_descriptor);

// One file that opens from disk and requests nothing from the network.
HEADWATER_API std::string to_html(const Report& report);
// One input explained for several targets, with a switch between them; maps over a picture are side by side.
// Throws InputError for different inputs or models, and for pictures explained by different methods.
HEADWATER_API std::string to_html(std::span<const Report> reports);

// The maps over the picture, with one row per method: the picture as the model saw it, then a panel per
// report. Throws InputError for texts, different pictures or different methods.
HEADWATER_API std::string to_png(std::span<const Report> reports);

// A figure for print, as `headwater plot` draws it: "strip" of a text, "overlay" over a picture, "grid",
// "matrix", "heads", "flow".
struct FigureFormat {
  std::string kind;    // empty: strip or overlay
  std::string method;  // empty: the first that fits
  int layer = -1;      // of matrix, heads, strip and overlay; −1: the one that says most
};
// Throws InputError for what there is no such figure of.
HEADWATER_API std::string to_svg(const Report& report, const FigureFormat& format = {});

// The report as its view (asked.view) shows it, which is what every writer writes: every axis that counts
// units is regrouped, and with it the units and the positions of outcomes and target. The report itself keeps
// what was measured. A detail over pairs of tokens has no meaning over words; it is left out, and a note says
// so. Pictures do not change. Throws InputError if nothing would be left.
HEADWATER_API Report viewed(const Report& report);

// The answer and the words behind it, in one line with which every format begins, with the method's name:
//   POSITIVE 96.4 % because of good +2.48, so +0.98; against: thin −2.03 (integrated_gradients)
// It names whole words, and special tokens where they outweigh every word. Of several results it uses the
// first class-specific one with a sign, and names another one of its kind that ranks the words otherwise.
HEADWATER_API std::string sentence_of(const Report& report);
// The same of one result of the report.
HEADWATER_API std::string sentence_of(const Report& report, const Attribution& result);

// The command line that repeats the run: the same numbers in any format.
HEADWATER_API std::string reproduce_command(const Report& report);
// One command for reports of one input that differ only in their target; otherwise one line for each.
HEADWATER_API std::string reproduce_command(std::span<const Report> reports);

}  // namespace headwater
