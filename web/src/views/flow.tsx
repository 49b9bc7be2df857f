// Tokens × layers: where the chosen output comes from, traced back layer by layer.
import { useEffect, useState } from "preact/hooks";
import type { Bench } from "../bench";
import { isMap, type Attribution } from "../model/attribution";
import { flowFrom, keptEdges, stagesOf, type Edge, type Flow as Graph, type Stage } from "../model/flow";
import { strongest, type GridMap } from "../model/maps";
import { uprightLetters } from "../model/reading";
import { givesTip, readsTip } from "../model/tips";
import { percent, shownName } from "../model/words";
import { Kept, most_edges } from "./heads";
import { Empty, hideTip, Segments, showTip, themed, TurnedName, useWidth } from "./parts";

// The method whose maps are followed: the chosen one if each of its layers stands for itself.
export function flowMethod(b: Bench): Attribution | null {
  const fits = (a: Attribution) => isMap(a) && a.layered && a.traits.by_layer,
    whole = (a: Attribution) => fits(a) && !a.traits.of_target && !a.traits.attention_alone;
  return b.current && fits(b.current) ? b.current : (b.attributions.find(whole) ?? b.attributions.find(fits) ?? null);
}
// Attention says nothing of the residual path, so half is given to it, as attention rollout does; maps of whole blocks have it inside.
export const residualOf = (b: Bench, a: Attribution) => b.view.residual ?? (a.traits.attention_alone ? 0.5 : 0);

export const keptOf = (b: Bench) => b.view.kept ?? 0.8;

export interface Drawn {
  a: Attribution;
  stages: Stage[];
  graph: Graph;
  edges: Edge[];
  row: number;
  missing: boolean;
}
export function drawnFlow(b: Bench): Drawn | null {
  const a = flowMethod(b);
  if (!a) return null;
  const maps: GridMap[] = [],
    head = a === b.current ? b.headOf(a) : a.H > 1 ? -1 : 0;
  for (let l = 0; l < a.L; ++l) {
    const m = b.mapOf(a, l, head);
    if (m) maps.push(m);
  }
  const row = b.view.row ?? b.defaultRow,
    stacks = b.data.model.stacks;
  if (maps.length < a.L)
    return { a, stages: [], graph: { edges: [], total: 0, reached: new Float64Array(0), levels: 0 }, edges: [], row, missing: true };
  const stages = stagesOf(
    maps,
    maps.map((_, l) => "L" + l),
    b.splitGroup,
    [stacks?.[0]?.layers ?? a.L, stacks?.[1]?.layers ?? a.L],
  );
  const graph = flowFrom(stages, row, residualOf(b, a));
  return { a, stages, graph, edges: keptEdges(graph, keptOf(b), most_edges), row, missing: false };
}

const reduced = () => typeof matchMedia === "function" && matchMedia("(prefers-reduced-motion: reduce)").matches;

export interface FlowBox {
  width: number;
  height: number;
  shown: number[];
  x: (g: number) => number;
  y: (level: number) => number;
  step: number;
  turned: boolean;
}
export function flowBox(b: Bench, drawn: Drawn, width: number): FlowBox {
  const touched = new Set<number>([drawn.row]);
  for (const e of drawn.edges) {
    touched.add(e.from);
    touched.add(e.to);
  }
  const shown = b.groups.map((_, g) => g).filter((g) => b.groups.length <= 40 || touched.has(g));
  const left = 58,
    step = Math.max(8, (width - left - 12) / shown.length),
    turned = step < 58,
    longest = Math.max(
      ...shown.map((g) => {
        const name = shownName(b.groups[g].name, 14);
        return Math.min(14, 1.8 * uprightLetters(name).length || [...name].length);
      }),
    ),
    level = drawn.graph.levels > 9 ? 40 : 58,
    place = new Map(shown.map((g, i) => [g, i]));
  return {
    width: Math.max(width, left + step * shown.length + 12),
    height: 34 + level * (drawn.graph.levels - 1) + 52 + (turned ? 12 + 7 * longest : 26),
    shown,
    step,
    turned,
    x: (g) => left + ((place.get(g) ?? 0) + 0.5) * step,
    y: (l) => 24 + level * (drawn.graph.levels - 1 - l),
  };
}

export function edgePath(box: FlowBox, e: Edge): string {
  const x0 = box.x(e.from),
    y0 = box.y(e.upper),
    x1 = box.x(e.to),
    y1 = box.y(e.lower),
    m = (y0 + y1) / 2;
  return `M${x0.toFixed(1)} ${y0.toFixed(1)}C${x0.toFixed(1)} ${m.toFixed(1)} ${x1.toFixed(1)} ${m.toFixed(1)} ${x1.toFixed(1)} ${y1.toFixed(1)}`;
}

export function Flow({ b }: { b: Bench }) {
  const [ref, width] = useWidth(300),
    [until, setUntil] = useState(-1),
    [playing, setPlaying] = useState(false);
  const drawn = drawnFlow(b),
    levels = drawn?.stages.length ?? 0;
  useEffect(() => {
    if (!playing) return;
    const timer = setInterval(
      () =>
        setUntil((u) => {
          if (u <= 0) {
            setPlaying(false);
            return -1;
          }
          return u - 1;
        }),
      800,
    );
    return () => clearInterval(timer);
  }, [playing]);
  if (!drawn)
    return (
      <div ref={ref}>
        <Empty>
          No method here has a map of its own per layer; add one that has, to follow the flow. Rollouts are already carried through the
          layers.
        </Empty>
      </div>
    );
  if (drawn.missing)
    return (
      <div ref={ref}>
        <Empty>The layers are on their way …</Empty>
      </div>
    );
  const { a, graph, row } = drawn,
    box = flowBox(b, drawn, width),
    edges = drawn.edges.filter((e) => until < 0 || e.stage >= until);
  const ink = themed("--ink"),
    soft = themed("--soft"),
    line = themed("--line"),
    accent = themed("--accent"),
    against = themed("--against"),
    select = themed("--select");
  const mass = new Map<string, number>();
  for (const e of graph.edges) {
    const id = e.lower + "/" + e.to;
    mass.set(id, (mass.get(id) ?? 0) + e.weight);
  }
  const nodes = new Set<string>();
  for (const e of edges) {
    nodes.add(e.upper + "/" + e.from);
    nodes.add(e.lower + "/" + e.to);
  }
  const top = Math.max(...graph.reached, 1e-30),
    best = strongest(graph.reached, 5).filter((s) => s.value > 0),
    start = Math.max(...edges.map((e) => e.upper), 0);
  const play = () => {
    if (reduced()) {
      setUntil(until < 0 ? levels - 1 : until === 0 ? -1 : until - 1);
      return;
    }
    if (playing) {
      setPlaying(false);
      setUntil(-1);
    } else {
      setUntil(levels - 1);
      setPlaying(true);
    }
  };
  const pick = (g: number) => b.set({ row: b.view.row === g ? null : g, keys: [] });
  return (
    <div ref={ref}>
      <div class="tools">
        <Kept b={b} kept={keptOf(b)} />
        <Segments
          label="Count each token's own path"
          options={[
            [0, "no"],
            [0.5, "half"],
          ]}
          chosen={residualOf(b, a)}
          pick={(residual) => b.set({ residual })}
        />
        <button type="button" onClick={play} aria-label={playing ? "Stop" : reduced() ? "Step one layer back" : "Play layer by layer"}>
          {playing ? "■ Stop" : reduced() ? "▸ Step" : "▶ Play"}
        </button>
        {until >= 0 ? (
          <span class="soft num" role="status">
            down to {drawn.stages[until]?.name}
          </span>
        ) : null}
      </div>
      <div class="scroll">
        <svg
          class="figure"
          width={box.width}
          height={box.height}
          viewBox={`0 0 ${box.width} ${box.height}`}
          role="img"
          font-family="system-ui, sans-serif"
          aria-label={`What reaches “${b.groups[row].name}” by ${a.name}: ${best.map((s) => `${b.groups[s.index].name} ${percent(s.value)}`).join(", ")}`}
        >
          {drawn.stages.map((s) => (
            <>
              <line x1="50" x2={box.width - 6} y1={box.y(s.level)} y2={box.y(s.level)} stroke={line} />
              <text x="46" y={box.y(s.level) + 4} text-anchor="end" font-size="11" fill={soft}>
                {s.name.replace("encoder", "enc").replace("decoder", "dec")}
              </text>
            </>
          ))}
          <line x1="50" x2={box.width - 6} y1={box.y(0)} y2={box.y(0)} stroke={line} />
          <text x="46" y={box.y(0) + 4} text-anchor="end" font-size="11" fill={soft}>
            input
          </text>
          <g fill="none">
            {edges.map((e) => (
              <path
                data-tip={readsTip(drawn.stages[e.stage].name, b.groups[e.from].name, b.groups[e.to].name, e.weight)}
                d={edgePath(box, e)}
                stroke={e.sign < 0 ? against : accent}
                stroke-width={(0.6 + 7 * Math.sqrt(e.weight)).toFixed(2)}
                stroke-dasharray={e.sign < 0 ? "5 3" : undefined}
                opacity={(0.22 + 0.68 * Math.sqrt(e.weight)).toFixed(3)}
                style={{ cursor: "pointer" }}
                onMouseMove={(event) =>
                  showTip(
                    `${drawn.stages[e.stage].name}: “${shownName(b.groups[e.from].name)}” takes ${percent(e.weight)} of the output from “${shownName(b.groups[e.to].name)}”`,
                    event,
                  )
                }
                onMouseLeave={hideTip}
                onClick={() => {
                  const l = Number(drawn.stages[e.stage].name.replace(/\D/g, ""));
                  b.set({ method: a.index, layers: { ...b.view.layers, [a.index]: l }, row: e.from, keys: [e.to] });
                }}
              />
            ))}
          </g>
          {[...nodes].map((id) => {
            const [l, g] = id.split("/").map(Number),
              m = l === start && g === row ? 1 : (mass.get(id) ?? 0);
            return (
              <circle
                cx={box.x(g)}
                cy={box.y(l)}
                r={(2 + 5 * Math.sqrt(Math.min(1, m))).toFixed(1)}
                fill={g === row ? select : ink}
                stroke={themed("--card")}
                stroke-width="1"
                onMouseMove={(event) =>
                  showTip(
                    `“${shownName(b.groups[g].name)}” ${l === 0 ? "at the input" : `after ${drawn.stages.find((s) => s.level === l)?.name}`}: ${percent(m)} of the output passes here`,
                    event,
                  )
                }
                onMouseLeave={hideTip}
              />
            );
          })}
          {box.shown.map((g, place) => {
            const x = box.x(g),
              every = Math.ceil(13 / box.step), // as many names as have room
              y = box.y(0) + 16,
              h = (30 * graph.reached[g]) / top,
              at = y + 38;
            return (
              <g
                style={{ cursor: "pointer" }}
                onClick={() => pick(g)}
                onMouseMove={(event) =>
                  showTip(
                    `“${shownName(b.groups[g].name)}” gives ${percent(graph.reached[g])} of what reaches “${shownName(b.groups[row].name)}”; click to trace this token`,
                    event,
                  )
                }
                onMouseLeave={hideTip}
              >
                <rect
                  data-tip={givesTip(b.groups[g].name, graph.reached[g])}
                  x={x - Math.min(9, box.step * 0.35)}
                  y={y + 30 - h}
                  width={Math.min(18, box.step * 0.7)}
                  height={Math.max(0, h)}
                  fill={accent}
                  opacity={until > 0 ? 0.15 : 0.85}
                />
                {box.turned && place % every && g !== row ? null : box.turned ? (
                  <TurnedName x={x} y={at} name={shownName(b.groups[g].name, 14)} fill={g === row ? ink : soft} bold={g === row} />
                ) : (
                  <text
                    x={x}
                    y={at + 12}
                    text-anchor="middle"
                    font-size="12"
                    fill={g === row ? ink : soft}
                    font-weight={g === row ? "700" : "400"}
                  >
                    {shownName(b.groups[g].name, 12)}
                  </text>
                )}
              </g>
            );
          })}
        </svg>
      </div>
      <p class="caption num">
        {edges.length.toLocaleString("en")} of {graph.total.toLocaleString("en")} edges: the strongest that carry {percent(keptOf(b))} of
        each layer. Traced by {a.name}
        {a === b.current ? "" : ` (the chosen method has no map of its own per layer)`} from “{shownName(b.groups[row].name)}”. Bars: what
        each {b.isImage ? "patch" : "token"} gives.
      </p>
      <p class="summary">
        What reaches “{shownName(b.groups[row].name)}”:{" "}
        {best.map((s) => `“${shownName(b.groups[s.index].name)}” ${percent(s.value)}`).join(", ")}.
      </p>
    </div>
  );
}
