// The page at "/": one file from inside the program, with a policy that lets it ask this server and nobody
// else.
#pragma once

#include "server/message.h"

namespace headwater {

HttpReply live_page();

}  // namespace headwater
