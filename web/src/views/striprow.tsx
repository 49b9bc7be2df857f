// The rows of the strip: a method's scores on the running text, the same for other targets, and where methods differ.
import { memo } from "preact/compat";
import type { Bench } from "../bench";
import { othersFor, spreadOf, tauOfTargets, tauText } from "../model/agreement";
import { isMap, type Attribution } from "../model/attribution";
import { css, inkOn, toned, type Tone } from "../model/colour";
import type { Token } from "../model/document";
import { spaceBefore, type Line } from "../model/lines";
import { rowScale, type GridMap } from "../model/maps";
import { absence, shownName, signedNumber } from "../model/words";

const sequenceNames = ["text", "second text", "output so far"];

interface RowProps {
  b: Bench;
  a: Attribution;
  map: GridMap;
  row: number;
  scale: number;
  tone: Tone;
  locked: number | null;
  keys: number[];
  chosen: boolean;
  lines: Line[];
  plain?: boolean; // to be read, not to be pressed
}

// A piece that stands for whatever the tokenizer has no piece for.
export const isUnknown = (unit: Token) => !unit.special && /^(\[UNK\]|<unk>)$/i.test(unit.piece ?? "") && unit.text !== unit.piece;

function tokenLabel(unit: Token, g: number, v: number, a: Attribution) {
  return (
    unit.text +
    (isUnknown(unit) ? ", unknown to the model" : "") +
    (g < 0 ? ", hidden" : ", " + (v === v ? (isMap(a) ? "weight " : "score ") + signedNumber(a, v) : absence(a)))
  );
}

export const Row = memo(
  function Row({ b, a, map, row, scale, tone, locked, keys, chosen, lines, plain = false }: RowProps) {
    const target = b.aim.target.position >= 0 ? b.aim.target.position + b.split : -1;
    return (
      <>
        {lines.map((line) => (
          <p
            class="running"
            dir={line.right ? "rtl" : "ltr"}
            role="group"
            aria-label={`${sequenceNames[line.sequence] ?? "text"} by ${a.name}`}
          >
            {line.pieces.map(({ before, at }) => {
              const unit = b.units[at],
                g = b.indexOf[at],
                v = g < 0 ? NaN : map.v[row * map.C + g],
                space = spaceBefore(unit.text);
              const marked = isMap(a) ? g === row : keys.includes(g),
                colour = v === v ? toned(v, scale, tone) : null;
              const classes = [
                "tok",
                plain && "plain",
                unit.special && "special",
                g >= 0 && at !== b.groups[g].members[0] && "goes-on",
                g >= 0 && at !== b.groups[g].members.at(-1) && "is-continued",
                v !== v && g >= 0 && "forbidden",
                marked && "row",
                isMap(a) && keys.includes(g) && "key",
                isMap(a) && Math.abs(v) > scale && unit.special && "beyond",
                isUnknown(unit) && "unknown",
                at === target && "target",
                unit.target && "own",
              ]
                .filter(Boolean)
                .join(" ");
              return (
                <>
                  {before + space}
                  <span
                    class={classes}
                    role={plain ? undefined : "button"}
                    data-at={at}
                    data-group={g}
                    tabIndex={plain ? undefined : chosen && (isMap(a) ? g === row : at === line.pieces[0].at && line === lines[0]) ? 0 : -1}
                    aria-pressed={plain ? undefined : isMap(a) ? g === locked : keys.includes(g)}
                    aria-label={plain ? undefined : tokenLabel(unit, g, v, a)}
                    title={plain && v === v ? signedNumber(a, v) : undefined}
                    style={colour ? { background: css(colour), color: inkOn(colour) } : {}}
                  >
                    {unit.text === "" ? "␣" : unit.text.slice(space.length)}
                  </span>
                </>
              );
            })}
          </p>
        ))}
      </>
    );
  },
  (x, y) =>
    x.a === y.a &&
    x.map === y.map &&
    x.row === y.row &&
    x.scale === y.scale &&
    x.locked === y.locked &&
    x.chosen === y.chosen &&
    x.lines === y.lines &&
    x.keys.join() === y.keys.join() &&
    x.tone.dark === y.tone.dark &&
    x.tone.palette === y.tone.palette &&
    x.tone.root === y.tone.root,
);

export function DisagreementRow({ b, lines }: { b: Bench; lines: Line[] }) {
  const spread = spreadOf(b);
  if (!spread) return null;
  const most = [...spread.keys()].filter((g) => spread[g] === spread[g] && !b.groups[g].special).sort((x, y) => spread[y] - spread[x]),
    named = [...new Set(most.map((g) => shownName(b.groups[g].name)))].slice(0, 3); // a word that comes twice is named once
  return (
    <div class="strip-row differ" role="group" aria-label="Where the methods differ">
      <div class="who">
        <span class="method-name">disagreement</span>
      </div>
      <div class="what">
        {lines.map((line) => (
          <p class="running small" dir={line.right ? "rtl" : "ltr"}>
            {line.pieces.map(({ before, at }) => {
              const g = b.indexOf[at],
                s = g < 0 ? NaN : spread[g],
                space = spaceBefore(b.units[at].text);
              return (
                <>
                  {before + space}
                  <span
                    class={"tok plain" + (b.units[at].special ? " special" : "")}
                    data-at={at}
                    data-group={g}
                    title={s === s ? `ranks differ by ${Math.round(100 * s)} % of the list` : ""}
                    style={{ boxShadow: s === s ? `inset 0 -${(0.4 + 5 * s * s).toFixed(1)}px 0 0 var(--differ)` : "none" }}
                  >
                    {b.units[at].text.slice(space.length)}
                  </span>
                </>
              );
            })}
          </p>
        ))}
        <p class="caption">
          The thicker the line, the further apart the methods rank it
          {named.length ? `; most: ${named.map((name) => `“${name}”`).join(", ")}` : ""}.
        </p>
      </div>
      <div class="tau" />
    </div>
  );
}

// The same method for the other targets, each below its own row.
export function OtherTargets({ b, a, lines }: { b: Bench; a: Attribution; lines: Line[] }) {
  return (
    <>
      {othersFor(b, a).map((other) => {
        const t = b.targets[other.target].target;
        return (
          <div
            class="strip-row besides"
            role="group"
            aria-label={`${a.name} for ${t.label}`}
            data-method={a.index}
            data-target={other.target}
            key={other.a.id}
          >
            <div class="who">
              <button type="button" class="target-name" onClick={() => b.set({ method: a.index, target: other.target })}>
                for “{t.label}”{t.contrast ? ` rather than “${t.contrast}”` : ""}
              </button>
            </div>
            <div class="what">
              <Row
                b={b}
                a={other.a}
                map={other.map}
                row={other.row}
                scale={rowScale(other.map, other.row, b.groups)}
                tone={b.tone}
                locked={b.view.row}
                keys={b.view.keys}
                chosen={false}
                lines={lines}
              />
            </div>
            <div class="tau">
              <span class="num soft" title={`Kendall τ-b with its scores for ${b.aim.target.label}`}>
                τ {tauText(tauOfTargets(b, a, other))}
              </span>
            </div>
          </div>
        );
      })}
    </>
  );
}
