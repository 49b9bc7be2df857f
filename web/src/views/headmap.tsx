// One cell per head, coloured by a statistic: where to look first.
import type { Bench } from "../bench";
import type { Attribution } from "../model/attribution";
import { css, inkOn, toned } from "../model/colour";
import { statisticNames, tellsApart, type HeadStatistic } from "../model/heads";
import { number } from "../model/words";
import { Chooser, hideTip, moveFocus, Panel, showTip } from "./parts";

export const nameOfStatistic = (s: HeadStatistic) => statisticNames[s] ?? s.replace("detail:", "").replace(/_/g, " ");

const valuesOf = (b: Bench, a: Attribution, what: HeadStatistic) =>
  Array.from({ length: a.L }, (_, l) => Array.from({ length: a.H }, (_, h) => b.headValue(a, l, h, what)));

// The statistic that is shown and its number for every head; null where there are no heads.
export function headMapOf(b: Bench) {
  const a = b.current!,
    choices = b.statisticsOf(a);
  if (a.H < 2 || choices.length === 0) return null;
  const what =
    b.view.statistic && choices.includes(b.view.statistic)
      ? b.view.statistic
      : (choices.find((c) => tellsApart(valuesOf(b, a, c))) ?? choices[0]);
  const values = valuesOf(b, a, what);
  const known = values.flat().filter((v): v is number => v !== null && v === v);
  return { a, choices, what, values, known, peak: Math.max(1e-30, ...known.map(Math.abs)) };
}

export function HeadMap({ b }: { b: Bench }) {
  const map = headMapOf(b);
  if (!map) return null;
  const { a, choices, what, values, known, peak } = map;
  const soFar = values.some((row) => row.includes(null)) ? " so far" : "", // other layers are on their way
    best = values
      .flatMap((row, l) => row.map((v, h) => ({ v, l, h })))
      .filter((x) => x.v !== null && x.v === x.v)
      .sort((x, y) => Math.abs(y.v!) - Math.abs(x.v!))
      .slice(0, 3);
  return (
    <Panel id="headmap" title="Layers × heads">
      <Chooser
        label="Colour by"
        options={choices.map((c) => [c, nameOfStatistic(c)])}
        chosen={what}
        pick={(v) => b.set({ statistic: v as HeadStatistic })}
      />
      <div
        class="headmap"
        role="grid"
        aria-label={`${nameOfStatistic(what)} of every head`}
        style={{ gridTemplateColumns: `22px repeat(${a.H}, minmax(0, 26px))` }}
        onKeyDown={(e) => {
          moveFocus(e, [...e.currentTarget.querySelectorAll<HTMLElement>("button")], a.H);
        }}
      >
        <div role="row" class="contents">
          <span role="columnheader" class="axis">
            <span class="hidden">layer</span>
          </span>
          {values[0].map((_, h) => (
            <span role="columnheader" class="axis">
              {a.H > 12 && h % 2 ? "" : h}
            </span>
          ))}
        </div>
        {values.map((row, l) => (
          <div role="row" class="contents">
            <span role="rowheader" class="axis side">
              L{l}
            </span>
            {row.map((v, h) => {
              const chosen = l === b.layerOf(a) && h === b.headOf(a),
                colour = v !== null && v === v ? toned(v, peak, b.tone) : null;
              return (
                <span role="gridcell" class="contents">
                  <button
                    type="button"
                    class={"cell" + (colour ? "" : " holes")}
                    aria-pressed={chosen}
                    tabIndex={chosen || (b.headOf(a) < 0 && l === b.layerOf(a) && h === 0) ? 0 : -1}
                    aria-label={`L${l} H${h} ${nameOfStatistic(what)} ${v === null ? "on its way" : number(v)}`}
                    style={colour ? { background: css(colour), color: inkOn(colour) } : {}}
                    onClick={() => (chosen ? b.setPlace(l, -1) : b.setPlace(l, h))}
                    onMouseMove={(e) => showTip(`L${l} H${h}: ${nameOfStatistic(what)} ${v === null ? "on its way" : number(v)}`, e)}
                    onMouseLeave={hideTip}
                  >
                    {chosen ? "•" : ""}
                  </button>
                </span>
              );
            })}
          </div>
        ))}
      </div>
      <p class="caption">
        {number(known.length ? Math.min(...known) : NaN)} … {number(known.length ? Math.max(...known) : NaN)}.{" "}
        {best.length ? `Largest${soFar}: ${best.map((x) => `L${x.l} H${x.h} ${number(x.v)}`).join(", ")}. ` : ""}Click a head to see it
        alone, again for the mean.
      </p>
    </Panel>
  );
}
