// Data as the papers' corpora come: found in a folder, or named as a file; a part of it drawn evenly.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <headwater/engine.h>

namespace headwater {

// The file itself, or the first of these names that the folder has. Throws InputError naming what was looked
// for.
std::string data_file(const std::string& data, const std::vector<std::string>& names);

// Texts with their labels (empty where the file has none): txt, tsv, csv, jsonl as every command reads them,
// and the Microsoft paraphrase corpus as its authors wrote it. `limit` of them, evenly spaced; 0: all.
std::vector<LabelledInput> read_examples(const std::string& file, std::size_t limit);

// Sentences that differ in one word (BLiMP). `position`: which word, from 0, words standing between spaces.
struct MinimalPair {
  std::string good, bad;
  std::size_t position = 0;
  std::string good_word, bad_word;  // without punctuation at their end
};
// Pairs whose sentences have as many words and differ in one. `limit` of them, evenly spaced; 0: all.
std::vector<MinimalPair> read_minimal_pairs(const std::string& file, std::size_t limit);
// The good sentence with this in place of the word that differs; what ends the sentence stays.
std::string with_word(const MinimalPair& pair, const std::string& replacement);

// What stands for a masked word: "[MASK]" or "<mask>". Throws Unsupported for a tokenizer without one.
std::string mask_token(const Engine& engine);

// Every so-manieth, from the first: positions of `count` among `all`, in their order.
std::vector<std::size_t> evenly_spaced(std::size_t all, std::size_t count);

}  // namespace headwater
