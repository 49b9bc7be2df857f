// A small line chart with its numbers as text for whoever cannot see it.
import { categories } from "../model/colour";
import { number } from "../model/words";
import { hideTip, showTip, themed } from "./parts";

export interface Series {
  name: string;
  values: (number | null)[];
  low?: (number | null)[];
  high?: (number | null)[];
}
const dashes = [undefined, "6 3", "2 3", "8 3 2 3"];

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
  const left = 50,
    bottom = 20,
    top = 8,
    low = range ? range[0] : Math.min(0, ...known),
    high = range ? range[1] : Math.max(...known, low),
    span = high - low || 1;
  const at = (i: number) => left + (x.length > 1 ? (i * (width - left - 20)) / (x.length - 1) : (width - left) / 2),
    y = (v: number) => top + ((high - v) * (height - top - bottom)) / span;
  const soft = themed("--soft"),
    line = themed("--line");
  const path = (values: (number | null)[]) => {
    let d = "",
      pen = "M";
    values.forEach((v, i) => {
      if (v === null || v !== v) {
        pen = "M";
        return;
      }
      d += pen + at(i).toFixed(1) + " " + y(v).toFixed(1);
      pen = "L";
    });
    return d;
  };
  const every = Math.max(1, Math.ceil((x.length * 26) / (width - left)));
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
        {[low, (low + high) / 2, high].map((v) => (
          <>
            <line x1={left} x2={width - 10} y1={y(v)} y2={y(v)} stroke={line} />
            <text x={left - 6} y={y(v) + 4} text-anchor="end" font-size="10.5" fill={soft}>
              {Math.abs(v) >= 0.01 || v === 0 ? v.toFixed(2).replace("-", "−") : number(v)}
            </text>
          </>
        ))}
        {x.map((name, i) =>
          i % every ? null : (
            <text x={at(i)} y={height - 5} text-anchor="middle" font-size="10.5" fill={soft}>
              {name}
            </text>
          ),
        )}
        {mark !== undefined ? (
          <line x1={at(mark)} x2={at(mark)} y1={top} y2={height - bottom} stroke={themed("--select")} stroke-dasharray="3 3" />
        ) : null}
        {series.map((s, k) =>
          s.low && s.high ? (
            <path
              d={
                path(s.high) +
                [...s.low]
                  .map((v, i) => [v, i] as const)
                  .reverse()
                  .filter(([v]) => v !== null)
                  .map(([v, i]) => `L${at(i).toFixed(1)} ${y(v!).toFixed(1)}`)
                  .join("") +
                "Z"
              }
              fill={categories[k % 10]}
              opacity="0.14"
            />
          ) : null,
        )}
        {series.map((s, k) => (
          <>
            <path d={path(s.values)} fill="none" stroke={categories[k % 10]} stroke-width="2" stroke-dasharray={dashes[k % 4]} />
            {s.values.map((v, i) =>
              v === null || v !== v ? null : (
                <circle
                  cx={at(i)}
                  cy={y(v)}
                  r="3"
                  fill={categories[k % 10]}
                  onMouseMove={(e) => showTip(`${s.name}, ${x[i]}: ${number(v)}`, e)}
                  onMouseLeave={hideTip}
                />
              ),
            )}
          </>
        ))}
      </svg>
      {series.length > 1 ? (
        <div class="legend">
          {series.map((s, k) => (
            <span class="scale">
              <svg width="22" height="8" aria-hidden="true">
                <line x1="0" x2="22" y1="4" y2="4" stroke={categories[k % 10]} stroke-width="2.5" stroke-dasharray={dashes[k % 4]} />
              </svg>
              {s.name}
            </span>
          ))}
        </div>
      ) : null}
    </div>
  );
}
