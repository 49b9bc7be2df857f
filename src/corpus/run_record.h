// Which run a finished file of results is of, kept beside it as FILE.run where another command asks: of a
// shard, for `merge`, and of values that were joined, for `evaluate --resume`.
//
// A record is an object: inputs, options, model and program; two runs are the same if all its values are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <headwater/shard.h>

#include "base/json.h"

namespace headwater {

// "2/4": the second of four. Throws InputError that begins with `where` for anything else.
Shard parse_shard(const std::string& text, const std::string& where);
// The shard a run was asked for with --shard; nothing: it was a whole one.
std::optional<Shard> shard_of(const OrderedJson& run);

std::string record_path(const std::string& file);  // beside the file that a link leads to
void write_record(const std::string& file, OrderedJson run);
// Nothing if there is none, or if the file is not the one it was written for, byte for byte. Throws
// FormatError for a record that cannot be read.
std::optional<OrderedJson> read_record(const std::string& file);
OrderedJson parse_record(const std::string& path);

// The values in which two runs differ: "options --method".
std::vector<std::string> differences(const OrderedJson& mine, const OrderedJson& other);

}  // namespace headwater
