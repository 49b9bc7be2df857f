// The picture with the weight of every patch: methods below one another, targets side by side.
import { useEffect, useState } from "preact/hooks";
import type { Bench } from "../bench";
import { tauText } from "../model/agreement";
import { isMap, type Attribution } from "../model/attribution";
import { css, toned } from "../model/colour";
import { rowScale, strongest, type GridMap } from "../model/maps";
import { pearson } from "../model/rank";
import { checkMark, checkText, describe, number, percent, place, question } from "../model/words";
import { Canvas, hideTip, Legend, Segments, showTip, themed, useHover, useWidth } from "./parts";

const pictures = new Map<string, HTMLImageElement>();
export function usePicture(source: string | undefined): HTMLImageElement | null {
  const [, again] = useState(0);
  useEffect(() => {
    if (!source) return;
    const known = pictures.get(source);
    if (known?.complete) {
      again((n) => n + 1);
      return;
    }
    const image = known ?? new Image();
    image.addEventListener("load", () => again((n) => n + 1));
    if (!known) {
      image.src = source;
      pictures.clear();
      pictures.set(source, image);
    }
  }, [source]);
  const image = source ? pictures.get(source) : undefined;
  return image?.complete ? image : null;
}

// Weights between the patches' middles, linear: what an overlay in a paper shows. Every other pixel is enough.
function smoothed(b: Bench, map: GridMap, row: number, scale: number, size: number): HTMLCanvasElement {
  const { before, rows, columns } = b.patches!,
    n = Math.min(160, size),
    canvas = document.createElement("canvas");
  canvas.width = canvas.height = n;
  const g = canvas.getContext("2d")!,
    image = g.createImageData(n, n);
  const at = (y: number, x: number) => {
    const c = b.indexOf[before + y * columns + x],
      v = c < 0 ? 0 : map.v[row * map.C + c];
    return v === v ? v : 0;
  };
  for (let py = 0; py < n; ++py)
    for (let px = 0; px < n; ++px) {
      const y = Math.min(rows - 1, Math.max(0, ((py + 0.5) * rows) / n - 0.5)),
        x = Math.min(columns - 1, Math.max(0, ((px + 0.5) * columns) / n - 0.5));
      const y0 = Math.floor(y),
        x0 = Math.floor(x),
        y1 = Math.min(rows - 1, y0 + 1),
        x1 = Math.min(columns - 1, x0 + 1),
        fy = y - y0,
        fx = x - x0;
      const v = (1 - fy) * ((1 - fx) * at(y0, x0) + fx * at(y0, x1)) + fy * ((1 - fx) * at(y1, x0) + fx * at(y1, x1));
      const c = toned(v, scale, b.tone),
        s = scale > 0 ? Math.min(1, Math.abs(v) / scale) : 0,
        o = 4 * (py * n + px);
      image.data.set([c[0], c[1], c[2], Math.round(255 * (0.1 + 0.75 * s))], o);
    }
  g.putImageData(image, 0, 0);
  return canvas;
}

export function paintOverlay(
  g: CanvasRenderingContext2D,
  b: Bench,
  picture: HTMLImageElement | null,
  map: GridMap,
  row: number,
  scale: number,
  size: number,
) {
  const { before, rows, columns } = b.patches!,
    w = size / columns,
    h = size / rows;
  g.imageSmoothingEnabled = true;
  if (picture) {
    g.filter = "grayscale(0.65)";
    g.drawImage(picture, 0, 0, size, size);
    g.filter = "none";
  }
  if (b.view.smooth) {
    g.drawImage(smoothed(b, map, row, scale, size), 0, 0, size, size);
    return;
  }
  for (let c = 0; c < b.groups.length; ++c) {
    const p = b.groups[c].members[0] - before,
      v = map.v[row * map.C + c];
    if (p < 0 || v !== v) continue;
    g.globalAlpha = 0.1 + 0.75 * (scale > 0 ? Math.min(1, Math.abs(v) / scale) : 0);
    g.fillStyle = css(toned(v, scale, b.tone));
    g.fillRect((p % columns) * w, Math.floor(p / columns) * h, w, h);
  }
  g.globalAlpha = 1;
}

function Marks({ b, a, row, size }: { b: Bench; a: Attribution; row: number; size: number }) {
  useHover(b);
  const { before, rows, columns } = b.patches!,
    w = size / columns,
    h = size / rows;
  return (
    <Canvas
      class="over"
      width={size}
      height={size}
      draw={(g) => {
        g.strokeStyle = themed("--select");
        for (const [c, line] of [
          [isMap(a) ? row : null, 3],
          [b.hover.key ?? b.view.keys[0] ?? null, 2],
        ] as [number | null, number][]) {
          const p = c === null || c < 0 || !b.groups[c] ? -1 : b.groups[c].members[0] - before;
          g.lineWidth = line;
          if (p >= 0) g.strokeRect((p % columns) * w + 1, Math.floor(p / columns) * h + 1, w - 2, h - 2);
        }
      }}
    />
  );
}

export function Overlay({ b, a, size }: { b: Bench; a: Attribution; size: number }) {
  const picture = usePicture(b.data.picture),
    map = b.mapOf(a),
    { before, rows, columns } = b.patches!;
  if (!map) return null;
  const row = b.rowOf(a),
    scale = rowScale(map, row, b.groups, false);
  const at = (e: MouseEvent) => {
    const box = (e.currentTarget as Element).getBoundingClientRect(),
      x = Math.floor(((e.clientX - box.left) / box.width) * columns),
      y = Math.floor(((e.clientY - box.top) / box.height) * rows);
    return x < 0 || y < 0 || x >= columns || y >= rows ? -1 : b.indexOf[before + y * columns + x];
  };
  const lock = (c: number) =>
    isMap(a)
      ? b.set({ method: a.index, row: b.view.row === c ? null : c, keys: [] })
      : b.set({ method: a.index, keys: b.view.keys[0] === c ? [] : [c] });
  const top = strongest(map.v.subarray(row * map.C, (row + 1) * map.C), 3).filter((s) => !b.groups[s.index].special);
  return (
    <div
      class="stacked"
      style={{ width: size + "px", height: size + "px" }}
      tabIndex={0}
      role="application"
      aria-label={`Picture with the ${isMap(a) ? "weight" : "score"} of every patch by ${a.name}. Strongest patches: ${top.map((s) => b.groups[s.index].name + " " + number(s.value)).join(", ")}. Arrow keys move over the patches, Enter chooses one.`}
      onMouseMove={(e) => {
        const c = at(e);
        if (c >= 0) {
          b.preview(null, c);
          showTip(describe(b, a, map, row, c), e);
        }
      }}
      onMouseLeave={() => {
        hideTip();
        b.preview(null, null);
      }}
      onClick={(e) => {
        const c = at(e);
        if (c >= 0) lock(c);
      }}
      onKeyDown={(e) => {
        const steps: Record<string, [number, number]> = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] },
          step = steps[e.key];
        const from = b.hover.key ?? b.view.keys[0] ?? row,
          p = Math.max(0, (b.groups[from]?.members[0] ?? 0) - before),
          bound = (x: number, n: number) => Math.min(n - 1, Math.max(0, x));
        if (step)
          b.preview(
            null,
            b.indexOf[before + bound(Math.floor(p / columns) + step[1], rows) * columns + bound((p % columns) + step[0], columns)],
          );
        else if (e.key === "Enter" || e.key === " ") lock(b.indexOf[before + p]);
        else return;
        e.preventDefault();
      }}
    >
      <Canvas width={size} height={size} draw={(g) => paintOverlay(g, b, picture, map, row, scale, size)} />
      <Marks b={b} a={a} row={row} size={size} />
    </div>
  );
}

// A method in the strip of an image: a small overlay that chooses the method.
export function Thumbnail({ b, a, tau }: { b: Bench; a: Attribution; tau: number }) {
  const picture = usePicture(b.data.picture),
    map = b.mapOf(a),
    row = b.rowOf(a),
    failed = a.checks.some((c) => !c.passed);
  return (
    <button
      type="button"
      class="thumbcard"
      aria-pressed={a === b.current}
      onClick={() => b.set({ method: a.index })}
      title={question(b, a, row)}
    >
      <Canvas
        width={88}
        height={88}
        draw={(g) => {
          if (map) paintOverlay(g, b, picture, map, row, rowScale(map, row, b.groups, false), 88);
        }}
      />
      <span class="thumbtext">
        <b>{a.name}</b>
        <span class="soft">{place(b, a) || (a.traits.of_target ? `for ${b.aim.target.label}` : "no class")}</span>
        <span class="num soft">{a === b.current ? "" : "τ " + tauText(tau)}</span>
        <span class={failed ? "fail" : "soft"} title={checkText(a)}>
          {checkMark(a)}
        </span>
      </span>
    </button>
  );
}

export function Picture({ b }: { b: Bench }) {
  const [ref, width] = useWidth(280),
    a = b.current!,
    several = b.targets.length > 1,
    picture = usePicture(b.data.picture);
  const columns = several ? b.targets.length + 1 : 2,
    size = Math.max(120, Math.min(320, Math.floor((width - 16 * (columns - 1)) / columns)));
  const shownTargets = several ? b.targets.map((t, k) => ({ t, k })) : [{ t: b.aim, k: b.view.target }];
  const map = b.mapOf(a),
    row = b.rowOf(a);
  return (
    <div ref={ref}>
      <div class="tools">
        <Segments
          label="Draw"
          options={[
            [true, "smooth"],
            [false, "patches"],
          ]}
          chosen={b.view.smooth}
          pick={(smooth) => b.set({ smooth })}
        />
      </div>
      <div class="pictures">
        <figure>
          <Canvas
            width={size}
            height={size}
            label="What the model saw"
            draw={(g) => {
              if (picture) {
                g.imageSmoothingEnabled = false;
                g.drawImage(picture, 0, 0, size, size);
              }
            }}
          />
          <figcaption>what the model saw{b.data.input.fitted ? `: ${b.data.input.fitted}` : ""}</figcaption>
        </figure>
        {shownTargets.map(({ t, k }) => {
          const own = b.attributionsOf(k).find((x) => x.name === a.name),
            first = b.attributionsOf(shownTargets[0].k).find((x) => x.name === a.name);
          const [mine, theirs] = [own, first].map((x) => {
            const m = x && b.mapOf(x);
            return m && m.v.slice(b.rowOf(x) * m.C, (b.rowOf(x) + 1) * m.C);
          });
          return (
            <figure class={k === b.view.target ? "chosen" : ""}>
              {own ? <Overlay b={b} a={own} size={size} /> : null}
              <figcaption>
                {several ? (
                  <button type="button" aria-pressed={k === b.view.target} onClick={() => b.set({ target: k })}>
                    {t.target.label}
                  </button>
                ) : (
                  <b>{t.target.label}</b>
                )}{" "}
                {t.target.probability !== null ? percent(t.target.probability) : ""}
                {own && !own.traits.of_target ? " · same for every class" : ""}
                {k > 0 && own?.traits.of_target && mine && theirs ? (
                  <span class="num">{` · correlation with ${shownTargets[0].t.target.label} ${pearson(mine, theirs).toFixed(2).replace("-", "−")}`}</span>
                ) : null}
              </figcaption>
            </figure>
          );
        })}
      </div>
      {map ? (
        <>
          <Legend
            b={b}
            a={a}
            high={number(rowScale(map, row, b.groups, false))}
            what="scaled to the strongest patch"
            raw={`raw ${number(map.min)} … ${number(map.max)}`}
          />
          <p class="summary">
            Strongest patches (row, column):{" "}
            {strongest(map.v.subarray(row * map.C, (row + 1) * map.C), 5)
              .map((s) => `${b.groups[s.index].name} ${number(s.value)}`)
              .join(", ")}
            .
          </p>
        </>
      ) : null}
    </div>
  );
}
