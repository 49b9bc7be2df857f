#include "server/live_page.h"

#include <fmt/format.h>

#include "base/encoding.h"
#include "page/assets.h"
#include "page/template.h"

namespace headwater {

HttpReply live_page() {
  static const HttpReply page = [] {
    const std::string style(page_asset("page.css")), script(page_asset("page.js"));
    return HttpReply{
        .type = "text/html",
        .body = filled(page_asset("live.html"), {{"style", style}, {"script", script}}),
        .headers = {
            {"Content-Security-Policy",
             fmt::format("default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data: "
                         "blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors "
                         "'none'",
                         sha256_base64(script), sha256_base64(style))},
            {"Cache-Control", "no-cache"}}};
  }();
  return page;
}

}  // namespace headwater
