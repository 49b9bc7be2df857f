// What goes in: model, text, pair or picture, target and contrast, methods with what they would cost.
import { useState } from "preact/hooks";
import type { Bench } from "../bench";
import type { Plan } from "../live/api";
import { canBeCut, inPageWords } from "../live/follow";
import { cheap, type LiveSession } from "../live/session";
import { shownName } from "../model/words";
import { usePopup } from "./parts";

const time = (s: number | null | undefined) =>
  s === null || s === undefined
    ? ""
    : s < 0.095
      ? `${Math.max(1, Math.round(1000 * s))} ms`
      : s < 60
        ? `${s.toFixed(s < 10 ? 1 : 0)} s`
        : `${(s / 60).toFixed(1)} min`;
const size = (n: number) =>
  n < 1 << 20 ? `${Math.ceil(n / 1024)} kB` : n < 1 << 30 ? `${Math.ceil(n / (1 << 20))} MB` : `${(n / (1 << 30)).toFixed(1)} GB`;

// Where a time comes from.
const basis = (p: Plan) =>
  p.basis === "measured"
    ? "As long as it took on an input of about this length."
    : p.basis === "estimated"
      ? "Extrapolated from a short trial: it has not run on this model yet."
      : "";

function Targets({ b, live }: { b: Bench; live: LiveSession }) {
  const model = live.current,
    labels = model?.labels ?? [],
    scores = b.document
      ? (b.data.prediction.scores ?? b.data.prediction.outcomes?.find((o) => o.position === b.aim.target.position)?.scores ?? [])
      : [];
  const closed = labels.length > 0 && labels.length <= 1000,
    names = closed ? labels : scores.map((s) => s.label);
  const first = live.aims[0]?.label ?? "",
    contrast = live.aims[0]?.contrast ?? "",
    list = "labels-of-the-model";
  // A label is not set against itself.
  const set = (label: string, chosen: string, position: number | null = live.aims[0]?.position ?? null) => {
    const against = chosen === label ? "" : chosen,
      named = label || (against ? (b.data?.target.label ?? "") : "");
    live.aimAt(
      named || against || position !== null
        ? [{ label: named, contrast: against, position: position ?? undefined }, ...live.aims.slice(1)]
        : [],
    );
  };
  const field = (label: string, value: string, none: string, pick: (v: string) => void) => (
    <label class="group">
      <span>{label}</span>
      {closed ? (
        <select value={value} onChange={(e) => pick(e.currentTarget.value)}>
          <option value="" selected={value === ""}>
            {none}
          </option>
          {names.map((n) => (
            <option value={n} selected={n === value}>
              {n}
            </option>
          ))}
        </select>
      ) : (
        <input type="text" size={16} list={list} value={value} placeholder={none} onChange={(e) => pick(e.currentTarget.value)} />
      )}
    </label>
  );
  return (
    <>
      {field(
        "Target",
        first,
        `what the model says${b.document && b.data.prediction.label ? `: ${shownName(b.data.prediction.label)}` : ""}`,
        (v) => set(v, contrast),
      )}
      {field("compared with", contrast, "no other class", (v) => set(first, v))}
      {b.document && b.aim.target.position >= 0 ? (
        <label class="group">
          <span>predict at position</span>
          <input
            type="number"
            min={0}
            max={b.units.length - 1}
            value={live.aims[0]?.position ?? ""}
            placeholder={String(b.aim.target.position)}
            onChange={(e) => {
              const n = e.currentTarget.valueAsNumber;
              set("", "", Number.isInteger(n) ? n : null);
            }}
          />
        </label>
      ) : null}
      {closed && labels.length > 1 && b.document ? (
        <button
          type="button"
          aria-pressed={live.aims.length > 1}
          title="Two targets side by side"
          onClick={() =>
            live.aimAt(
              live.aims.length > 1
                ? live.aims.slice(0, 1)
                : (() => {
                    const one = first || b.data.target.label;
                    return [
                      { label: one, contrast: "" },
                      { label: (scores.find((s) => s.label !== one) ?? { label: labels.find((l) => l !== one)! }).label, contrast: "" },
                    ];
                  })(),
            )
          }
        >
          side by side
        </button>
      ) : null}
      {closed ? null : (
        <datalist id={list}>
          {names.map((n) => (
            <option value={n} />
          ))}
        </datalist>
      )}
    </>
  );
}

function Methods({ live }: { live: LiveSession }) {
  const { frame, open, setOpen } = usePopup<HTMLDivElement>();
  return (
    <div class="picker" ref={frame}>
      <button type="button" aria-expanded={open} aria-controls="method-picker" onClick={() => setOpen(!open)}>
        Methods ({live.wanted.length}) ▾
      </button>
      {live.wanted
        .filter((m) => live.waits(m))
        .map((m) => {
          const p = live.plans.get(m)!;
          return (
            <button type="button" class="dear" title={`${basis(p)} It takes up to ${size(p.bytes)}.`} onClick={() => live.runDear(m)}>
              Add {live.titleOf(m)} · {p.basis === "measured" ? "" : "estimated "}
              {time(p.seconds)}
            </button>
          );
        })}
      {open ? (
        <div class="popup" id="method-picker" role="group" aria-label="Methods">
          {live.methods.map((m) => {
            const p = live.plans.get(m.name);
            return (
              <label class="method" data-method={m.name}>
                <input type="checkbox" checked={live.wanted.includes(m.name)} onChange={() => live.toggle(m.name)} />
                <span>
                  <b>{m.title}</b> <span class="soft id">{m.name}</span>{" "}
                  <span class="num soft" title={p ? basis(p) : undefined}>
                    {p
                      ? `${p.basis === "estimated" ? "≈ " : ""}${time(p.seconds)}${p.seconds !== null && p.seconds > cheap ? ", waits for a click" : ""}`
                      : ""}
                  </span>
                  <br />
                  <span class="soft">{m.summary}</span>
                </span>
              </label>
            );
          })}
          <button type="button" class="done" onClick={() => setOpen(false)}>
            Done
          </button>
        </div>
      ) : null}
    </div>
  );
}

function SecondText({ label, hint = "", value, type }: { label: string; hint?: string; value: string; type: (text: string) => void }) {
  return (
    <div class="inputs">
      <textarea
        rows={1}
        dir="auto"
        aria-label={label}
        placeholder={label + hint}
        value={value}
        onInput={(e) => type(e.currentTarget.value)}
      />
    </div>
  );
}

export function LiveBar({ b, live }: { b: Bench; live: LiveSession }) {
  const kind = live.current?.input ?? "text",
    [pairOpen, setPairOpen] = useState(false),
    [key, setKey] = useState("");
  const read = (file: File | undefined) => {
    if (!file) return;
    const reader = new FileReader();
    reader.onload = () => live.type({ image: String(reader.result) });
    reader.readAsDataURL(file);
  };
  return (
    <section
      id="input"
      class="card"
      aria-label="Input"
      onDragOver={(e) => {
        if (kind === "image") e.preventDefault();
      }}
      onDrop={(e) => {
        if (kind === "image") {
          e.preventDefault();
          read(e.dataTransfer?.files[0]);
        }
      }}
    >
      <div class="inputs">
        <label class="group">
          <span>Model</span>
          <select value={live.model} onChange={(e) => live.setModel(e.currentTarget.value)}>
            {live.models.map((m) => (
              <option value={m.id} selected={m.id === live.model}>
                {m.id}
                {m.loaded ? "" : " (to be loaded)"}
              </option>
            ))}
          </select>
        </label>
        {kind === "image" ? (
          <label class="upload">
            <span>Choose a picture</span>
            <input type="file" accept="image/png,image/jpeg" onChange={(e) => read(e.currentTarget.files?.[0])} /> or drop one here
          </label>
        ) : (
          <textarea
            id="input-text"
            rows={1}
            dir="auto"
            aria-label="Text"
            placeholder="Type a text, or choose an example below"
            value={live.input.text}
            onInput={(e) => live.type({ text: e.currentTarget.value })}
          />
        )}
        {kind === "text" ? (
          <button type="button" aria-pressed={pairOpen || live.input.pair !== ""} onClick={() => setPairOpen(!pairOpen)}>
            Pair
          </button>
        ) : null}
      </div>
      {kind === "text" && (pairOpen || live.input.pair !== "") ? (
        <SecondText label="Second text" hint=": hypothesis, or context" value={live.input.pair} type={(pair) => live.type({ pair })} />
      ) : null}
      {kind === "text-to-text" ? (
        <SecondText label="What the output begins with" value={live.input.prefix} type={(prefix) => live.type({ prefix })} />
      ) : null}
      <div class="inputs">
        {live.hasInput ? (
          <>
            <Targets b={b} live={live} />
            <Methods live={live} />
            <button type="button" onClick={() => live.refresh()} title="Run again">
              ⟳ Run
            </button>
          </>
        ) : null}
        {live.hasInput || b.canUndo ? (
          <button type="button" onClick={() => b.undo()} disabled={!b.canUndo} title="Undo (Ctrl+Z)">
            ↶ Undo
          </button>
        ) : null}
        <span class="status" role="status" aria-live="polite">
          {live.progress ? (
            <>
              <progress max="1" value={live.progress.done} aria-label="Progress" /> {live.progress.method}{" "}
              {Math.round(100 * live.progress.done)} %
            </>
          ) : (
            live.status
          )}
        </span>
        {live.busy ? (
          <button type="button" onClick={() => live.cancel()}>
            Cancel
          </button>
        ) : null}
      </div>
      {live.error ? (
        <p class="error" role="alert">
          {inPageWords(live.error)}{" "}
          {canBeCut(live.error) ? (
            <button type="button" onClick={() => live.cut()}>
              Cut it to the model's limit
            </button>
          ) : null}{" "}
          <button
            type="button"
            onClick={() => {
              live.error = "";
              b.changed();
            }}
          >
            Dismiss
          </button>
        </p>
      ) : null}
      {live.wantsKey ? (
        <form
          class="inputs"
          onSubmit={(e) => {
            e.preventDefault();
            live.api.key = key;
            live.start();
          }}
        >
          <label class="group">
            API key <input type="password" value={key} onInput={(e) => setKey(e.currentTarget.value)} />
          </label>
          <button type="submit">Use</button>
        </form>
      ) : null}
    </section>
  );
}
