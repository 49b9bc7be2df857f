// A pixel at y of H reads the grid of R rows at u = (y + ½) R/H − ½, clamped to 0 … R − 1, and interpolates
// linearly between the rows ⌊u⌋ and ⌊u⌋ + 1; columns likewise. With s = |v| / max |w| over the patches, its
// colour covers the picture by 0.1 + 0.75 s. The picture keeps 0.35 of its own colour and is otherwise grey,
// so that blue and orange always belong to the map.
#include "drawing/overlay.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <headwater/error.h>
#include <headwater/formats.h>
#include <zlib.h>

#include "drawing/colours.h"
#include "drawing/pixel_text.h"
#include "files/schema.h"
#include "result/rows.h"

namespace headwater {

namespace {

constexpr double least_cover = 0.1, more_cover = 0.75, greyed = 0.65;
constexpr int panel_pixels = 320, gutter = 8;
constexpr int caption_line = 22, caption_pixels = 4 * caption_line + 4, foot_pixels = 2 * caption_line + 4;
constexpr Rgb ink{0x1c, 0x26, 0x30};
// The two cells between which a pixel lies, and its distance from the first.
struct Between {
  std::size_t low, high;
  double share;
};

Between cells_around(Index pixel, Index pixels, Index cells) {
  const double u = std::clamp(
      (static_cast<double>(pixel) + 0.5) * static_cast<double>(cells) / static_cast<double>(pixels) - 0.5,
      0.0, static_cast<double>(cells - 1));
  const auto low = static_cast<std::size_t>(u);
  return {low, std::min(low + 1, static_cast<std::size_t>(cells - 1)), u - static_cast<double>(low)};
}

Image picture_of(const Report& report) {
  return decode_image(std::as_bytes(std::span(report.picture.data(), report.picture.size())), "picture");
}

Image enlarged(const Image& picture, int scale) {
  return resize(picture, picture.width * scale, picture.height * scale, Resample::Nearest);
}

void paste(Image& onto, const Image& panel, int left, int top) {
  for (int y = 0; y < panel.height; ++y) {
    const auto* from = panel.rgb.data() + std::ptrdiff_t{3} * y * panel.width;
    std::copy_n(from, 3 * panel.width,
                onto.rgb.begin() + std::ptrdiff_t{3} * ((top + y) * onto.width + left));
  }
}

void put_big_endian(std::string& out, std::size_t value) {
  for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(value >> shift & 0xff);
}

// The PNG with an uncompressed iTXt chunk, in UTF-8, before its end.
std::string with_text(std::string png, const std::string& keyword, const std::string& text) {
  constexpr std::size_t end_chunk = 12;
  std::string chunk = "iTXt" + keyword;
  chunk.append(5, '\0');  // no compression, language, translation
  chunk += text;
  std::string framed;
  put_big_endian(framed, chunk.size() - 4);
  framed += chunk;
  put_big_endian(framed, crc32_z(0, reinterpret_cast<const unsigned char*>(chunk.data()), chunk.size()));
  return png.insert(png.size() - end_chunk, framed);
}

void draw_caption(Image& onto, Corner at, int width, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    draw_fitting_text(onto, {at.left + 2, at.top + 3}, line, width - 4, ink);
    at.top += caption_line;
  }
}

// The label of a panel: the method, the class, and which numbers of the result.
std::vector<std::string> panel_caption(const Report& report, const Attribution& attribution,
                                       std::span<const double> weights) {
  const auto [low, high] = std::minmax_element(weights.begin(), weights.end());
  std::string which = "a score per patch";
  if (has_axis(attribution, Axis::Query)) {
    which = fmt::format("row {}, last layer", report.answer_token);
  }
  const Target& target = report.target;
  const std::string named = target.contrast
                                ? fmt::format("{} rather than {}", target.label, target.contrast_label)
                                : fmt::format("{}, probability {:.4f}", target.label, target.probability);
  return {name_of(attribution), attribution.traits.of_target ? named : "same for every class", which,
          fmt::format("{:.2g} .. {:.2g}", *low, *high)};
}

}  // namespace

std::vector<double> patch_weights(const Report& report, const Attribution& attribution, Index layer) {
  const std::vector<double> row = answer_weights(report, attribution, layer);
  const Sequence* patches = patches_of(report.prediction);
  if (patches == nullptr || static_cast<Index>(row.size()) != patches->count)
    throw InternalError(fmt::format("overlay: expected a weight for each of {} patches, found {}",
                                    patches == nullptr ? 0 : patches->count, row.size()));
  return {row.begin() + first_patch(*patches), row.end()};
}

std::vector<double> bilinear(std::span<const double> values, GridSize from, GridSize to) {
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(to.rows * to.columns));
  for (Index y = 0; y < to.rows; ++y) {
    const Between row = cells_around(y, to.rows, from.rows);
    for (Index x = 0; x < to.columns; ++x) {
      const Between column = cells_around(x, to.columns, from.columns);
      const auto along = [&](std::size_t r) {
        const double* line = values.data() + r * static_cast<std::size_t>(from.columns);
        return line[column.low] + column.share * (line[column.high] - line[column.low]);
      };
      const double low = along(row.low);
      out.push_back(low + row.share * (along(row.high) - low));
    }
  }
  return out;
}

Image overlay(const Image& picture, std::span<const double> weights, int scale) {
  const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(weights.size()))));
  Image out = enlarged(picture, scale);
  const std::vector<double> values = bilinear(weights, {side, side}, {Index{out.height}, Index{out.width}});
  double strongest = 0;
  for (const double weight : weights) strongest = std::max(strongest, std::abs(weight));
  for (std::size_t p = 0; p < values.size(); ++p) {
    std::uint8_t* pixel = out.rgb.data() + 3 * p;
    const double share = strongest > 0 ? values[p] / strongest : 0,
                 cover = least_cover + more_cover * std::abs(share);
    const Rgb colour = colour_of(share);
    const double grey = 0.2126 * pixel[0] + 0.7152 * pixel[1] + 0.0722 * pixel[2];  // luma of Rec. 709
    const auto mixed = [&](int c, int own) {
      const double under = greyed * grey + (1 - greyed) * own;
      return static_cast<std::uint8_t>(std::lround(cover * c + (1 - cover) * under));
    };
    pixel[0] = mixed(colour.r, pixel[0]);
    pixel[1] = mixed(colour.g, pixel[1]);
    pixel[2] = mixed(colour.b, pixel[2]);
  }
  return out;
}

int panel_scale(const Image& picture) {
  return std::max(1, (panel_pixels + picture.width - 1) / picture.width);
}

void require_one_picture(std::span<const Report> reports) {
  if (reports.empty() || reports.front().picture.empty() || reports.front().attributions.empty())
    throw InputError("overlay: expected an explanation of a picture, found none");
  const Report& first = reports.front();
  for (const Report& report : reports) {
    const bool same = report.picture == first.picture &&
                      std::equal(report.attributions.begin(), report.attributions.end(),
                                 first.attributions.begin(), first.attributions.end(),
                                 [](const auto& a, const auto& b) { return name_of(a) == name_of(b); });
    if (!same)
      throw InputError(
          "overlay: expected explanations of one picture by the same methods, found different ones");
    for (const Attribution& attribution : report.attributions)
      if (attribution.scores().empty())
        throw InputError(
            fmt::format("overlay: expected a weight per patch, found none by {}", name_of(attribution)));
  }
}

std::string to_png(std::span<const Report> reports) {
  require_one_picture(reports);
  const Image picture = picture_of(reports.front());
  const int scale = panel_scale(picture);
  const int width = picture.width * scale, height = picture.height * scale;
  const auto rows = static_cast<int>(reports.front().attributions.size());
  const auto columns = static_cast<int>(reports.size()) + 1;
  Image all{
      columns * width + (columns - 1) * gutter, rows * (caption_pixels + height + gutter) + foot_pixels, {}};
  all.rgb.assign(std::size_t{3} * static_cast<std::size_t>(all.width) * static_cast<std::size_t>(all.height),
                 255);
  const Image plain = enlarged(picture, scale);
  for (int r = 0; r < rows; ++r) {
    const int top = r * (caption_pixels + height + gutter);
    draw_caption(all, {0, top}, width, {"the picture", "as the model sees it"});
    paste(all, plain, 0, top + caption_pixels);
    for (int c = 1; c < columns; ++c) {
      const Report& report = reports[static_cast<std::size_t>(c - 1)];
      const Attribution& attribution = report.attributions[static_cast<std::size_t>(r)];
      const std::vector<double> weights = patch_weights(report, attribution, layer_count(attribution) - 1);
      const int left = c * (width + gutter);
      draw_caption(all, {left, top}, width, panel_caption(report, attribution, weights));
      paste(all, overlay(picture, weights, scale), left, top + caption_pixels);
    }
  }
  draw_caption(all, {0, all.height - foot_pixels}, all.width,
               {"each scaled to its strongest patch: darker is more", "blue counts for, orange against"});
  return png_with_record(encode_png(all), reports);
}

std::string png_with_record(std::string png, std::span<const Report> reports) {
  return with_text(std::move(png), "headwater", dump(record_of(reports), -1));
}

}  // namespace headwater
