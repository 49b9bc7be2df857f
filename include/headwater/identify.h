// Token identifiability: whether a hidden vector still identifies the token it came from (Brunner et al.,
// 2020).
//
// A map g takes the hidden vector of a token to the embedding space. The token is identified if the nearest
// embedding among the candidates is its own. The rate is the share of identified test tokens. State 0 is the
// input of the first block, and state l + 1 the output of block l (before the last norm of a pre-norm model).
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
  Word,    // the embedding row
  Sum,     // with position and segment
  Hidden,  // after the norm: state 0
};
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
  std::vector<std::string> names;  // names of the texts for messages ("lines.txt:17"); empty: numbers
  std::vector<TokenMap> maps{TokenMap::Naive, TokenMap::Linear};
  std::vector<TokenDistance> distances{TokenDistance::Cosine, TokenDistance::L2};
  TokenTarget target = TokenTarget::Word;
  TokenPool pool = TokenPool::Sentence;
  std::vector<int> states;  // empty: all
  bool across = false;      // learned maps of every state are tested on all states
  bool control = true;      // also test the same architecture with untrained weights
  // Texts are split 70/15/15 into training, validation and test; equal texts stay together. With K > 1 folds
  // each of K parts is the test once, and the next part is the validation.
  int folds = 1;
  std::uint64_t seed = 0;
  double ridge = 0.1;  // penalty of the linear map; its bias has none
  MlpOptions mlp;
  std::string resume;          // file that stores finished cells; empty: none
  std::size_t max_memory = 0;  // bytes beyond the weights; 0: no bound
  std::function<void(const Progress&)> progress;
};

// A share of tokens with its 95 % interval (Wilson's, allowing for dependent tokens within a text). NaN if
// the rule is undefined (positions in a vocabulary).
struct TokenRate {
  double rate = 0, low = 0, high = 0;
};

// By token id (a repeated word counts as itself) or by position; over all tokens, or over the content only,
// with special tokens neither tested nor among the candidates.
template <class T>
struct TokenRules {
  T id{}, position{}, content_id{}, content_position{};
};

struct IdentifyCell {
  bool control = false;
  TokenMap map = TokenMap::Naive;
  TokenDistance distance = TokenDistance::Cosine;
  int trained_on = 0;  // state; equals `state` unless across
  int state = 0;       // the state it was tested on
  TokenRules<TokenRate> rates;
  std::vector<int> epochs;  // MLP: epochs of each fold
};

// The mean cosine of two different test tokens, which shows what a cosine means at this state.
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
  TokenRules<double> chance;  // the score of a uniform guess among the candidates
  std::vector<IdentifyCell> cells;
  std::vector<Anisotropy> anisotropy;
  std::size_t resumed_cells = 0;
  std::vector<Check> checks;
  std::vector<std::string> notes;
  RunRecord record;
};

// The plan of a run, known before it runs.
struct IdentifyPlan {
  std::size_t texts = 0, tokens = 0;
  std::size_t train_texts = 0, validation_texts = 0, test_texts = 0;
  std::size_t cells = 0;
  std::size_t bytes = 0;  // beyond the weights
  int passes = 0;         // forward runs over the texts, for each model
};

}  // namespace headwater
