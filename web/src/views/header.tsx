// The answer, its probabilities, and what of it is explained.
import type { Bench } from "../bench";
import type { Predicted } from "../live/early";
import type { LiveSession } from "../live/session";
import type { Score } from "../model/document";
import { readFromLeft } from "../model/reading";
import { answerText, number, probability } from "../model/words";

export function Bars({ scores, chosen, before = null }: { scores: Score[]; chosen: number; before?: Score[] | null }) {
  if (scores.length < 2) return null;
  return (
    <div class="bars" role="list" aria-label="Probabilities">
      {scores.map((s) => {
        const old = before?.find((x) => x.label === s.label)?.probability,
          change = old !== null && old !== undefined && s.probability !== null ? s.probability - old : null;
        return (
          <div role="listitem" class="contents">
            <span class={"name" + (s.index === chosen ? " chosen" : "")} title={s.label}>
              {s.label.replace(/\n/g, "⏎") || "␣"}
            </span>
            <span class="track" aria-hidden="true">
              <i style={{ width: 100 * Math.min(1, s.probability ?? 0) + "%" }} />
              {old !== null && old !== undefined ? <u style={{ left: 100 * Math.min(1, old) + "%" }} /> : null}
            </span>
            <span class={"num" + (s.index === chosen ? " chosen" : "")}>
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
  );
}

const Brand = ({ model, task }: { model: string; task: string }) => (
  <div class="brand">
    <b>headwater</b> · <span title={model}>{model.split("/").pop()}</span> · {task}
  </div>
);

const most_bars = 5;

// What the model says, as long as nothing is known of what that rests on.
export function EarlyHeader({ prediction: p, live }: { prediction: Predicted; live: LiveSession }) {
  const scores = (p.answer ? [] : (p.scores ?? p.outcomes?.[0]?.scores ?? [])).slice(0, most_bars);
  return (
    <header id="top" class="early">
      <div class="answer">
        <Brand model={live.model} task={p.task} />
        <h1>{readFromLeft(answerText(p))}</h1>
        <div class="soft">
          {live.error
            ? "it was not explained"
            : live.wanted.length
              ? "what that rests on is being computed …"
              : "no method is chosen, so what it rests on is not known"}
        </div>
      </div>
      <Bars scores={scores} chosen={scores[0]?.index ?? -1} />
    </header>
  );
}

export function Header({ b, live }: { b: Bench; live: LiveSession | null }) {
  const p = b.data.prediction,
    t = b.aim.target;
  const outcome = p.outcomes?.find((o) => o.position === t.position) ?? p.outcomes?.[0];
  const scores = (p.answer ? [] : (p.scores ?? outcome?.scores ?? [])).slice(0, most_bars),
    before = live?.before ?? null;
  const quantity = t.tokens || t.contrast_tokens ? "log-probability" : "logit";
  const about =
    t.label === ""
      ? "no target: the model has no head"
      : `explained: ${t.contrast ? `${t.label} − ${t.contrast}, ${quantity} difference ` : `${t.label}, ${quantity} `}${number(t.logit)}${t.position >= 0 ? `, at token ${t.position}` : ""}`;
  return (
    <header id="top">
      <div class="answer">
        <Brand model={b.data.record.model} task={p.task} />
        <h1>{readFromLeft(b.headline)}</h1>
        <div class="soft">
          {about}
          {p.truncated ? " · the text was cut to the model's limit" : ""}
          {live && before && live.change ? ` · ${live.change}` : ""}
        </div>
      </div>
      <Bars scores={scores} chosen={t.index} before={before} />
    </header>
  );
}
