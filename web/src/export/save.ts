// From a figure to a file: SVG as it is, PNG by the browser's own drawing, PDF by its printer (text stays text).
export function save(name: string, data: string | Uint8Array | Blob, type: string) {
  const link = document.createElement("a"),
    blob = data instanceof Blob ? data : new Blob([data as BlobPart], { type });
  link.download = name;
  link.href = URL.createObjectURL(blob);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function imageOf(source: string): Promise<HTMLImageElement> {
  return new Promise((done, fail) => {
    const image = new Image();
    image.onload = () => done(image);
    image.onerror = () => fail(new Error("the figure could not be drawn"));
    image.src = source;
  });
}

const dataUrl = (svg: string) => "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);

export async function pngOf(svg: string, factor = 2): Promise<Blob> {
  const image = await imageOf(dataUrl(svg)),
    canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth * factor;
  canvas.height = image.naturalHeight * factor;
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) => canvas.toBlob((b) => (b ? done(b) : fail(new Error("no picture"))), "image/png"));
}

// The figure alone on the paper, then the page as it was.
export function printFigure(svg: string) {
  const sheet = document.createElement("div");
  sheet.id = "sheet";
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  sheet.append(document.importNode(parsed, true));
  document.body.append(sheet);
  document.documentElement.dataset.printing = "figure";
  const back = () => {
    sheet.remove();
    delete document.documentElement.dataset.printing;
    removeEventListener("afterprint", back);
  };
  addEventListener("afterprint", back);
  print();
}

// This very page, with its script and data and without what the script has drawn.
export function pageOf(): string {
  const copy = document.documentElement.cloneNode(true) as HTMLElement;
  copy.querySelector("#app")?.replaceChildren();
  copy.querySelector("#sheet")?.remove();
  delete copy.dataset.theme;
  return "<!doctype html>\n" + copy.outerHTML;
}
