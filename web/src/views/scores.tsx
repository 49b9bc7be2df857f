// Scores per token in reading order, one column per method: what the strip says in colour, as bars and numbers.
import type { Bench } from "../bench";
import { isMap } from "../model/attribution";
import { signedNumber, shownName, unitWord } from "../model/words";
import { Bar, Empty } from "./parts";

const most_rows = 160;

export function Scores({ b }: { b: Bench }) {
  const methods = b.attributions.filter((a) => !isMap(a) && a.L === 1),
    maps = methods.map((a) => b.mapOf(a));
  if (methods.length === 0) return <Empty>No method here gives one score per token.</Empty>;
  const peaks = maps.map((m) => m?.peak ?? 0),
    all = b.groups.map((_, g) => g).filter((g) => maps.some((m) => m && m.v[g] === m.v[g]));
  const strength = (g: number) =>
    Math.max(...maps.map((m, i) => (m && peaks[i] > 0 && m.v[g] === m.v[g] ? Math.abs(m.v[g]) / peaks[i] : 0)));
  const shown =
    all.length <= most_rows
      ? all
      : [...all]
          .sort((x, y) => strength(y) - strength(x))
          .slice(0, most_rows)
          .sort((x, y) => x - y);
  return (
    <div class="scroll tall">
      <table class={"scores" + (methods.length < 2 ? " few" : "")}>
        <thead>
          <tr>
            <th scope="col">{unitWord(b)}</th>
            {methods.map((a) => (
              <th scope="col" colSpan={2}>
                {a.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((g) => (
            <tr
              class={b.view.keys.includes(g) ? "pick held" : "pick"}
              onClick={() => b.set({ keys: b.view.keys[0] === g ? [] : [g] })}
              onMouseEnter={() => b.preview(null, g)}
              onMouseLeave={() => b.preview(null, null)}
            >
              <th scope="row">
                <button type="button" class="plain" aria-pressed={b.view.keys.includes(g)}>
                  {shownName(b.groups[g].name)}
                </button>
              </th>
              {methods.map((a, i) => {
                const v = maps[i]?.v[g] ?? NaN;
                return (
                  <>
                    <td class="num">{v === v ? signedNumber(a, v) : "–"}</td>
                    <td class="wide">
                      <Bar share={peaks[i] > 0 && v === v ? v / peaks[i] : 0} signed={a.signed} />
                    </td>
                  </>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="caption">
        Bars: each method on its own scale
        {methods.some((a) => a.signed) ? "; to the right counts for the target, to the left against it" : ""}. – : not measured.
        {shown.length < all.length ? ` The ${shown.length} strongest of ${all.length}.` : ""}
      </p>
    </div>
  );
}
