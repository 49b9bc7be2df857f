#include "prose/document.h"

#include <gtest/gtest.h>

namespace headwater {
namespace {

Document sample() {
  Document document{.title = "Two methods", .command = "headwater evaluate -f 'a b'"};
  DocumentTable table{.header = {"method", "deletion ↓"}, .rows = {}, .right = "lr", .ruled = 1};
  table.rows = {{"lrp_a|b", {"0.25", "[0.1, 0.4]", true}}, {"random", "  –"}};
  document.parts = {DocumentLine{"Two methods"}, DocumentLine{}, std::move(table),
                    DocumentList{"Tests", {"a < b"}},
                    DocumentChecks{{{"rows sum to 1", false, 0.5, 0.25}}, {"a note"}}};
  document.record = RunRecord{.version = "9", .model = "m", .dtype = "float32", .threads = 1};
  document.json = [] { return std::string("{}\n"); };
  return document;
}

std::string in(const char* format) {
  return formatted(sample(), format, {});
}

TEST(Document, InATerminal) {
  EXPECT_TRUE(
      in("text").starts_with("Two methods\n\n"
                             "method        deletion ↓\n"
                             "lrp_a|b  0.25 [0.1, 0.4]\n"
                             "random                 –\n"
                             "Tests\n  a < b\n"
                             "  ✗ rows sum to 1 (5.0e-01, bound 2.5e-01)\n"
                             "  · a note\n\n"))
      << in("text");
  EXPECT_NE(in("text").find("  again: headwater evaluate -f 'a b'\n"), std::string::npos);
}

TEST(Document, InMarkdown) {
  EXPECT_TRUE(in("markdown")
                  .starts_with("Two methods.\n\n"
                               "| method | deletion ↓ |\n|---|---:|\n"
                               "| lrp_a\\|b | **0.25 [0.1, 0.4]** |\n"
                               "| random | – |\n\n"
                               "Tests:\n\n- a < b\n\n"
                               "✗ rows sum to 1 (5.0e-01, bound 2.5e-01)\n\na note\n\n"))
      << in("markdown");
  EXPECT_TRUE(in("markdown").ends_with("```\nheadwater evaluate -f 'a b'\n```\n"));
}

TEST(Document, InLatex) {
  const std::string text = in("latex");
  EXPECT_TRUE(text.starts_with("% Two methods\n% headwater 9")) << text;
  EXPECT_NE(text.find("\\begin{tabular}{lr}\n\\toprule\n"
                      "method & deletion $\\downarrow$ \\\\\n\\midrule\n"
                      "lrp\\_a|b & \\textbf{0.25} {\\scriptsize [0.1, 0.4]} \\\\\n\\midrule\n"
                      "random & – \\\\\n\\bottomrule\n\\end{tabular}\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("Two methods", 20), std::string::npos) << "the title stands there once";
}

TEST(Document, InHtml) {
  const std::string text = in("html");
  EXPECT_TRUE(text.starts_with("<!DOCTYPE html>")) << text;
  EXPECT_NE(text.find("<td>lrp_a|b</td><td class=\"r\"><b>0.25</b> <small>[0.1, 0.4]</small></td>"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("<li>a &lt; b</li>"), std::string::npos) << "texts are escaped";
  EXPECT_EQ(text.find("http"), std::string::npos) << "a page that asks for nothing";
}

TEST(Document, AsData) {
  EXPECT_EQ(in("csv"), "method,deletion ↓\nlrp_a|b,\"0.25 [0.1, 0.4]\"\nrandom,–\n");
  EXPECT_EQ(in("json"), "{}\n");
  Document document = sample();
  document.csv = [] { return std::string("x\n1\n"); };
  EXPECT_EQ(formatted(document, "csv", {}), "x\n1\n");
}

TEST(Document, ATerminalMayShowLinesInsteadOfATable) {
  Document document{.title = "A test"};
  document.parts = {
      DocumentTable{.rows = {{"yes", "patterns"}}, .instead = {{"✓ patterns: a long promise", 2, 4}}}};
  EXPECT_EQ(formatted(document, "text", {.width = 20}), "  ✓ patterns: a long\n    promise\n");
  EXPECT_EQ(formatted(document, "markdown", {}), "|  |  |\n|---|---|\n| yes | patterns |\n");
}

TEST(Document, CellsAreColouredByTheirShare) {
  Document document{.title = "Heads"};
  DocumentTable table{.rows = {{"L0", "0.5"}}, .gap = 1};
  table.rows[0][1].share = 1;
  document.parts = {std::move(table)};
  const std::string text = formatted(document, "text", {.colour = TerminalFormat::Colour::TrueColour});
  EXPECT_TRUE(text.starts_with("L0 \x1b[")) << text;
  EXPECT_EQ(formatted(document, "text", {}), "L0 0.5\n");
}

}  // namespace
}  // namespace headwater
