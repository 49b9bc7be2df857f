// One large map with names on both sides, the selected row and column as profiles on the margins, zoom and pan.
import { useRef, useState } from "preact/hooks";
import type { Bench } from "../bench";
import { correctedPair, isMap, type Attribution } from "../model/attribution";
import { gridMap, type GridMap } from "../model/maps";
import { uprightLetters } from "../model/reading";
import { describe, number, place, rowSums, shownName } from "../model/words";
import { boxOf, drawCells, drawLabels, fillTurned, windowOf, type Box } from "./board";
import { Canvas, Empty, hideTip, Legend, Segments, showTip, themed, Unsuited, useHover, useWidth } from "./parts";

export type Shown = { a: Attribution; map: GridMap | null; difference: boolean };

// The chosen method's map, or of attention how far it differs from what of it the head's output can show.
export function shownMatrix(b: Bench): Shown {
  const a = b.current!,
    pair = correctedPair(b.attributions),
    l = b.layerOf(a),
    h = b.headOf(a);
  if (!pair || (a !== pair.raw && a !== pair.corrected) || b.view.mode === "raw") return { a, map: b.mapOf(a), difference: false };
  const { raw, corrected } = pair,
    x = b.mapOf(raw, l, h),
    y = b.mapOf(corrected, l, h);
  const map =
    x && y
      ? gridMap(
          x.R,
          x.C,
          x.v.map((v, i) => v - y.v[i]),
        )
      : null;
  return { a: { ...raw, name: `${raw.name} − ${corrected.name}`, signed: true }, map, difference: true };
}

// Which of the two methods that is: neither, where another is chosen.
const shownWeights = (b: Bench, raw: Attribution, corrected: Attribution): string | undefined =>
  b.view.mode === "difference" ? "difference" : b.current === raw ? "raw" : b.current === corrected ? "effective" : undefined;

// Highlights and profiles, on a canvas of their own: a moving pointer never draws the cells again.
function Overlay({ b, a, map, box, names }: { b: Bench; a: Attribution; map: GridMap; box: Box; names: string[] }) {
  useHover(b);
  const row = isMap(a) ? (b.hover.row ?? b.rowOf(a)) : 0,
    key = b.hover.key ?? b.view.keys[0] ?? null;
  return (
    <Canvas
      class="over"
      width={box.width}
      height={box.height}
      draw={(g) => {
        const select = themed("--select"),
          right = box.left + box.cell * box.columns,
          bottom = box.top + Math.max(box.cell * box.rows, 18),
          r = row - box.r0,
          c = key === null ? -1 : key - box.c0;
        g.strokeStyle = select;
        g.lineWidth = 1.5;
        const hasRow = isMap(a) && r >= 0 && r < box.rows,
          hasKey = c >= 0 && c < box.columns;
        if (hasRow) g.strokeRect(box.left - 0.5, box.top + r * box.cell - 0.5, box.cell * box.columns, Math.max(2, box.cell));
        if (hasKey) g.strokeRect(box.left + c * box.cell - 0.5, box.top - 0.5, Math.max(2, box.cell), bottom - box.top);
        if (box.margin) {
          const profile = (at: (i: number) => number, n: number, bar: (i: number, part: number, v: number) => void) => {
            let top = 0;
            for (let i = 0; i < n; ++i) {
              const v = Math.abs(at(i));
              if (v > top) top = v;
            }
            for (let i = 0; i < n; ++i) {
              const v = at(i);
              if (v === v && top > 0) bar(i, Math.abs(v) / top, v);
            }
          };
          const against = themed("--against"),
            accent = themed("--accent"),
            plain = themed("--track-strong"),
            fill = (v: number) => (v < 0 ? against : accent);
          profile(
            (i) => map.v[row * map.C + box.c0 + i],
            box.columns,
            (i, p, v) => {
              g.fillStyle = fill(v);
              g.fillRect(box.left + i * box.cell, bottom + 6, Math.max(0.8, box.cell - 1), Math.max(0.5, p * (box.margin - 6)));
            },
          );
          const column = key ?? -1;
          profile(
            (i) => (column >= 0 ? map.v[(box.r0 + i) * map.C + column] : map.sums[box.r0 + i]),
            box.rows,
            (i, p, v) => {
              g.fillStyle = column >= 0 ? fill(v) : plain;
              g.fillRect(right + 6, box.top + i * box.cell, Math.max(0.5, p * (box.margin - 6)), Math.max(0.8, box.cell - 1));
            },
          );
        }
        const mark = (text: string, x: number, y: number, turn: boolean) => {
          g.font = "bold 12px system-ui, sans-serif";
          g.textBaseline = "middle";
          g.textAlign = "right";
          const room = (turn ? box.top : box.left) - 8,
            w = Math.min(g.measureText(text).width * (turn && uprightLetters(text).length ? 1.1 : 1), room) + 4;
          g.fillStyle = themed("--card");
          if (turn) g.fillRect(x - 8, y - w, 16, w + 2);
          else g.fillRect(x - w + 2, y - 8, w + 2, 16);
          g.fillStyle = themed("--ink");
          if (turn) fillTurned(g, text, x, y, room);
          else g.fillText(text, x, y, room);
        };
        if (hasRow) mark(names[row], box.left - 6, box.top + (r + 0.5) * box.cell, false);
        if (hasKey) mark(names[key!], box.left + (c + 0.5) * box.cell, box.top - 6, true);
      }}
    />
  );
}

function Readout({ b, a, map }: { b: Bench; a: Attribution; map: GridMap }) {
  useHover(b);
  const row = isMap(a) ? (b.hover.row ?? b.rowOf(a)) : 0,
    key = b.hover.key ?? b.view.keys[0] ?? null;
  const row_best = () => {
    const order = Array.from({ length: map.C }, (_, c) => c)
      .filter((c) => map.v[row * map.C + c] === map.v[row * map.C + c])
      .sort((x, y) => Math.abs(map.v[row * map.C + y]) - Math.abs(map.v[row * map.C + x]))
      .slice(0, 5);
    return order.map((c) => `“${shownName(b.groups[c].name)}” ${number(map.v[row * map.C + c])}`).join(" · ");
  };
  return (
    <div class="readout" id="readout" role="status" aria-live="polite">
      {key !== null && key >= 0 && key < map.C ? (
        <b>{describe(b, a, map, row, key)}</b>
      ) : (
        <>
          <b>{isMap(a) ? `“${shownName(b.groups[row].name)}” reads most from: ` : "Strongest: "}</b>
          {row_best()}
        </>
      )}
    </div>
  );
}

export function Matrix({ b }: { b: Bench }) {
  const [ref, width] = useWidth(280),
    [zoom, setZoom] = useState(1),
    [origin, setOrigin] = useState<[number, number]>([0, 0]);
  const drag = useRef<{ x: number; y: number; r: number; c: number; moved: boolean } | null>(null);
  const { a, map, difference } = shownMatrix(b),
    both = correctedPair(b.attributions);
  if (!isMap(a) && a.L === 1)
    return (
      <div ref={ref}>
        <Unsuited b={b} lacks={`gives one score per ${b.isImage ? "patch" : "token"} and no map`} fits={(x) => isMap(x) || x.L > 1} />
      </div>
    );
  const names = b.groups.map((x) => shownName(x.name));
  const tools = (
    <div class="tools">
      {both ? (
        <Segments
          label="Weights"
          options={[
            ["raw", "raw"],
            ["effective", "effective"],
            ["difference", "difference"],
          ]}
          chosen={shownWeights(b, both.raw, both.corrected)}
          pick={(mode) =>
            b.set({
              mode: mode === "difference" ? "difference" : "raw",
              method: b.attributions.indexOf(mode === "effective" ? both.corrected : both.raw),
              layers: { ...b.view.layers, ...Object.fromEntries(b.attributions.map((x) => [x.index, b.layerOf(b.current!)])) },
            })
          }
        />
      ) : null}
      <span class="group">
        <span aria-hidden="true">Zoom</span>
        <span class="segments" role="group" aria-label="Zoom">
          <button type="button" aria-label="Zoom out" disabled={zoom <= 1} onClick={() => setZoom(Math.max(1, zoom / 1.5))}>
            −
          </button>
          <button
            type="button"
            aria-label="Whole map"
            onClick={() => {
              setZoom(1);
              setOrigin([0, 0]);
            }}
          >
            {zoom === 1 ? "whole" : zoom.toFixed(1) + "×"}
          </button>
          <button type="button" aria-label="Zoom in" disabled={!map || map.C / zoom <= 6} onClick={() => setZoom(zoom * 1.5)}>
            +
          </button>
        </span>
      </span>
    </div>
  );
  if (!map)
    return (
      <div ref={ref}>
        {tools}
        <Empty>This layer is on its way …</Empty>
      </div>
    );
  const box = boxOf(width, map, names, zoom, origin[0], origin[1]),
    seen = windowOf(map, box),
    scale = difference ? map.peak : b.scaleOf(a, map);
  const at = (e: MouseEvent) => {
    const area = (e.currentTarget as Element).getBoundingClientRect(),
      f = area.width / box.width;
    const c = Math.floor(((e.clientX - area.left) / f - box.left) / box.cell),
      r = map.R > 1 ? Math.floor(((e.clientY - area.top) / f - box.top) / box.cell) : 0;
    return r < 0 || c < 0 || r >= box.rows || c >= box.columns ? null : [r + box.r0, c + box.c0];
  };
  const bound = (x: number, n: number) => Math.min(n - 1, Math.max(0, x));
  return (
    <div ref={ref} class="matrix">
      {tools}
      <div class="scroll">
        <div
          class="stacked"
          style={{ width: box.width + "px", height: box.height + "px" }}
          tabIndex={0}
          role="application"
          aria-label={`${a.name} ${place(b, b.current!)}, ${map.R} by ${map.C} weights. Arrow keys move the selection; the reading is announced below.`}
          onMouseMove={(e) => {
            const d = drag.current;
            if (d && zoom > 1 && e.buttons === 1) {
              const moved = [Math.round((d.y - e.clientY) / box.cell), Math.round((d.x - e.clientX) / box.cell)];
              if (moved[0] || moved[1]) {
                d.moved = true;
                setOrigin([bound(d.r + moved[0], map.R), bound(d.c + moved[1], map.C)]);
              }
              return;
            }
            const p = at(e);
            if (p) {
              b.preview(isMap(a) ? p[0] : null, p[1]);
              showTip(describe(b, a, map, p[0], p[1]), e);
            } else {
              hideTip();
              b.preview(null, null);
            }
          }}
          onMouseDown={(e) => {
            drag.current = { x: e.clientX, y: e.clientY, r: box.r0, c: box.c0, moved: false };
          }}
          onMouseLeave={() => {
            hideTip();
            b.preview(null, null);
            drag.current = null;
          }}
          onClick={(e) => {
            const moved = drag.current?.moved;
            drag.current = null;
            const p = at(e);
            if (p && !moved) b.set({ row: isMap(a) ? p[0] : null, keys: [p[1]] });
          }}
          onWheel={(e) => {
            if (e.ctrlKey) {
              e.preventDefault();
              const p = at(e),
                z = Math.max(1, Math.min(map.C / 6, zoom * (e.deltaY < 0 ? 1.25 : 0.8)));
              if (p) setOrigin([Math.round(p[0] - map.R / z / 2), Math.round(p[1] - map.C / z / 2)]);
              setZoom(z);
            }
          }}
          onKeyDown={(e) => {
            const steps: Record<string, [number, number]> = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] },
              step = steps[e.key];
            if (!step) return;
            e.preventDefault();
            const row = bound((b.view.row ?? b.rowOf(a)) + step[0], map.R),
              key = bound((b.view.keys[0] ?? 0) + step[1], map.C);
            b.set({ row: isMap(a) ? row : null, keys: [key] }, false);
            if (row < box.r0 || row >= box.r0 + box.rows || key < box.c0 || key >= box.c0 + box.columns)
              setOrigin([row - (box.rows >> 1), key - (box.columns >> 1)]);
          }}
        >
          <Canvas
            width={box.width}
            height={box.height}
            draw={(g) => {
              drawCells(g, b, box, seen, scale);
              drawLabels(g, box, names, map.R > 1);
            }}
          />
          <Overlay b={b} a={a} map={map} box={box} names={names} />
        </div>
      </div>
      <Readout b={b} a={a} map={map} />
      <Legend
        b={b}
        a={a}
        high={number(scale)}
        holes={map.holes}
        what={difference ? "difference" : b.shares(a) ? "one scale for all layers" : "this map's own scale"}
        raw={
          `raw ${number(map.min)} … ${number(map.max)}, ${rowSums(map.lowest, map.highest, a.digits)}` +
          (map.peak < 1e-6 ? "; nearly nothing: colours say little" : "")
        }
      />
      <p class="caption">
        Below: the row's weights. Right: the column's, or without one the rows' sums.
        {b.view.words ? " Words: sum over keys, mean over queries." : ""}
        {b.view.special === "hide"
          ? " Special tokens hidden, rows not rescaled."
          : b.view.special === "drop"
            ? " Special tokens dropped; rows that summed to 1 do again."
            : ""}
      </p>
    </div>
  );
}
