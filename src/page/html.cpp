// The page: a template with the page document's JSON and its numbers in base64. A content security policy
// allows only this style and this script, by hash, and no request, so that even a text that escaped its
// quotes could neither run nor load anything.
#include <fmt/format.h>
#include <headwater/formats.h>

#include "base/encoding.h"
#include "files/schema.h"
#include "page/assets.h"
#include "page/page_document.h"
#include "page/template.h"
#include "result/sentence.h"
#include "result/text_width.h"

namespace headwater {

namespace {

// Numbers as script elements that no browser runs.
std::string blob_elements(const PageDocument& document) {
  std::string html;
  for (const PageBlob& blob : document.blobs)
    html += fmt::format("<script type=\"text/plain\" id=\"{}\" data-format=\"{}\">{}</script>\n", blob.id,
                        blob.format, base64(blob.bytes));
  return html;
}

}  // namespace

std::string to_html(const Report& report) {
  return to_html(std::span(&report, 1));
}

std::string to_html(std::span<const Report> measured) {
  const PageDocument document = page_document(measured);
  const Report& report = measured.front();
  const std::string style(page_asset("page.css")), script(page_asset("page.js"));
  const std::string policy =
      fmt::format("default-src 'none'; img-src data:; style-src 'sha256-{}'; script-src 'sha256-{}'",
                  sha256_base64(style), sha256_base64(script));
  const std::string answer = answer_of(report);
  const std::string title = answer.empty() ? terminal_safe(report.record.architecture) : answer;
  return filled(page_asset("report.html"),
                {{"policy", policy},
                 {"title", html_escaped(title) + " – headwater"},
                 {"sentence", html_escaped(document.json["sentence"].get<std::string>())},
                 {"style", style},
                 {"data", fmt::format("<script type=\"application/json\" id=\"report\">{}</script>\n{}",
                                      script_safe(dump(document.json, -1)), blob_elements(document))},
                 {"script", script}});
}

}  // namespace headwater
