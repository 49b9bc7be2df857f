// Corpora as they come, and means by hand.
#include "reproductions/shared/data.h"

#include <cmath>

#include <gtest/gtest.h>
#include <headwater/error.h>

#include "base/files.h"
#include "reproductions/shared/maps.h"
#include "support/scratch_folder.h"

namespace headwater {
namespace {

using testing::ScratchFolder;

TEST(Data, AFolderIsSearchedAndAFileTaken) {
  const ScratchFolder scratch;
  write_file(scratch / "dev.tsv", "sentence\tlabel\nnot bad\t1\n");
  EXPECT_EQ(data_file(scratch.path().string(), {"train.tsv", "dev.tsv"}),
            scratch.path().string() + "/dev.tsv");
  EXPECT_EQ(data_file(scratch / "dev.tsv", {"x"}), scratch / "dev.tsv");
  EXPECT_THROW(data_file(scratch.path().string(), {"x.tsv"}), InputError);
  EXPECT_THROW(data_file(scratch / "none", {"x.tsv"}), InputError);
  EXPECT_THROW(data_file("", {"x.tsv"}), InputError);
}

TEST(Data, TheParaphraseCorpusIsReadAsItIs) {
  const ScratchFolder scratch;
  const std::string file = scratch / "msr_paraphrase_train.txt";
  write_file(file,
             "\xef\xbb\xbfQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n1\t7\t8\tHe said \"no.\tNo, he "
             "said.\r\n0\t1\t2\ta\tb\r\n");
  const std::vector<LabelledInput> all = read_examples(file, 0);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].input.text, "He said \"no.");
  EXPECT_EQ(all[0].input.pair.value(), "No, he said.");
  EXPECT_EQ(all[0].label, "1");
  EXPECT_EQ(read_examples(file, 1).size(), 1U);
}

TEST(Data, MinimalPairsDifferInOneWord) {
  const ScratchFolder scratch;
  const std::string file = scratch / "pairs.jsonl";
  write_file(
      file,
      "{\"sentence_good\": \"Paula references Robert.\", \"sentence_bad\": \"Paula reference Robert.\"}\n"
      "{\"sentence_good\": \"A b c\", \"sentence_bad\": \"A c b\"}\n"
      "{\"sentence_good\": \"She knows herself.\", \"sentence_bad\": \"She knows himself.\"}\n");
  const std::vector<MinimalPair> pairs = read_minimal_pairs(file, 0);
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].position, 1U);
  EXPECT_EQ(pairs[0].bad_word, "reference");
  EXPECT_EQ(with_word(pairs[0], "[MASK]"), "Paula [MASK] Robert.");
  EXPECT_EQ(pairs[1].good_word, "herself");
  EXPECT_EQ(with_word(pairs[1], "[MASK]"), "She knows [MASK].");
  write_file(file, "{\"sentence\": 1}\n");
  EXPECT_THROW(read_minimal_pairs(file, 0), InputError);
}

TEST(Data, APartIsSpacedEvenly) {
  EXPECT_EQ(evenly_spaced(10, 4), (std::vector<std::size_t>{0, 2, 5, 7}));
  EXPECT_EQ(evenly_spaced(3, 0), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(evenly_spaced(2, 9), (std::vector<std::size_t>{0, 1}));
}

TEST(Maps, MeansLeaveOutWhatIsNoNumber) {
  const MeanValue mean = mean_with_error({1, std::nan(""), 2, 6});
  EXPECT_DOUBLE_EQ(mean.mean, 3);
  EXPECT_DOUBLE_EQ(mean.deviation, std::sqrt(7.0));  // (4 + 1 + 9) / 2
  EXPECT_EQ(mean.count, 3U);
  EXPECT_EQ(figure(mean), "3.00 ± 2.65");
  EXPECT_TRUE(std::isnan(mean_with_error({}).mean));
  EXPECT_EQ(figure(std::nan("")), "–");
  EXPECT_DOUBLE_EQ(median_of({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median_of({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(percent(0.075), "7.5 %");
}

TEST(Maps, RanksAgreeOverWhatWasMeasured) {
  // The worked example of average ranks: 0.28947.
  const std::vector<double> a{.4, .1, .1, .25, .15, 9}, b{.3, .2, .05, .05, .4, -9};
  EXPECT_NEAR(rank_agreement(a, b, {true, true, true, true, true, false}), 0.28947368, 1e-8);
}

TEST(Maps, HeadsAreAveraged) {
  Attribution result{.method = "attention"};
  result.scores() = Tensor::of({1, 2, 1, 2}, std::vector<double>{1, 2, 3, 6});
  EXPECT_EQ(only_map(result).to_doubles(), (std::vector<double>{2, 4}));
  EXPECT_THROW(detail_of(result, "rank"), InternalError);
}

}  // namespace
}  // namespace headwater
