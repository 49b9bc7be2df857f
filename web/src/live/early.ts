// What the page knows beside an explanation: the prediction before there is one, and the line that repeats several runs.
import type { Prediction, Token } from "../model/document";
import type { LiveSession } from "./session";

export type Predicted = Prediction & { tokens?: Token[] };
const patience = 200; // ms: what is explained sooner needs no prediction shown before it

// What the model says is there long before what it rests on. Null: the explanation came first, or says what is wrong.
export async function predicted(live: LiveSession, signal: AbortSignal, over: () => boolean): Promise<Predicted | null> {
  if (over() || live.current?.task === "feature-extraction") return null;
  try {
    const { targets: _, methods: __, ...body } = live.body([]) as Record<string, unknown>,
      prediction = await live.api.post<Predicted>("/v1/predict", body, signal);
    if (live.wanted.length) await new Promise((done) => setTimeout(done, patience));
    return over() ? null : prediction;
  } catch {
    return null;
  }
}

// The command that repeats all that is shown, where it came in several runs.
export async function repeatLine(live: LiveSession, signal: AbortSignal) {
  const data = live.bench.document?.data;
  if (!data?.attributions.length) return;
  const shown = data.attributions.map((a) => a.method),
    runs = [...data.record.command.matchAll(/--method[ =]([\w,]+)/g)].flatMap((m) => m[1].split(","));
  if (runs.length === shown.length && shown.every((m) => runs.includes(m))) return;
  const { command, python } = await live.api.post<{ command: string; python: string }>("/v1/plan", live.body(shown), signal);
  if (live.bench.document?.data === data) data.record = { ...data.record, command, python };
}
