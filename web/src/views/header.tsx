// The answer, its probabilities, and what of it is explained.
import type { Bench } from "../bench";
import type { LiveSession } from "../live/session";
import { readFromLeft } from "../model/reading";
import { number, probability } from "../model/words";

export function Header({ b, live }: { b: Bench; live: LiveSession | null }) {
  const p = b.data.prediction,
    t = b.aim.target;
  const outcome = p.outcomes?.find((o) => o.position === t.position) ?? p.outcomes?.[0];
  const scores = (p.answer ? [] : (p.scores ?? outcome?.scores ?? [])).slice(0, 5),
    before = live?.before ?? null;
  const quantity = t.tokens || t.contrast_tokens ? "log-probability" : "logit";
  const about =
    t.label === ""
      ? "no target: the model has no head"
      : `target: ${t.contrast ? `${t.label} − ${t.contrast}, ${quantity} difference ` : `${t.label}, ${quantity} `}${number(t.logit)}${t.position >= 0 ? `, at token ${t.position}` : ""}`;
  return (
    <header id="top">
      <div class="answer">
        <div class="brand">
          <b>headwater</b> · <span title={b.data.record.model}>{b.data.record.model.split("/").pop()}</span> · {p.task}
        </div>
        <h1>{readFromLeft(b.aim.sentence || b.data.sentence)}</h1>
        <div class="soft">
          {about}
          {p.truncated ? " · the text was cut to the model's limit" : ""}
          {live && before && live.change ? ` · ${live.change}` : ""}
        </div>
      </div>
      {scores.length > 1 ? (
        <div class="bars" role="list" aria-label="Probabilities">
          {scores.map((s) => {
            const old = before?.find((x) => x.label === s.label)?.probability,
              change = old !== null && old !== undefined && s.probability !== null ? s.probability - old : null;
            return (
              <div role="listitem" class="contents">
                <span class={"name" + (s.index === t.index ? " chosen" : "")} title={s.label}>
                  {s.label.replace(/\n/g, "⏎") || "␣"}
                </span>
                <span class="track" aria-hidden="true">
                  <i style={{ width: 100 * Math.min(1, s.probability ?? 0) + "%" }} />
                  {old !== null && old !== undefined ? <u style={{ left: 100 * Math.min(1, old) + "%" }} /> : null}
                </span>
                <span class={"num" + (s.index === t.index ? " chosen" : "")}>
                  {s.probability === null ? number(s.logit) : probability(s.probability)}
                  {change !== null && Math.abs(change) >= 0.0005 ? (
                    <span class={change > 0 ? "up" : "down"}>
                      {" "}
                      {change > 0 ? "▲ +" : "▼ −"}
                      {(100 * Math.abs(change)).toFixed(1)}
                    </span>
                  ) : null}
                </span>
              </div>
            );
          })}
        </div>
      ) : null}
    </header>
  );
}
