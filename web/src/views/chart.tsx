// A small line chart with its numbers as text for whoever cannot see it.
import { categories } from "../model/colour";
import { number } from "../model/words";
import { hideTip, showTip, themed } from "./parts";

export interface Series {
  name: string;
  values: (number | null)[];
  low?: (number | null)[];
  high?: (number | null)[];
  shares?: number[]; // where each stands on an axis from 0 to 100 %, instead of at equal steps
  plain?: boolean; // what the others are compared with
  tip?: (i: number, v: number) => string;
}

// Lines are told apart by their marks too, never by colour alone.
const outlines = ["", "M-3-3L3-3L3 3L-3 3Z", "M0-4L4 3L-4 3Z", "M0-4.2L4.2 0L0 4.2L-4.2 0Z"];
function Mark({ k, x, y, fill, ...rest }: { k: number; x: number; y: number; fill: string } & Record<string, unknown>) {
  const d = outlines[k % outlines.length].replace(
    /(-?[\d.]+)[ ]?(-?[\d.]+)/g,
    (_, dx, dy) => `${(x + +dx).toFixed(1)} ${(y + +dy).toFixed(1)}`,
  );
  return d ? <path d={d} fill={fill} {...rest} /> : <circle cx={x} cy={y} r="3.2" fill={fill} {...rest} />;
}
const inkOf = (s: Series, k: number) => (s.plain ? themed("--soft") : categories[k % categories.length]);
const dashOf = (s: Series) => (s.plain ? "6 4" : undefined);
const fifths = [0, 0.2, 0.4, 0.6, 0.8, 1];

export function Chart({
  series,
  x,
  range,
  width = 300,
  height = 130,
  mark,
  label,
}: {
  series: Series[];
  x: string[];
  range?: [number, number];
  width?: number;
  height?: number;
  mark?: number;
  label: string;
}) {
  const known = series.flatMap((s) => [...s.values, ...(s.low ?? []), ...(s.high ?? [])]).filter((v): v is number => v !== null && v === v);
  if (known.length === 0) return <p class="soft">no value is defined</p>;
  const bottom = 20,
    top = 8,
    low = range ? range[0] : Math.min(0, ...known),
    high = range ? range[1] : Math.max(...known, low),
    span = high - low || 1,
    levels = [low, (low + high) / 2, high].map((v) => ({
      v,
      name: Math.abs(v) >= 0.01 || v === 0 ? v.toFixed(2).replace("-", "−") : number(v),
    })),
    left = Math.max(50, 12 + 6.6 * Math.max(...levels.map((l) => l.name.length)));
  const across = (share: number) => left + share * (width - left - 20),
    step = (i: number) => (x.length > 1 ? across(i / (x.length - 1)) : left + (width - left) / 2),
    at = (s: Series, i: number) => (s.shares ? across(s.shares[i]) : step(i)),
    ticks = series.some((s) => s.shares)
      ? fifths.map((f) => ({ x: across(f), name: `${Math.round(100 * f)} %` }))
      : x.map((name, i) => ({ x: step(i), name })),
    y = (v: number) => top + ((high - v) * (height - top - bottom)) / span;
  const soft = themed("--soft"),
    line = themed("--line");
  const path = (s: Series, values: (number | null)[]) => {
    let d = "",
      pen = "M";
    values.forEach((v, i) => {
      if (v === null || v !== v) {
        pen = "M";
        return;
      }
      d += pen + at(s, i).toFixed(1) + " " + y(v).toFixed(1);
      pen = "L";
    });
    return d;
  };
  const every = Math.max(1, Math.ceil((ticks.length * 26) / (width - left)));
  return (
    <div class="chart-box">
      <svg
        class="chart figure"
        viewBox={`0 0 ${width} ${height}`}
        style={{ maxWidth: width + "px" }}
        role="img"
        font-family="system-ui, sans-serif"
        aria-label={`${label}. ${series.map((s) => `${s.name}: ${s.values.map((v) => number(v)).join(", ")}`).join("; ")}`}
      >
        {levels.map(({ v, name }) => (
          <>
            <line x1={left} x2={width - 10} y1={y(v)} y2={y(v)} stroke={line} />
            <text x={left - 6} y={y(v) + 4} text-anchor="end" font-size="10.5" fill={soft}>
              {name}
            </text>
          </>
        ))}
        {ticks.map(({ x, name }, i) =>
          i % every ? null : (
            <text x={x} y={height - 5} text-anchor="middle" font-size="10.5" fill={soft}>
              {name}
            </text>
          ),
        )}
        {mark !== undefined ? (
          <line x1={step(mark)} x2={step(mark)} y1={top} y2={height - bottom} stroke={themed("--select")} stroke-dasharray="3 3" />
        ) : null}
        {series.map((s, k) =>
          s.low && s.high ? (
            <path
              d={
                path(s, s.high) +
                [...s.low]
                  .map((v, i) => [v, i] as const)
                  .reverse()
                  .filter(([v]) => v !== null)
                  .map(([v, i]) => `L${at(s, i).toFixed(1)} ${y(v!).toFixed(1)}`)
                  .join("") +
                "Z"
              }
              fill={inkOf(s, k)}
              opacity="0.14"
            />
          ) : null,
        )}
        {series.map((s, k) => (
          <>
            <path d={path(s, s.values)} fill="none" stroke={inkOf(s, k)} stroke-width="2" stroke-dasharray={dashOf(s)} />
            {s.values.map((v, i) => {
              if (v === null || v !== v) return null;
              const tip = s.tip?.(i, v) ?? `${s.name}, ${x[i]}: ${number(v)}`;
              return (
                <Mark
                  k={k}
                  x={at(s, i)}
                  y={y(v)}
                  fill={inkOf(s, k)}
                  data-tip={tip}
                  onMouseMove={(e: MouseEvent) => showTip(tip, e)}
                  onMouseLeave={hideTip}
                />
              );
            })}
          </>
        ))}
      </svg>
      {series.length > 1 ? (
        <div class="legend">
          {series.map((s, k) => (
            <span class="scale">
              <svg width="22" height="10" aria-hidden="true">
                <line x1="0" x2="22" y1="5" y2="5" stroke={inkOf(s, k)} stroke-width="2" stroke-dasharray={dashOf(s)} />
                <Mark k={k} x={11} y={5} fill={inkOf(s, k)} />
              </svg>
              {s.name}
            </span>
          ))}
        </div>
      ) : null}
    </div>
  );
}
