// Deletion and insertion curves of the methods on this input, against a random order.
import { useEffect } from "preact/hooks";
import type { Bench } from "../bench";
import type { Evaluation } from "../live/api";
import type { LiveSession } from "../live/session";
import { pointTip } from "../model/tips";
import { aimText, number } from "../model/words";
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

// Whose curves these are.
function Measured({ b, live }: { b: Bench; live: LiveSession }) {
  const aim = live.aims[b.view.target],
    { left } = live.evaluating;
  return (
    <p class="soft measured-for">
      Measured for {aimText(b.aim.target)}
      {aim ? ", as explained above" : ", the prediction"}: {b.isImage ? "patches" : "tokens"} are taken away, or put in, in each method's
      order.
      {left > 0 ? ` Of the methods here the first ${live.evaluating.methods.length - left}.` : ""}
    </p>
  );
}

export function Faithfulness({ b, live }: { b: Bench; live: LiveSession | null }) {
  const key = live && JSON.stringify([live.inputKey, live.aims, b.view.target, live.evaluating.methods]);
  useEffect(() => {
    live?.evaluating.ask();
  }, [live, key]);
  if (!live)
    return (
      <p class="empty" id="faithfulness">
        A page in a file holds no faithfulness: it takes runs of the model. The live page measures it for one input and one target,
        “headwater evaluate” over many inputs.
      </p>
    );
  const { result, error } = live.evaluating;
  if (error) return <p class="empty">{error}</p>;
  if (!result) return <p class="empty">Erasing {b.isImage ? "patches" : "tokens"} in each method's order …</p>;
  return (
    <>
      <Measured b={b} live={live} />
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
    </>
  );
}
