// Encoder–decoders: who reads whom, in three maps, each on its own scale: source by source, output by source, output by output.
import type { Bench } from "../bench";
import { isMap } from "../model/attribution";
import { gridMap, type GridMap } from "../model/maps";
import { describe, number, rowSums, shownName } from "../model/words";
import { fillTurned } from "./board";
import { Canvas, Empty, hatch, hideTip, Legend, showTip, themed, Unsuited, useHover, useWidth } from "./parts";
import { drawMap } from "./thumbnail";

interface Block {
  name: string;
  r0: number;
  c0: number;
  rows: number;
  columns: number;
  map: GridMap;
}

export function blocksOf(b: Bench, map: GridMap): Block[] {
  const s = b.splitGroup,
    n = b.groups.length;
  const cut = (name: string, r0: number, c0: number, rows: number, columns: number): Block => {
    const v = new Float32Array(rows * columns);
    for (let r = 0; r < rows; ++r) for (let c = 0; c < columns; ++c) v[r * columns + c] = map.v[(r0 + r) * map.C + c0 + c];
    return { name, r0, c0, rows, columns, map: gridMap(rows, columns, v) };
  };
  return [
    cut("source reads source (encoder)", 0, 0, s, s),
    cut("output reads source (cross)", s, 0, n - s, s),
    cut("output reads output (decoder)", s, s, n - s, n - s),
  ].filter((x) => x.rows > 0 && x.columns > 0 && x.map.min === x.map.min);
}

// What the longest name needs, within reason: longer ones are drawn narrower.
function labelRoom(b: Bench, from: number, count: number): number {
  const g = document.createElement("canvas").getContext("2d")!;
  g.font = "bold 12px system-ui, sans-serif";
  const names = b.groups.slice(from, from + Math.min(count, 600)).map((x) => g.measureText(shownName(x.name)).width);
  return Math.min(86, Math.max(20, ...names) + 12);
}

function Map({ b, block, scale, cell }: { b: Bench; block: Block; scale: number; cell: number }) {
  useHover(b);
  const a = b.current!,
    whole = b.mapOf(a)!,
    label = labelRoom(b, block.r0, block.rows),
    top = labelRoom(b, block.c0, block.columns),
    w = label + cell * block.columns + 2,
    h = top + cell * block.rows + 2;
  const row = (b.hover.row ?? b.rowOf(a)) - block.r0,
    key = (b.hover.key ?? b.view.keys[0] ?? -1) - block.c0;
  const at = (e: MouseEvent) => {
    const box = (e.currentTarget as Element).getBoundingClientRect(),
      c = Math.floor((e.clientX - box.left - label) / cell),
      r = Math.floor((e.clientY - box.top - top) / cell);
    return r < 0 || c < 0 || r >= block.rows || c >= block.columns ? null : [r + block.r0, c + block.c0];
  };
  return (
    <figure>
      <figcaption>{block.name}</figcaption>
      <Canvas
        width={w}
        height={h}
        label={`${block.name}: ${block.rows} by ${block.columns} weights, ${number(block.map.min)} to ${number(block.map.max)}`}
        onMouseMove={(e) => {
          const p = at(e);
          if (p) {
            b.preview(p[0], p[1]);
            showTip(describe(b, a, whole, p[0], p[1]), e);
          }
        }}
        onMouseLeave={() => {
          hideTip();
          b.preview(null, null);
        }}
        onClick={(e) => {
          const p = at(e);
          if (p) b.set({ row: p[0], keys: [p[1]] });
        }}
        draw={(g) => {
          g.fillStyle = hatch(g);
          g.fillRect(label, top, cell * block.columns, cell * block.rows);
          drawMap(g, block.map, scale, b.tone, label, top, cell * block.columns, cell * block.rows);
          g.font = "12px system-ui, sans-serif";
          g.textBaseline = "middle";
          for (let i = 0; i < block.rows; ++i) {
            g.textAlign = "right";
            g.fillStyle = themed(i === row ? "--ink" : "--soft");
            g.fillText(shownName(b.groups[block.r0 + i].name), label - 6, top + (i + 0.5) * cell, label - 8);
          }
          for (let i = 0; i < block.columns; ++i) {
            g.fillStyle = themed(i === key ? "--ink" : "--soft");
            fillTurned(g, shownName(b.groups[block.c0 + i].name), label + (i + 0.5) * cell, top - 6, top - 8);
          }
          g.strokeStyle = themed("--select");
          g.lineWidth = 1.5;
          if (row >= 0 && row < block.rows) g.strokeRect(label, top + row * cell, cell * block.columns, cell);
          if (key >= 0 && key < block.columns) g.strokeRect(label + key * cell, top, cell, cell * block.rows);
        }}
      />
    </figure>
  );
}

export function Blocks({ b }: { b: Bench }) {
  const [ref, width] = useWidth(280),
    a = b.current!,
    map = b.mapOf(a);
  if (!isMap(a))
    return (
      <div ref={ref}>
        <Unsuited b={b} lacks="gives one score per token and no map" fits={isMap} />
      </div>
    );
  if (!map)
    return (
      <div ref={ref}>
        <Empty>This layer is on its way …</Empty>
      </div>
    );
  const blocks = blocksOf(b, map),
    widest = Math.max(...blocks.map((x) => x.columns));
  const cell = Math.max(
    4,
    Math.min(30, Math.floor(((width - 40) / Math.min(2, blocks.length) - labelRoom(b, 0, b.groups.length)) / widest)),
  );
  return (
    <div ref={ref}>
      <div class={"pictures" + (blocks.length === 3 ? " triple" : "")}>
        {blocks.map((block) => (
          <Map b={b} block={block} scale={block.map.peak} cell={cell} />
        ))}
      </div>
      <Legend b={b} a={a} high="each map's own maximum" what="" raw={`raw ${number(map.min)} … ${number(map.max)}`} holes />
      <p class="summary">
        {blocks.map((x) => `${x.name}: ${number(x.map.min)} … ${number(x.map.max)}, ${rowSums(x.map.lowest, x.map.highest, 3)}`).join(". ")}
        .
      </p>
    </div>
  );
}
