// Token identifiability: can a hidden vector still be told which token it came from? (Brunner et al., 2020)
//
// A map g sends the hidden vector of a token to the space of the embeddings; the token is identified when the
// nearest embedding of the candidates is its own. The rate is the share of the test tokens identified. State
// 0 is what enters the first block, state l + 1 what leaves block l (before the last norm of a pre-norm
// model).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <headwater/export.h>
#include <headwater/report.h>
#include <headwater/request.h>

namespace headwater {

enum class TokenMap { Naive, Linear, Mlp };  // the identity; ridge regression; one hidden layer, trained
enum class TokenDistance { Cosine, L2 };     // learned maps are fitted for the distance they are used with
enum class TokenTarget {
  Word,
  Sum,
  Hidden
};  // embedding row; + position and segment; after the norm: state 0
enum class TokenPool { Sentence, Vocabulary };  // candidates: the tokens of the same text; every word row

HEADWATER_API std::string_view name_of(TokenMap map);            // "naive", "linear", "mlp"
HEADWATER_API std::string_view name_of(TokenDistance distance);  // "cosine", "l2"
HEADWATER_API std::string_view name_of(TokenTarget target);      // "word", "sum", "hidden"
HEADWATER_API std::string_view name_of(TokenPool pool);          // "sentence", "vocabulary"

// Adam (betas 0.9, 0.999) from Glorot-uniform weights; stops when the validation loss has not improved for
// `patience` epochs, and keeps the best weights.
struct MlpOptions {
  int hidden = 1000;
  double learning_rate = 1e-4;
  int batch = 256;
  int patience = 20;
  int epochs = 1000;  // at most
};

struct IdentifyRequest {
  std::vector<Input> texts;
  std::vector<std::string> names;  // of the texts, for messages ("lines.txt:17"); empty: counted
  std::vector<TokenMap> maps{TokenMap::Naive, TokenMap::Linear};
  std::vector<TokenDistance> distances{TokenDistance::Cosine, TokenDistance::L2};
  TokenTarget target = TokenTarget::Word;
  TokenPool pool = TokenPool::Sentence;
  std::vector<int> states;  // empty: all
  bool across = false;      // learned maps of every state are tested on all states
  bool control = true;      // the same architecture with untrained weights beside it
  // Texts are split 70/15/15 into training, validation and test; equal texts stay together. With K > 1 folds
  // each part of K is the test once, the next one the validation.
  int folds = 1;
  std::uint64_t seed = 0;
  double ridge = 0.1;  // penalty of the linear map; its bias is free
  MlpOptions mlp;
  std::string resume;          // file that keeps finished cells; empty: none
  std::size_t max_memory = 0;  // bytes beyond the weights; 0: no bound
  std::function<void(const Progress&)> progress;
};

// A share of tokens with its 95 % interval (Wilson's, with the tokens of a text not independent). NaN where
// the rule means nothing (positions in a vocabulary).
struct TokenRate {
  double rate = 0, low = 0, high = 0;
};

// By token id (a repeated word counts as itself) or by position; over all tokens, and over the content alone:
// special tokens neither asked for nor among the candidates.
template <class T>
struct TokenRules {
  T id{}, position{}, content_id{}, content_position{};
};

struct IdentifyCell {
  bool control = false;
  TokenMap map = TokenMap::Naive;
  TokenDistance distance = TokenDistance::Cosine;
  int trained_on = 0;  // state; equals `state` unless across
  int state = 0;       // tested on
  TokenRules<TokenRate> rates;
  std::vector<int> epochs;  // MLP: of each fold
};

// Mean cosine of two different test tokens: what a cosine means at this state.
struct Anisotropy {
  bool control = false;
  int state = 0;
  double mean_cosine = 0;
};

struct IdentifyReport {
  ModelInfo model;
  TokenTarget target = TokenTarget::Word;
  TokenPool pool = TokenPool::Sentence;
  int folds = 1;
  std::uint64_t seed = 0;
  double ridge = 0;
  MlpOptions mlp;
  std::size_t texts = 0, distinct_texts = 0, tokens = 0;
  std::size_t train_texts = 0, validation_texts = 0, test_texts = 0;  // of the first fold
  std::size_t tested_texts = 0, tested_tokens = 0, tested_content = 0;
  std::vector<int> states;
  TokenRules<double> chance;  // what a uniform guess among the candidates would score
  std::vector<IdentifyCell> cells;
  std::vector<Anisotropy> anisotropy;
  std::size_t resumed_cells = 0;
  std::vector<Check> checks;
  std::vector<std::string> notes;
  RunRecord record;
};

// What a run would take, said before it is made.
struct IdentifyPlan {
  std::size_t texts = 0, tokens = 0;
  std::size_t train_texts = 0, validation_texts = 0, test_texts = 0;
  std::size_t cells = 0;
  std::size_t bytes = 0;  // beyond the weights
  int passes = 0;         // forward runs over the texts, of each model
};

}  // namespace headwater
