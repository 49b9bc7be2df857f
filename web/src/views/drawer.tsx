// Below everything: numbers as tables, agreement, faithfulness, comparison, and how to repeat the run.
import { useState } from "preact/hooks";
import type { Bench } from "../bench";
import type { LiveSession } from "../live/session";
import { pairsOf } from "../model/agreement";
import { isMap } from "../model/attribution";
import { css, inkOn, toned } from "../model/colour";
import type { Detail } from "../model/document";
import { strongestPairs } from "../model/maps";
import { number, place, shownName, signedNumber, unitWord } from "../model/words";
import type { DrawerTab } from "../view";
import { Chart } from "./chart";
import { Compare } from "./compare";
import { Faithfulness } from "./faithfulness";
import { Bar, Unbroken } from "./parts";

function HeatTable({ b, detail }: { b: Bench; detail: Detail }) {
  const rows = detail.values as (number | null)[][],
    peak = Math.max(1e-30, ...rows.flat().map((v) => Math.abs(v ?? 0)));
  return (
    <div class="scroll">
      <table class="heats">
        <thead>
          <tr>
            <th>
              <span class="hidden">layer</span>
            </th>
            {rows[0].map((_, h) => (
              <th scope="col">{detail.axes[1][0].toUpperCase() + h}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, l) => (
            <tr>
              <th scope="row">L{l}</th>
              {row.map((v) => {
                const c = v === null ? null : toned(v, peak, b.tone);
                return (
                  <td class="num" style={c ? { background: css(c), color: inkOn(c) } : {}}>
                    {number(v)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const diary = ["nodes", "change", "defect"]; // of an integral: how it was found, which the checks judge

function NumbersTab({ b }: { b: Bench }) {
  const a = b.current!,
    map = b.mapOf(a);
  if (!map) return <p class="empty">On its way …</p>;
  const found = strongestPairs(map, 10),
    top = found.length ? Math.abs(found[0].value) : 0,
    unit = unitWord(b);
  const details = (a.details ?? []).filter((d) => d.axes[0] === "layer" && d.axes.length <= 2 && !diary.includes(d.name));
  return (
    <div class="columns">
      <div id="pairs">
        <h3>{isMap(a) ? "Strongest pairs" : `Strongest ${unit === "patch" ? "patches" : unit + "s"}`}</h3>
        <table>
          <thead>
            <tr>
              {isMap(a) ? <th scope="col">row (query)</th> : null}
              <th scope="col">{isMap(a) ? "reads (key)" : unit}</th>
              <th scope="col" class="num">
                {isMap(a) ? "weight" : "score"}
              </th>
              <th scope="col">
                {a.signed && a.traits.of_target ? (
                  <span class="sides">
                    <span>against</span>
                    <span>for</span>
                  </span>
                ) : (
                  <span class="hidden">bar</span>
                )}
              </th>
            </tr>
          </thead>
          <tbody>
            {found.map((p) => (
              <tr class="pick" onClick={() => b.set({ row: isMap(a) ? p.row : null, keys: [p.key] })}>
                {isMap(a) ? <td>{shownName(b.groups[p.row].name)}</td> : null}
                <td>
                  <button type="button" class="plain">
                    {shownName(b.groups[p.key].name)}
                  </button>
                </td>
                <td class="num">{signedNumber(a, p.value)}</td>
                <td>
                  <Bar share={top > 0 ? p.value / top : 0} signed={a.signed} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        <p class="caption">
          {[a.name, place(b, a)].filter(Boolean).join(" ")}
          {isMap(a) ? `; a ${unit} reading itself is left out` : ""}
          {b.view.words ? (isMap(a) ? "; words: sum over keys, mean over queries" : "; words: sum over their tokens") : ""}
          {b.view.special === "keep"
            ? ""
            : b.view.special === "drop"
              ? "; special tokens dropped"
              : isMap(a)
                ? "; special tokens hidden, rows not rescaled"
                : "; special tokens hidden"}
        </p>
      </div>
      {details.length ? (
        <div id="details">
          {details.map((d) => (
            <>
              <h3>{d.name === "conservation" ? "relevance kept, layer by layer" : d.name.replace(/_/g, " ") + " by layer"}</h3>
              {d.axes.length === 1 ? (
                <Chart
                  label={d.name}
                  width={420}
                  series={[{ name: d.name, values: d.values as (number | null)[] }]}
                  x={d.values.map((_, l) => "L" + l)}
                />
              ) : (
                <HeatTable b={b} detail={d} />
              )}
            </>
          ))}
        </div>
      ) : null}
    </div>
  );
}

const most_lines = 4; // that can be told apart in one small chart

function AgreementTab({ b }: { b: Bench }) {
  const pairs = pairsOf(b),
    value = (v: number | null) => (v === null ? "–" : v.toFixed(3).replace("-", "−"));
  if (pairs.length === 0)
    return <p class="empty">With two or more methods this says how far they order the {b.isImage ? "patches" : "tokens"} alike.</p>;
  const all = pairs.filter((p) => p.spearman_by_layer.length > 1),
    own = all.filter((p) => p.methods.includes(b.current?.name ?? "")),
    layered = (own.length ? own : all).slice(0, most_lines),
    maps = b.attributions.some(isMap);
  return (
    <div id="agreement" class="columns">
      <div>
        <table>
          <thead>
            <tr>
              <th scope="col">methods</th>
              <th scope="col" class="num">
                {b.isImage ? "patches" : b.data.view.unit + "s"}
              </th>
              <th scope="col" class="num">
                Kendall τ-b
              </th>
              <th scope="col" class="num">
                Spearman ρ
              </th>
            </tr>
          </thead>
          <tbody>
            {pairs.map((p) => (
              <tr>
                <td>{p.methods.join(" · ")}</td>
                <td class="num">{p.units}</td>
                <td class="num">{value(p.kendall_tau_b)}</td>
                <td class="num">{value(p.spearman)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <p class="caption">
          Rank correlation over what both measured{maps ? "; of maps, the row the output was read from in the last layer" : ""}. – : one
          side has no order.
        </p>
      </div>
      {layered.length ? (
        <div>
          <h3>Spearman ρ by layer, mean over rows{layered.length === 1 ? `: ${layered[0].methods.join(" · ")}` : ""}</h3>
          <Chart
            label="Spearman by layer"
            width={420}
            range={[-1, 1]}
            series={layered.map((p) => ({ name: p.methods.join(" · "), values: p.spearman_by_layer }))}
            x={layered[0].spearman_by_layer.map((_, l) => "L" + l)}
          />
          {layered.length < all.length ? (
            <p class="caption">
              {own.length ? `Pairs with ${b.current!.name}` : "The first pairs"}: {layered.length} of {all.length}.
            </p>
          ) : null}
        </div>
      ) : null}
    </div>
  );
}

function Copied({ text, name }: { text: string; name: string }) {
  const [done, setDone] = useState(false);
  return (
    <div class="copyline">
      <div class="line">
        <h3>{name}</h3>
        <button
          type="button"
          aria-label={"Copy: " + name}
          onClick={() => {
            navigator.clipboard?.writeText(text).then(
              () => setDone(true),
              () => {},
            );
          }}
        >
          {done ? "Copied" : "Copy"}
        </button>
      </div>
      <pre tabIndex={0}>
        <Unbroken text={text} />
      </pre>
    </div>
  );
}

function RecordTab({ b }: { b: Bench }) {
  const r = b.data.record,
    m = b.data.model;
  const facts: [string, string][] = [
    ["headwater", r.version],
    ["model", r.model + (r.commit ? " @ " + r.commit : "")],
    [
      "architecture",
      `${r.architecture} (${r.model_type}), ${m.layers} layers, ${m.heads} heads, ${m.parameters.toLocaleString("en")} parameters`,
    ],
    ["weights SHA-256", r.weights_sha256],
    ["tokenizer SHA-256", r.tokenizer_sha256],
    ["numbers", `${r.dtype}, ${r.threads} threads`],
    [
      "kernels",
      Object.entries(r.kernels)
        .map(([k, v]) => `${k}: ${v}`)
        .join("; "),
    ],
    ["time", r.seconds.toFixed(3) + " s"],
  ];
  return (
    <div id="record" class="columns">
      <dl>
        {facts
          .filter(([, v]) => v)
          .map(([k, v]) => (
            <>
              <dt>{k}</dt>
              <dd>{v}</dd>
            </>
          ))}
      </dl>
      <div>
        {r.command ? <Copied name="Command line" text={r.command} /> : null}
        {r.python ? <Copied name="Python" text={r.python} /> : null}
      </div>
    </div>
  );
}

const names: Record<DrawerTab, string> = {
  numbers: "Numbers",
  agreement: "Agreement",
  faithfulness: "Faithfulness",
  compare: "Compare A and B",
  record: "Run record",
};

export function Drawer({ b, live }: { b: Bench; live: LiveSession | null }) {
  const tabs: DrawerTab[] = ["numbers", "agreement", "faithfulness", "compare", "record"];
  const tab = tabs.includes(b.view.drawer) ? b.view.drawer : "numbers";
  return (
    <section id="drawer" class="card" aria-label="Details">
      <div
        class="tabs"
        role="tablist"
        aria-label="Details"
        onKeyDown={(e) => {
          const step = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
          if (step) {
            const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
            b.set({ drawer: next }, false);
            document.getElementById("drawer-" + next)?.focus();
          }
        }}
      >
        {tabs.map((t) => (
          <button
            type="button"
            role="tab"
            id={"drawer-" + t}
            aria-selected={t === tab}
            aria-controls="drawer-panel"
            tabIndex={t === tab ? 0 : -1}
            onClick={() => b.set({ drawer: t }, false)}
          >
            {names[t]}
          </button>
        ))}
      </div>
      <div id="drawer-panel" role="tabpanel" aria-labelledby={"drawer-" + tab}>
        {tab === "numbers" ? (
          b.current ? (
            <NumbersTab b={b} />
          ) : (
            <p class="empty">No method is chosen: what the answer rests on is not known. Choose one under “Methods”.</p>
          )
        ) : tab === "agreement" ? (
          <AgreementTab b={b} />
        ) : tab === "faithfulness" ? (
          <Faithfulness b={b} live={live} />
        ) : tab === "compare" ? (
          <Compare b={b} />
        ) : (
          <RecordTab b={b} />
        )}
      </div>
    </section>
  );
}
