// Two pinned readings beside each other (methods, layers, heads, targets, inputs), and their difference.
import type { Bench, Pin } from "../bench";
import { isMap } from "../model/attribution";
import { css, inkOn, toned } from "../model/colour";
import { gridMap, rowScale } from "../model/maps";
import { kendall } from "../model/rank";
import { readingLevels } from "../model/reading";
import { cutName, number, place, shownName } from "../model/words";
import { paintOverlay, usePicture } from "./image";
import { Canvas } from "./parts";

function pinned(b: Bench): Pin | null {
  const a = b.current,
    map = a && b.mapOf(a);
  if (!a || !map) return null;
  const row = b.rowOf(a),
    t = b.aim.target,
    model = b.data.record.model.split("/").pop()!;
  const title = [
    a.name,
    place(b, a),
    isMap(a) ? `row “${shownName(b.groups[row].name)}”` : "",
    t.label ? `target ${t.label}${t.contrast ? ` rather than ${t.contrast}` : ""}` : "",
    model,
  ]
    .filter(Boolean)
    .join(", ");
  return {
    title,
    said: b.isImage
      ? (b.data.input.image ?? "a picture")
      : [b.data.input.text, b.data.input.pair, b.data.input.prefix].filter(Boolean).join(" / "),
    names: b.groups.map((g) => g.name),
    special: b.groups.map((g) => g.special),
    right: readingLevels(b.groups.map((g) => (g.special ? "" : g.name))).right,
    values: map.v.slice(row * map.C, (row + 1) * map.C),
    signed: a.signed,
    picture: b.data.picture,
  };
}

const side = 176; // of a picture, in pixels: three stand beside one another at 200 %

// A picture's patches in their places, over the picture while the page still holds it.
function Patches({ b, pin }: { b: Bench; pin: Pin }) {
  const picture = usePicture(b.data.picture),
    map = gridMap(1, pin.values.length, pin.values);
  return (
    <Canvas
      width={side}
      height={side}
      label={pin.title}
      draw={(g) => paintOverlay(g, b, pin.picture === b.data.picture ? picture : null, map, 0, rowScale(map, 0, b.groups), side)}
    />
  );
}

function Words({ b, pin, scale }: { b: Bench; pin: Pin; scale?: number }) {
  let peak = scale ?? 0;
  if (scale === undefined) for (const v of pin.values) if (Math.abs(v) > peak) peak = Math.abs(v);
  return (
    <p class="running" dir={pin.right ? "rtl" : "ltr"}>
      {pin.names.map((name, i) => {
        const v = pin.values[i],
          c = v === v ? toned(v, peak, b.tone) : null;
        return (
          <>
            <span
              class={"tok plain" + (c ? "" : " forbidden") + (pin.special[i] ? " special" : "")}
              title={number(v)}
              style={c ? { background: css(c), color: inkOn(c) } : {}}
            >
              {name || "␣"}
            </span>{" "}
          </>
        );
      })}
    </p>
  );
}

// As shares of their own total, so that methods on different scales can be subtracted.
const shares = (p: Pin) => {
  let sum = 0;
  for (const v of p.values) if (v === v) sum += Math.abs(v);
  return p.values.map((v) => (sum > 0 ? v / sum : v));
};

// A pin may be older than the choice of what is shown: then its patches have no places here, but names.
const Reading = ({ b, pin }: { b: Bench; pin: Pin }) =>
  b.isImage && pin.names.length === b.groups.length ? <Patches b={b} pin={pin} /> : <Words b={b} pin={pin} />;

// Two readings of different texts are told apart by the text.
const Title = ({ letter, pin, other }: { letter: string; pin: Pin; other: Pin | null }) => (
  <h3>
    {letter}: {pin.title}
    {other && other.said !== pin.said ? <span class="soft"> · “{cutName(pin.said, 80)}”</span> : null}
  </h3>
);

// Why two readings cannot be subtracted.
function apart(A: Pin, B: Pin | null): string {
  if (!B) return "Nothing is shown to compare it with.";
  if (A.names.length !== B.names.length)
    return `A has ${A.names.length} parts and B has ${B.names.length}: no part of one stands for a part of the other, so no difference is drawn.`;
  const i = A.names.findIndex((name, t) => name !== B.names[t]);
  return `A and B are of different texts (“${shownName(A.names[i])}” in A is “${shownName(B.names[i])}” in B): a difference would compare different words, so none is drawn.`;
}

export function Compare({ b }: { b: Bench }) {
  const { A, B } = b.pins,
    now = pinned(b),
    pin = (change: Partial<typeof b.pins>) => {
      b.pins = { ...b.pins, ...change };
      b.changed();
    };
  const other = B ?? now,
    same = A && other && A.names.join("\n") === other.names.join("\n");
  const difference = same
    ? (() => {
        const x = shares(A),
          y = shares(other);
        return { ...A, title: "A − B", values: x.map((v, i) => v - y[i]), signed: true };
      })()
    : null;
  return (
    <div id="compare">
      <div class="tools">
        <button type="button" disabled={!now} onClick={() => pin({ A: now })}>
          Keep as A
        </button>
        <button type="button" disabled={!now} onClick={() => pin({ B: now })}>
          Keep as B
        </button>
        <button type="button" disabled={!A && !B} onClick={() => pin({ A: null, B: null })}>
          Clear
        </button>
        <span class="soft">B is what the page shows until you keep it.</span>
      </div>
      {!A ? (
        <p class="empty">Choose a method, layer, head or target above and press “Keep as A”; then choose another.</p>
      ) : (
        <>
          <div class={b.isImage ? "readings" : ""}>
            <div>
              <Title letter="A" pin={A} other={other} />
              <Reading b={b} pin={A} />
            </div>
            {other ? (
              <div>
                <Title letter="B" pin={other} other={A} />
                <Reading b={b} pin={other} />
              </div>
            ) : null}
            {difference ? (
              <div>
                <h3>
                  A − B, each as a share of its total <span class="soft num">Kendall τ-b {number(kendall(A.values, other!.values))}</span>
                </h3>
                <Reading b={b} pin={difference} />
              </div>
            ) : null}
          </div>
          {difference ? (
            <>
              <table class="narrow">
                <thead>
                  <tr>
                    <th scope="col">{b.isImage ? "patch" : "token"}</th>
                    <th scope="col" class="num">
                      A
                    </th>
                    <th scope="col" class="num">
                      B
                    </th>
                    <th scope="col" class="num">
                      difference of shares
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {[...difference.values.keys()]
                    .filter((i) => difference.values[i] === difference.values[i])
                    .sort((x, y) => Math.abs(difference.values[y]) - Math.abs(difference.values[x]))
                    .slice(0, 8)
                    .map((i) => (
                      <tr>
                        <td>{shownName(A.names[i])}</td>
                        <td class="num">{number(A.values[i])}</td>
                        <td class="num">{number(other!.values[i])}</td>
                        <td class="num">{(difference.values[i] > 0 ? "+" : "") + number(difference.values[i])}</td>
                      </tr>
                    ))}
                </tbody>
              </table>
            </>
          ) : (
            <p class="soft">{apart(A, other)}</p>
          )}
        </>
      )}
    </div>
  );
}
