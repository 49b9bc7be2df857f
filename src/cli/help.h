// How help looks: options grouped by topic, environment twins and choices in the text, nothing shouted.
#pragma once

namespace CLI {
class App;
}

namespace headwater {

void use_our_help(CLI::App& app);

}  // namespace headwater
