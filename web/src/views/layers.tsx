// Small multiples: one map per layer on a shared scale, or every head of every layer.
import type { Bench } from "../bench";
import { isMap, type Attribution } from "../model/attribution";
import { strongestPairs, type GridMap } from "../model/maps";
import { number, placeName, rowSums, shownName, unitWord } from "../model/words";
import { Canvas, hatch, hideTip, Legend, moveFocus, Segments, showTip, themed, Unsuited, useHover, useWidth } from "./parts";
import { drawMap } from "./thumbnail";

// So many in a row that the last row is not left nearly empty.
export const evenRows = (n: number, most: number) => Math.ceil(n / Math.ceil(n / most));
const range = (n: number) => Array.from({ length: n }, (_, i) => i);

function strongestText(b: Bench, a: Attribution, map: GridMap): string {
  const best = strongestPairs(map, 1)[0];
  if (!best) return "";
  const key = shownName(b.groups[best.key].name),
    value = number(best.value);
  return isMap(a) ? `strongest: “${shownName(b.groups[best.row].name)}” reads “${key}” ${value}` : `strongest: “${key}” ${value}`;
}

// The hovered or locked row and column as lines over a thumbnail: the same place in every layer.
function Marks({ b, map, size, tall }: { b: Bench; map: GridMap; size: number; tall: number }) {
  useHover(b);
  const a = b.current!,
    row = isMap(a) ? (b.hover.row ?? b.view.row) : null,
    key = b.hover.key ?? b.view.keys[0] ?? null;
  if (row === null && key === null) return null;
  return (
    <Canvas
      class="marks"
      width={size}
      height={tall}
      draw={(g) => {
        g.strokeStyle = themed("--select");
        g.lineWidth = 1;
        const h = tall / map.R,
          w = size / map.C;
        if (row !== null && row < map.R) g.strokeRect(0.5, row * h, size - 1, Math.max(1, h));
        if (key !== null && key >= 0 && key < map.C) g.strokeRect(key * w, 0.5, Math.max(1, w), tall - 1);
      }}
    />
  );
}

function Thumb({ b, a, l, h, size }: { b: Bench; a: Attribution; l: number; h: number; size: number }) {
  const map = b.mapOf(a, l, h),
    tall = isMap(a) ? size : 18,
    name = placeName(a, l, h);
  const chosen = l === b.layerOf(a) && (a.H === 1 || h === b.headOf(a));
  const scale = map ? (b.view.allHeads ? (b.shares(a) ? allPeak(b, a) : map.peak) : b.scaleOf(a, map, h)) : 0;
  return (
    <button
      type="button"
      class="thumb"
      aria-pressed={chosen}
      tabIndex={chosen ? 0 : -1}
      data-at={`${l},${h}`}
      aria-label={map ? `${name}, largest weight ${number(map.max)}; ${size > 80 ? strongestText(b, a, map) : ""}` : `${name}, on its way`}
      style={{ width: size + 2 + "px", height: tall + 2 + "px" }}
      onClick={() => b.setPlace(l, h)}
      onDblClick={() => b.set({ tab: "matrix" })}
      onMouseLeave={() => {
        hideTip();
        b.preview(null, null);
      }}
      onMouseMove={(e) => {
        if (!map) return;
        const box = e.currentTarget.getBoundingClientRect(),
          c = Math.floor(((e.clientX - box.left) / box.width) * map.C),
          r = Math.floor(((e.clientY - box.top) / box.height) * map.R);
        if (r < 0 || c < 0 || r >= map.R || c >= map.C) return;
        b.preview(isMap(a) ? r : null, c);
        const v = map.v[r * map.C + c],
          key = shownName(b.groups[c].name);
        showTip(
          `${name}: ${isMap(a) ? `“${shownName(b.groups[r].name)}” reads “${key}”` : `“${key}”`} ${number(v)} · map ${number(map.min)} … ${number(map.max)}`,
          e,
        );
      }}
    >
      <Canvas
        width={size}
        height={tall}
        draw={(g) => {
          g.fillStyle = hatch(g);
          g.fillRect(0, 0, size, tall);
          if (map) drawMap(g, map, scale, b.tone, 0, 0, size, tall);
        }}
      />
      {map && !b.view.allHeads ? <Marks b={b} map={map} size={size} tall={tall} /> : null}
    </button>
  );
}

// One scale for every head of every layer.
export function allPeak(b: Bench, a: Attribution): number {
  let peak = 0;
  for (let h = -1; h < a.H; ++h) peak = Math.max(peak, b.maps.peak(a, h));
  return peak;
}

export function Layers({ b }: { b: Bench }) {
  const a = b.current!,
    [ref, width] = useWidth(260);
  if (a.L * a.H === 1)
    return (
      <div ref={ref}>
        <Unsuited b={b} lacks={`gives one score per ${b.isImage ? "patch" : "token"} and no map per layer`} fits={(x) => x.L * x.H > 1} />
      </div>
    );
  const all = b.view.allHeads && a.H > 1,
    heads = all ? [-1, ...range(a.H)] : [b.headOf(a)],
    gap = 16; // of .grid
  const perRow = all ? heads.length : isMap(a) ? evenRows(a.L, Math.max(2, Math.min(4, Math.floor((width + gap) / (190 + gap))))) : 1;
  const size = all
    ? Math.max(24, Math.min(72, Math.floor((width - 34) / perRow) - 5))
    : Math.max(60, Math.min(isMap(a) ? 300 : 620, Math.floor((width - 6 + gap) / perRow) - gap - 2));
  const blank = b.view.shared === null ? b.blankLayer(a) : -1;
  const maps = range(a.L).map((l) => b.mapOf(a, l, b.headOf(a))),
    known = maps.filter((m): m is GridMap => m !== null);
  const holes = known.some((m) => m.holes);
  return (
    <div ref={ref} class="layers">
      <div class="tools">
        {a.H > 1 ? (
          <Segments
            label="Show"
            options={[
              [false, "layers"],
              [true, "layers × heads"],
            ]}
            chosen={b.view.allHeads}
            pick={(v) => b.set({ allHeads: v })}
          />
        ) : null}
        <Segments
          label="Scale"
          options={[
            [true, "shared"],
            [false, "own"],
          ]}
          chosen={b.shares(a)}
          pick={(v) => b.set({ shared: v })}
        />
      </div>
      <div
        class={"grid" + (all ? " dense" : "")}
        role="group"
        aria-label={all ? "Maps by layer and head" : "Maps by layer"}
        style={{ gridTemplateColumns: (all ? "26px " : "") + `repeat(${perRow}, ${size + 2}px)` }}
        onKeyDown={(e) => {
          moveFocus(e, [...e.currentTarget.querySelectorAll<HTMLElement>(".thumb")], perRow);
        }}
      >
        {all ? [<span />, ...heads.map((h) => <span class="axis">{h < 0 ? "mean" : "H" + h}</span>)] : null}
        {range(a.L).map((l) =>
          all ? (
            [<span class="axis side">L{l}</span>, ...heads.map((h) => <Thumb b={b} a={a} l={l} h={h} size={size} />)]
          ) : (
            <div>
              <Thumb b={b} a={a} l={l} h={heads[0]} size={size} />
              <div class="axis">
                L{l} <span class="soft">max {number(maps[l]?.max)}</span>
              </div>
            </div>
          ),
        )}
      </div>
      <p class="caption">
        {isMap(a) ? `Row: the ${unitWord(b)} being written. Column: what it reads. ` : `Column: the ${unitWord(b)}. `}
        {b.shares(a)
          ? "One scale for all maps."
          : "Every map on its own scale" + (blank >= 0 ? `: on a common one ${placeName(a, blank, b.headOf(a))} would be blank.` : ".")}
      </p>
      <Legend
        b={b}
        a={a}
        high={b.shares(a) ? number(all ? allPeak(b, a) : b.maps.peak(a, b.headOf(a))) : "each map's own maximum"}
        what={placeName(a, 0, b.headOf(a)).replace(/^L0 ?/, "")}
        holes={holes}
        raw={
          known.length
            ? `raw ${number(Math.min(...known.map((m) => m.min)))} … ${number(Math.max(...known.map((m) => m.max)))}, ${rowSums(Math.min(...known.map((m) => m.lowest)), Math.max(...known.map((m) => m.highest)), a.digits)}`
            : undefined
        }
      />
      <p class="summary hidden">
        {known.length
          ? maps
              .map((m, l) => (m ? `L${l} ${strongestText(b, a, m)}` : ""))
              .filter(Boolean)
              .slice(0, 24)
              .join(". ") + "."
          : "On its way."}
      </p>
    </div>
  );
}
