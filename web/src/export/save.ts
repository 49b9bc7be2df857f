// From a figure to a file: SVG as it is, PNG by the browser's own drawing; PDF is written in pdf.ts.
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

// This very page, with its script and data and without what the script has drawn.
export function pageOf(): string {
  const copy = document.documentElement.cloneNode(true) as HTMLElement;
  copy.querySelector("#app")?.replaceChildren();
  delete copy.dataset.theme;
  return "<!doctype html>\n" + copy.outerHTML;
}
