// The selection in numbers, the method's card and what was checked: nothing on the page exists only as colour.
import type { Bench } from "../bench";
import { isMap, titleOf, type Attribution } from "../model/attribution";
import { rowOf, strongest, type GridMap, type Ranked } from "../model/maps";
import { aggregates, describe, place, rankOf, shownName, shortfall, signedNumber, unitWord, withoutOptions } from "../model/words";
import { Chart } from "./chart";
import { Bar, Empty, Panel, Unbroken, useHover } from "./parts";

function List({ b, a, title, items, pick }: { b: Bench; a: Attribution; title: string; items: Ranked[]; pick: (g: number) => void }) {
  const top = items.length ? Math.abs(items[0].value) : 0;
  return (
    <>
      <h3>{title}</h3>
      <table class="bars-table">
        <tbody>
          {items.map((s) => (
            <tr class="pick" onClick={() => pick(s.index)}>
              <td>
                <button
                  type="button"
                  class="plain"
                  onClick={(e) => {
                    e.stopPropagation();
                    pick(s.index);
                  }}
                >
                  {shownName(b.groups[s.index].name)}
                </button>
              </td>
              <td class="num">{signedNumber(a, s.value)}</td>
              <td class="wide">
                <Bar share={top > 0 ? s.value / top : 0} signed={a.signed} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

const brief = (x: number | null) => (x === null ? "–" : x === 0 ? "0" : x.toExponential(1).replace(/-/g, "−"));

function Selection({ b, a, map }: { b: Bench; a: Attribution; map: GridMap }) {
  useHover(b);
  const row = isMap(a) ? (b.hover.row ?? b.rowOf(a)) : 0,
    key = b.hover.key ?? b.view.keys[0] ?? null,
    keys = b.view.keys;
  const profile =
    key !== null && a.L > 1
      ? Array.from({ length: a.L }, (_, l) => {
          const m = b.maps.peek(a, l, b.headOf(a));
          return m ? m.v[row * m.C + key] : null;
        })
      : null;
  const column =
    key !== null && isMap(a)
      ? strongest(
          Float32Array.from({ length: map.R }, (_, r) => map.v[r * map.C + key]),
          5,
        )
      : [];
  const sum = keys.length > 1 ? keys.reduce((s, k) => s + (map.v[row * map.C + k] || 0), 0) : 0,
    rank = key !== null ? rankOf(map, row, key) : null;
  const others =
    key !== null && !isMap(a)
      ? b.attributions.filter((o) => o !== a && !isMap(o) && o.L === 1).map((o) => ({ o, v: b.mapOf(o)?.v[key] ?? NaN }))
      : [];
  return (
    <>
      <p class="reading" role="status" aria-live="polite">
        {key !== null
          ? describe(b, a, map, row, key)
          : isMap(a)
            ? `What “${shownName(b.groups[row].name)}” reads, ${place(b, a)}.`
            : `Strongest by ${a.name}.`}
        {keys.length > 1
          ? `${key !== null ? ". " : " "}${keys.length} selected: together ${signedNumber(a, sum)}${rank && rank.sum > 0 && !a.signed ? `, ${((100 * sum) / rank.sum).toFixed(1)} %` : ""}.`
          : ""}
      </p>
      {others.length ? <p class="soft num">{others.map(({ o, v }) => `${o.name} ${signedNumber(o, v)}`).join(" · ")}</p> : null}
      <List
        b={b}
        a={a}
        title={isMap(a) ? "Top sources" : `Strongest ${unitWord(b) === "patch" ? "patches" : unitWord(b) + "s"}`}
        items={strongest(rowOf(map, row), 5)}
        pick={(k) => b.set({ keys: [k] })}
      />
      {column.length ? (
        <List b={b} a={a} title={`Who reads “${shownName(b.groups[key!].name)}”`} items={column} pick={(r) => b.set({ row: r })} />
      ) : null}
      {profile ? (
        <>
          <h3>Over the layers</h3>
          <Chart
            label={`weight by layer`}
            series={[{ name: a.name, values: profile }]}
            x={profile.map((_, l) => "L" + l)}
            mark={b.layerOf(a)}
          />
        </>
      ) : null}
    </>
  );
}

export function Inspector({ b }: { b: Bench }) {
  const a = b.current!,
    map = b.mapOf(a);
  return (
    <aside class="inspector" aria-label="Inspector">
      <Panel id="selection" title="Selection">
        {map ? <Selection b={b} a={a} map={map} /> : <Empty>On its way …</Empty>}
      </Panel>
      <Panel id="trust" title="Was it computed correctly?">
        {shortfall(a) ? (
          <p class="shortfall">
            <span class="mark" aria-hidden="true">
              !
            </span>{" "}
            {shortfall(a)}
          </p>
        ) : null}
        <ul class="checks">
          {a.checks.map((c) => (
            <li>
              <span class={"mark " + (c.passed ? "pass" : "fail")} aria-hidden="true">
                {c.passed ? "✓" : "✗"}
              </span>
              <span>
                {c.name}
                {c.passed ? "" : " (failed)"}
                <span class="measured num">
                  measured {brief(c.value)}, bound {brief(c.bound)}
                </span>
              </span>
            </li>
          ))}
        </ul>
        <ul class="notes">
          {a.notes.map((n) => (
            <li>{n}</li>
          ))}
          {a.embedded ? <li>{a.embedded}</li> : null}
        </ul>
      </Panel>
      <MethodCard a={a} />
    </aside>
  );
}

function MethodCard({ a }: { a: Attribution }) {
  const card = a.card ?? {},
    options = Object.entries(a.options)
      .map(([k, v]) => `${k} = ${v}`)
      .join(", ");
  return (
    <Panel id="method" title={titleOf(a)}>
      <p class="soft id">{a.name}</p>
      {card.summary ? <p>{card.summary}</p> : null}
      {card.formula ? <p class="formula">{card.formula}</p> : null}
      {card.limits ? (
        <p>
          <b>Read with care. </b>
          <Unbroken text={withoutOptions(card.limits)} />
        </p>
      ) : null}
      <dl>
        {a.aggregate ? (
          <>
            <dt>aggregate</dt>
            <dd>{aggregates[a.aggregate] ?? a.aggregate}</dd>
          </>
        ) : null}
        {card.paper ? (
          <>
            <dt>paper</dt>
            <dd>{card.paper}</dd>
          </>
        ) : null}
        {card.cost ? (
          <>
            <dt>cost</dt>
            <dd>{card.cost}</dd>
          </>
        ) : null}
        {options ? (
          <>
            <dt>options</dt>
            <dd>{options}</dd>
          </>
        ) : null}
        <dt>time</dt>
        <dd class="num">{a.seconds.toFixed(3)} s</dd>
      </dl>
    </Panel>
  );
}
