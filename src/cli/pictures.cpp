// librsvg lays out the text (by pango, so any script is shown as it should be) and cairo writes the file.
// They are opened when a picture is asked for and not with the program: with all they need they would add a
// third of a millisecond for each of forty libraries to every start.
#include "cli/pictures.h"

#include <cmath>
#include <memory>

#include <cairo/cairo-pdf.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <headwater/error.h>
#include <librsvg/rsvg.h>

namespace headwater {

namespace {

class Renderer {
 public:
  static const Renderer& get() {
    static const Renderer only;
    return only;
  }

  template <class F>
  F* find(const char* name) const {
    if (void* found = dlsym(library_, name)) return reinterpret_cast<F*>(found);
    throw Unsupported(fmt::format("picture: expected librsvg 2.52 or newer, found one without {}", name));
  }

 private:
  Renderer() : library_(dlopen("librsvg-2.so.2", RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr)
      throw Unsupported(
          "picture: expected librsvg for PDF and PNG, found none; install librsvg2-2, or write svg");
  }
  void* library_;
};

#define HEADWATER_FOUND(function) (*Renderer::get().find<decltype(function)>(#function))

cairo_status_t append(void* out, const unsigned char* bytes, unsigned count) {
  static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

cairo_status_t ignore(void* /*out*/, const unsigned char* /*bytes*/, unsigned /*count*/) {
  return CAIRO_STATUS_SUCCESS;
}

[[noreturn]] void fail(GError* error) {
  const std::string why = error == nullptr ? "no reason given" : error->message;
  if (error != nullptr) HEADWATER_FOUND(g_error_free)(error);
  throw InternalError(fmt::format("picture: librsvg refused the drawing: {}", why));
}

using Drawing = std::unique_ptr<RsvgHandle, void (*)(RsvgHandle*)>;
using Surface = std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)>;

Drawing drawing_of(const std::string& svg) {
  GError* error = nullptr;
  Drawing drawing(HEADWATER_FOUND(rsvg_handle_new_from_data)(reinterpret_cast<const guint8*>(svg.data()),
                                                             svg.size(), &error),
                  [](RsvgHandle* handle) {
                    const auto& release = HEADWATER_FOUND(g_object_unref);
                    release(handle);
                  });
  if (!drawing) fail(error);
  return drawing;
}

using Context = std::unique_ptr<cairo_t, void (*)(cairo_t*)>;

Context context_of(cairo_surface_t* surface) {
  return {HEADWATER_FOUND(cairo_create)(surface), [](cairo_t* one) {
            const auto& release = HEADWATER_FOUND(cairo_destroy);
            release(one);
          }};
}

void draw(RsvgHandle* drawing, cairo_surface_t* surface, double width, double height) {
  const Context context = context_of(surface);
  const RsvgRectangle whole{0, 0, width, height};
  GError* error = nullptr;
  if (!HEADWATER_FOUND(rsvg_handle_render_document)(drawing, context.get(), &whole, &error)) fail(error);
}

void paint(cairo_surface_t* from, cairo_surface_t* onto) {
  const Context context = context_of(onto);
  HEADWATER_FOUND(cairo_set_source_surface)(context.get(), from, 0, 0);
  HEADWATER_FOUND(cairo_paint)(context.get());
}

}  // namespace

std::string picture_of_svg(const std::string& svg, const std::string& format) {
  const Drawing drawing = drawing_of(svg);
  double width = 0, height = 0;
  if (!HEADWATER_FOUND(rsvg_handle_get_intrinsic_size_in_pixels)(drawing.get(), &width, &height))
    throw InternalError("picture: expected a drawing with a size, found none");
  std::string bytes;
  const auto release = [](cairo_surface_t* one) { HEADWATER_FOUND(cairo_surface_destroy)(one); };
  if (format == "pdf") {
    constexpr double points_per_pixel = 72.0 / 96;
    width *= points_per_pixel;
    height *= points_per_pixel;
    const Surface page(HEADWATER_FOUND(cairo_pdf_surface_create_for_stream)(append, &bytes, width, height),
                       release);
    draw(drawing.get(), page.get(), width, height);
    HEADWATER_FOUND(cairo_surface_finish)(page.get());
    return bytes;
  }
  // Large drawings get fewer pixels: at most 256 MB of them, twice while they are painted.
  constexpr double most_pixels = 1 << 26;
  const double scale = std::min(2.0, std::sqrt(most_pixels / (width * height)));
  width = std::max(1.0, std::floor(width * scale));
  height = std::max(1.0, std::floor(height * scale));
  const Surface pixels(HEADWATER_FOUND(cairo_image_surface_create)(
                           CAIRO_FORMAT_ARGB32, static_cast<int>(width), static_cast<int>(height)),
                       release);
  // By way of a page: librsvg shows letters on pages alone, elsewhere it fills their outlines, which have no
  // colours, so that emoji would be silhouettes.
  const Surface page(HEADWATER_FOUND(cairo_pdf_surface_create_for_stream)(ignore, nullptr, width, height),
                     release);
  draw(drawing.get(), page.get(), width, height);
  paint(page.get(), pixels.get());
  if (HEADWATER_FOUND(cairo_surface_write_to_png_stream)(pixels.get(), append, &bytes) !=
      CAIRO_STATUS_SUCCESS)
    throw InternalError("picture: expected a PNG, found that it could not be written");
  return bytes;
}

}  // namespace headwater
