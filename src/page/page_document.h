// The page document: the content of reports that the page draws, as one JSON object and named arrays of
// numbers (blobs).
//
// A report from disk has both as elements of its page (html.cpp). A server sends them as bytes:
//   "HWP1", uint32 n, n bytes of JSON, zeros up to a multiple of 8, then the blobs, each filled up to 8;
// little endian. There the JSON has "blobs": {id: {"format", "offset", "bytes"}}, offsets from the first
// blob.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <headwater/report.h>

#include "base/json.h"

namespace headwater {

struct PageBlob {
  std::string id;
  std::string_view format;  // "f32" or "f16"
  std::string bytes;        // little endian
};

// An attribution whose cells a page loads layer by layer: [layer, …].
struct LayeredScores {
  std::size_t index;  // number of the attribution, counted over all reports
  Tensor scores;
};

// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann's move throws nothing
struct PageDocument {
  OrderedJson json;
  std::vector<PageBlob> blobs;         // equal blobs are stored once
  std::vector<LayeredScores> layered;  // scores that no blob holds; empty in a document of one piece
};

struct PageForm {
  // Empty: the document is one piece, for a file. Numbers are then float16 beyond 1 MB of float32, and heads
  // are averaged if all of them would make the file too large. Otherwise every number is float32, and an
  // attribution of more than 2^20 cells has "by_layer": this path and its index, under which its layers can
  // be loaded.
  std::string scores_path = {};
};

// The document of reports of one input that differ in their targets, as their views show them. A page names
// only the last part of a folder, and a file does so in the commands too. Throws InputError for other reports.
PageDocument page_document(std::span<const Report> measured, const PageForm& form = {});

// The layer's cells as float32. Throws InputError for an unknown index or layer.
std::string layer_bytes(const PageDocument& document, std::size_t index, Index layer);

std::string framed(const PageDocument& document);

// The Python lines that repeat the run: one for each target and each aggregate.
std::string reproduce_python(std::span<const Report> reports);

}  // namespace headwater
