// Deletion and insertion curves of the methods on this input, against a random order.
import { useEffect } from "preact/hooks";
import type { Bench } from "../bench";
import type { LiveSession } from "../live/session";
import { number } from "../model/words";
import { Chart } from "./chart";

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
          first = cells.find((c) => c.curve);
        return (
          <div>
            <h3>
              {metric.name} <span class="soft">{metric.better} is better</span>
            </h3>
            {first?.curve ? (
              <Chart
                label={metric.name}
                width={380}
                height={170}
                series={cells.filter((c) => c.curve).map((c) => ({ name: c.method, values: c.curve!.value }))}
                x={first.curve.x.map((x) => Math.round(100 * x) + " %")}
              />
            ) : null}
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
