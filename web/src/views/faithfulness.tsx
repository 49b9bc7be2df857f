// Deletion and insertion curves of the methods on this input, against a random order.
import { useEffect } from "preact/hooks";
import type { Bench } from "../bench";
import type { Evaluation } from "../live/api";
import type { LiveSession } from "../live/session";
import { pointTip } from "../model/tips";
import { number } from "../model/words";
import { Chart, type Series } from "./chart";

// At its real shares; with its interval where there is one.
function seriesOf({ metric, method, curve }: Evaluation["cells"][number]): Series {
  const { x, value, low, high } = curve!,
    wide = value.some((v, i) => low[i] !== v || high[i] !== v);
  return {
    name: method,
    values: value,
    ...(wide ? { low, high } : {}),
    shares: x,
    plain: method === "random",
    tip: (i, v) => pointTip(metric, method, x[i], v),
  };
}

export function Faithfulness({ b, live }: { b: Bench; live: LiveSession }) {
  useEffect(() => {
    live.evaluate();
  }, [live, live.inputKey]);
  const result = live.evaluation;
  if (live.evaluationError) return <p class="empty">{live.evaluationError}</p>;
  if (!result) return <p class="empty">Erasing {b.isImage ? "patches" : "tokens"} in each method's order …</p>;
  return (
    <div id="faithfulness" class="charts">
      {result.metrics.map((metric) => {
        const cells = result.cells.filter((c) => c.metric === metric.name),
          drawn = cells.filter((c) => c.curve);
        return (
          <div>
            <h3>
              {metric.name} <span class="soft">{metric.better} is better</span>
            </h3>
            {drawn.length ? <Chart label={metric.name} width={380} height={170} x={[]} series={drawn.map((c) => seriesOf(c))} /> : null}
            <table>
              <thead>
                <tr>
                  <th scope="col">method</th>
                  <th scope="col" class="num">
                    value
                  </th>
                </tr>
              </thead>
              <tbody>
                {cells.map((c) => (
                  <tr>
                    <td>{c.method}</td>
                    <td class="num">{number(c.value)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            <p class="caption">{metric.curve_over}; one example, so no interval.</p>
          </div>
        );
      })}
    </div>
  );
}
