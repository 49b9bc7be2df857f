// The heads of one layer as lines between two columns of tokens: the strongest edges only.
import { useState } from "preact/hooks";
import type { Bench } from "../bench";
import { isMap } from "../model/attribution";
import { headLook, negativeDots } from "../model/colour";
import { readsTip } from "../model/tips";
import { number, shownName, unitWord } from "../model/words";
import { Empty, hideTip, showTip, Slider, themed, Unsuited, useHover, useWidth } from "./parts";

export const most_edges = 2000;
interface Line {
  h: number;
  r: number;
  c: number;
  v: number;
}

// The strongest edges until `kept` of all weight is there.
export function strongestLines(b: Bench, heads: number[], kept: number): { lines: Line[]; total: number; missing: boolean } {
  const a = b.current!,
    l = b.layerOf(a),
    lines: Line[] = [];
  let sum = 0,
    total = 0;
  for (const h of heads) {
    const map = b.mapOf(a, l, h);
    if (!map) return { lines: [], total: 0, missing: true };
    const floor = map.peak * 0.004; // far below what any line could show
    for (let i = 0; i < map.v.length; ++i) {
      const v = map.v[i];
      if (v !== v || v === 0) continue;
      ++total;
      sum += Math.abs(v);
      if (Math.abs(v) >= floor) lines.push({ h, r: Math.floor(i / map.C), c: i % map.C, v });
    }
  }
  lines.sort((x, y) => Math.abs(y.v) - Math.abs(x.v) || x.r - y.r || x.c - y.c);
  let seen = 0,
    n = 0;
  while (n < lines.length && n < most_edges && seen < kept * sum) seen += Math.abs(lines[n++].v);
  return { lines: lines.slice(0, n), total, missing: false };
}

// Many tokens stand closer, so that a picture's patches are seen at once; then not every one has room for its name.
function spacing(tokens: number): { step: number; size: number; every: number } {
  const step = Math.max(9, Math.min(20, 600 / tokens)),
    size = Math.min(13, Math.max(11, step - 4));
  return { step, size, every: Math.ceil((size + 1) / step) };
}

export function Heads({ b }: { b: Bench }) {
  const a = b.current!,
    [ref, width] = useWidth(300),
    [solo, setSolo] = useState<number[] | null>(null);
  useHover(b);
  if (!isMap(a) || a.H < 2)
    return (
      <div ref={ref}>
        <Unsuited b={b} lacks="has no heads of its own" fits={(x) => isMap(x) && x.H > 1} />
      </div>
    );
  const all = Array.from({ length: a.H }, (_, h) => h),
    active = all.filter((h) => !b.view.muted.includes(h));
  const { lines, total, missing } = strongestLines(b, active, b.view.kept ?? 0.4);
  const { step, size, every } = spacing(b.groups.length),
    top = 26,
    box = Math.max(step, size + 5),
    label = Math.min(150, width * 0.3),
    height = top + step * b.groups.length + 10,
    left = label + 8,
    right = width - label - 8;
  const row = b.view.row ?? b.hover.row,
    key = b.view.row === null && b.hover.row === null ? (b.view.keys[0] ?? b.hover.key) : (b.view.keys[0] ?? null);
  const shown = lines.filter((e) => (row === null || e.r === row) && (key === null || row !== null || e.c === key));
  const peak = Math.max(1e-30, ...lines.slice(0, 1).map((e) => Math.abs(e.v))),
    soft = themed("--soft"),
    ink = themed("--ink"),
    select = themed("--select");
  const y = (i: number) => top + (i + 0.5) * step;
  const toggle = (h: number) => {
    const muted = b.view.muted.includes(h) ? b.view.muted.filter((x) => x !== h) : [...b.view.muted, h];
    if (muted.length < a.H) b.set({ muted });
  };
  // By place, so that a token whose name is left out answers too.
  const under = (event: MouseEvent & { currentTarget: SVGSVGElement }) => {
    const box = event.currentTarget.getBoundingClientRect(),
      x = event.clientX - box.left,
      i = Math.floor((event.clientY - box.top - top) / step);
    if (i < 0 || i >= b.groups.length || (x > left && x < right)) return null;
    return { i, side: x <= left ? "row" : "key" };
  };
  const preview = (event: MouseEvent & { currentTarget: SVGSVGElement }) => {
    const at = under(event);
    b.preview(at?.side === "row" ? at.i : null, at?.side === "key" ? at.i : null);
  };
  const hold = (event: MouseEvent & { currentTarget: SVGSVGElement }) => {
    const at = under(event);
    if (at?.side === "row") b.set({ row: b.view.row === at.i ? null : at.i, keys: [] });
    if (at?.side === "key") b.set({ keys: b.view.keys[0] === at.i ? [] : [at.i] });
  };
  // The chosen one is named always, and those it would run into are not.
  const name = (i: number, x: number, anchor: "start" | "end", chosen: number | null) =>
    i === chosen || (i % every === 0 && (chosen === null || Math.abs(i - chosen) >= every)) ? (
      <text
        x={x}
        y={y(i) + 0.32 * size}
        text-anchor={anchor}
        font-size={size}
        fill={i === chosen ? ink : soft}
        font-weight={i === chosen ? "700" : "400"}
        direction="ltr"
        style={{ cursor: "pointer" }}
      >
        {shownName(b.groups[i].name)}
      </text>
    ) : null;
  return (
    <div ref={ref}>
      <div class="tools">
        <span class="group">
          <span aria-hidden="true">Heads of L{b.layerOf(a)}</span>
          <span class="swatches" role="group" aria-label={`Heads of L${b.layerOf(a)}; double-click shows one alone`}>
            {all.map((h) => (
              <button
                type="button"
                class="swatch"
                aria-pressed={active.includes(h)}
                aria-label={`head ${h}`}
                style={{
                  borderColor: headLook(h).colour,
                  borderStyle: headLook(h).dashes ? "dashed" : "solid",
                  outline: headLook(h).dashes ? `1px solid ${headLook(h).colour}` : undefined,
                  background: active.includes(h) ? headLook(h).colour : "transparent",
                  color: active.includes(h) ? "#fff" : ink,
                }}
                onClick={() => toggle(h)}
                onDblClick={() => {
                  if (solo) {
                    b.set({ muted: solo });
                    setSolo(null);
                  } else {
                    setSolo(b.view.muted);
                    b.set({ muted: all.filter((x) => x !== h) });
                  }
                }}
              >
                {h}
              </button>
            ))}
          </span>
        </span>
        <Kept b={b} kept={b.view.kept ?? 0.4} />
      </div>
      {missing ? (
        <Empty>This layer is on its way …</Empty>
      ) : (
        <div class="scroll tall">
          <svg
            class="figure"
            width={width}
            height={height}
            viewBox={`0 0 ${width} ${height}`}
            role="img"
            font-family="system-ui, sans-serif"
            onMouseMove={preview}
            onMouseLeave={() => b.preview(null, null)}
            onClick={hold}
            aria-label={`Strongest edges of L${b.layerOf(a)}: ${lines
              .slice(0, 5)
              .map((e) => `H${e.h} ${b.groups[e.r].name} reads ${b.groups[e.c].name} ${number(e.v)}`)
              .join("; ")}`}
          >
            <text x={label} y="14" text-anchor="end" font-size="12" fill={soft}>
              reads
            </text>
            <text x={right + 8} y="14" font-size="12" fill={soft}>
              is read
            </text>
            {row !== null ? (
              <rect x="0" y={y(row) - box / 2} width={label + 4} height={box} rx="4" fill="none" stroke={select} stroke-width="1.5" />
            ) : null}
            {key !== null && row === null ? (
              <rect
                x={right + 4}
                y={y(key) - box / 2}
                width={label + 4}
                height={box}
                rx="4"
                fill="none"
                stroke={select}
                stroke-width="1.5"
              />
            ) : null}
            <g fill="none">
              {shown.map((e) => (
                <path
                  data-tip={readsTip(`L${b.layerOf(a)} H${e.h}`, b.groups[e.r].name, b.groups[e.c].name, e.v)}
                  d={`M${left} ${y(e.r)}C${(left + right) / 2} ${y(e.r)} ${(left + right) / 2} ${y(e.c)} ${right} ${y(e.c)}`}
                  stroke={headLook(e.h).colour}
                  stroke-width={(0.5 + (3.5 * Math.abs(e.v)) / peak).toFixed(2)}
                  stroke-dasharray={(e.v < 0 ? negativeDots : headLook(e.h).dashes) || undefined}
                  opacity={(0.15 + (0.75 * Math.abs(e.v)) / peak).toFixed(3)}
                  onMouseMove={(event) =>
                    showTip(
                      `L${b.layerOf(a)} H${e.h}: “${shownName(b.groups[e.r].name)}” reads “${shownName(b.groups[e.c].name)}” ${number(e.v)}`,
                      event,
                    )
                  }
                  onMouseLeave={hideTip}
                />
              ))}
            </g>
            {b.groups.map((_, i) => (
              <>
                {name(i, label, "end", row)}
                {name(i, right + 8, "start", key)}
              </>
            ))}
          </svg>
        </div>
      )}
      <p class="caption num">
        {shown.length.toLocaleString("en")} of {total.toLocaleString("en")} edges drawn{a.H > 10 ? "; dashed: heads from 10 on" : ""}
        {a.signed ? "; dotted: negative" : ""}. Hover a {unitWord(b)} for its edges, click to hold it; click a number to switch a head,
        double-click for it alone.
      </p>
    </div>
  );
}

// The threshold as the share of all weight that is kept: it means the same for every method.
export function Kept({ b, kept }: { b: Bench; kept: number }) {
  return (
    <Slider
      name="Show the strongest"
      label="Share of the weight that is drawn"
      range={[0.05, 0.99, 0.01]}
      value={kept}
      set={(value) => b.set({ kept: value }, false)}
      shown={`${Math.round(100 * kept)} %`}
    />
  );
}
