// The text as it was written, one row per method, coloured by what the method gives each token. Hover previews, a
// click locks the token as the row, shift-click and dragging add; Escape goes back.
import { useEffect, useRef } from "preact/hooks";
import type { Bench } from "../bench";
import type { LiveSession } from "../live/session";
import { agreementText, shownFor, tau } from "../model/agreement";
import { isMap, type Attribution } from "../model/attribution";
import { linesOfBench, type Line } from "../model/lines";
import { rowOf, rowScale, strongest } from "../model/maps";
import { checkText, describe, number, place, question, shortfall, shownName, signedNumber } from "../model/words";
import { Thumbnail } from "./image";
import { hideTip, Legend, moveFocus, Panel, showTip } from "./parts";
import { DisagreementRow, isUnknown, OtherTargets, Row } from "./striprow";

let keptLines: { key: unknown[]; lines: Line[] } | null = null;
function stableLines(b: Bench): Line[] {
  const key = [b.document, b.view.special];
  if (!keptLines || keptLines.key.some((k, i) => k !== key[i])) keptLines = { key, lines: linesOfBench(b) };
  return keptLines.lines;
}

export function Strip({ b, live }: { b: Bench; live: LiveSession | null }) {
  const current = b.current!,
    lines = b.isImage ? [] : stableLines(b),
    rows = b.attributions.some(isMap);
  const tone = b.tone,
    strips = useRef<HTMLDivElement>(null);
  // The hovered token is marked in every row by hand: a moving pointer draws nothing anew.
  useEffect(
    () =>
      b.watchHover(() => {
        strips.current?.querySelectorAll(".tok.hover").forEach((e) => e.classList.remove("hover"));
        if (b.hover.key !== null && b.hover.key >= 0)
          strips.current?.querySelectorAll(`.tok[data-group="${b.hover.key}"]`).forEach((e) => e.classList.add("hover"));
      }),
    [b],
  );
  let from = -1; // where a drag began
  const groupAt = (event: Event) => {
    const e = (event.target as Element).closest<HTMLElement>(".tok");
    return e ? { g: +e.dataset.group!, t: +e.dataset.at!, e } : null;
  };
  const methodAt = (event: Event) =>
    b.attributions[+((event.target as Element).closest<HTMLElement>("[data-method]")?.dataset.method ?? b.view.method)] ?? current;
  const targetAt = (event: Event) => +((event.target as Element).closest<HTMLElement>("[data-target]")?.dataset.target ?? b.view.target);
  const lock = (a: Attribution, target: number, g: number, add: boolean) => {
    const at = { method: a.index, target };
    if (add) b.set({ ...at, keys: b.view.keys.includes(g) ? b.view.keys.filter((k) => k !== g) : [...b.view.keys, g] });
    else if (isMap(a)) b.set({ ...at, row: b.view.row === g ? null : g, keys: [] });
    else b.set({ ...at, keys: b.view.keys.length === 1 && b.view.keys[0] === g ? [] : [g] });
  };
  return (
    <Panel
      id="text"
      title={b.isImage ? "Picture" : "Text"}
      side={
        <span class="soft hint">
          Hover for numbers, click {b.isImage ? "a patch" : "a token"} {rows ? "to see what it reads" : "to hold it"}
          {live && !b.isImage ? (live.current?.mask ? ", double-click to mask" : "") + ", alt-click to delete" : ""}, Esc to go back.
        </span>
      }
    >
      <div
        class="strips"
        ref={strips}
        onMouseMove={(e) => {
          const at = groupAt(e);
          if (!at || at.g < 0) {
            hideTip();
            b.preview(null, null);
            return;
          }
          const shown = shownFor(b, methodAt(e), targetAt(e)),
            unit = b.units[at.t];
          b.preview(null, at.g);
          if (shown)
            showTip(
              describe(b, shown.a, shown.map, shown.row, at.g, b.targets[shown.target].target) +
                (unit.id !== undefined ? ` · token ${at.t}, id ${unit.id}` : ""),
              e,
            );
        }}
        onMouseLeave={() => {
          hideTip();
          b.preview(null, null);
        }}
        onMouseDown={(e) => {
          from = groupAt(e)?.g ?? -1;
        }}
        onMouseUp={(e) => {
          const to = groupAt(e)?.g ?? -1;
          if (from >= 0 && to >= 0 && from !== to) {
            const [low, high] = [Math.min(from, to), Math.max(from, to)];
            getSelection()?.removeAllRanges();
            b.set({ method: methodAt(e).index, target: targetAt(e), keys: Array.from({ length: high - low + 1 }, (_, i) => low + i) });
            from = -2;
          }
        }}
        onClick={(e) => {
          const at = groupAt(e);
          if (from === -2) {
            from = -1;
            return;
          }
          if (!at || at.g < 0) return;
          if (e.altKey && live) live.remove(at.t);
          else lock(methodAt(e), targetAt(e), at.g, e.shiftKey);
        }}
        onDblClick={(e) => {
          const at = groupAt(e);
          if (at && live) {
            getSelection()?.removeAllRanges();
            live.mask(at.t);
          }
        }}
        onKeyDown={(e) => {
          const own = (document.activeElement as HTMLElement | null)?.closest(".strip-row");
          if (!own) return;
          const at = groupAt(e);
          if (moveFocus(e, [...own.querySelectorAll<HTMLElement>(".tok")], 1))
            b.preview(null, +(document.activeElement as HTMLElement).dataset.group!);
          else if (at && (e.key === "Enter" || e.key === " ")) {
            e.preventDefault();
            lock(methodAt(e), targetAt(e), at.g, e.shiftKey);
          } else if (at && live && e.key === "m") live.mask(at.t);
          else if (at && live && e.key === "Delete") live.remove(at.t);
        }}
      >
        {b.isImage ? (
          <div class="thumbs">
            {b.attributions.map((a) => (
              <Thumbnail b={b} a={a} tau={a === current ? NaN : tau(b, a, current)} />
            ))}
          </div>
        ) : (
          b.attributions.map((a) => {
            const map = b.mapOf(a),
              row = b.rowOf(a),
              failed = a.checks.some((c) => !c.passed),
              short = shortfall(a) !== "";
            return [
              <div class={"strip-row" + (a === current ? " chosen" : "")} role="group" aria-label={a.name} data-method={a.index} key={a.id}>
                <div class="who">
                  <button type="button" class="method-name" aria-pressed={a === current} onClick={() => b.set({ method: a.index })}>
                    {a.name}
                  </button>
                  <span class="soft" title={question(b, a, row)}>
                    {isMap(a)
                      ? `“${shownName(b.groups[row].name)}” reads`
                      : a.traits.of_target
                        ? `for “${b.aim.target.label}”${b.aim.target.contrast ? ` rather than “${b.aim.target.contrast}”` : ""}`
                        : ""}
                    {place(b, a) ? (isMap(a) ? ", " : "") + place(b, a) : ""}
                  </span>
                  {!a.traits.of_target && b.aim.target.label !== "" ? (
                    <span
                      class="soft noclass"
                      title={`${a.name} does not look at the class: ${b.targets.length > 1 ? "it is the same for every target" : "it would be the same for any target"}.`}
                    >
                      same for every class
                    </span>
                  ) : null}
                </div>
                <div class="what">
                  {map ? (
                    <Row
                      b={b}
                      a={a}
                      map={map}
                      row={row}
                      scale={rowScale(map, row, b.groups)}
                      tone={tone}
                      locked={b.view.row}
                      keys={b.view.keys}
                      chosen={a === current}
                      lines={lines}
                    />
                  ) : (
                    <p class="running soft">on its way …</p>
                  )}
                </div>
                <div class="tau">
                  {agreementText(b, a) ? (
                    <span
                      class="num"
                      title={`Kendall τ-b with ${current.name}: 1 is the same order of the ${b.isImage ? "patches" : "tokens"}`}
                    >
                      τ {agreementText(b, a)}
                    </span>
                  ) : null}
                  <span class={failed || short ? "fail" : "soft"} title={checkText(a)}>
                    {failed ? "✗" : short ? "!" : a.checks.length === 0 ? "" : "✓"}
                    <span class="hidden">{checkText(a)}</span>
                  </span>
                </div>
              </div>,
              <OtherTargets b={b} a={a} lines={lines} />,
            ];
          })
        )}
        {b.isImage || b.attributions.length < 3 ? null : <DisagreementRow b={b} lines={lines} />}
      </div>
      <UnknownWords b={b} />
      <StripLegend b={b} a={current} />
    </Panel>
  );
}

// Of such a word the model is told only that there is one.
function UnknownWords({ b }: { b: Bench }) {
  const words = [...new Set(b.units.filter(isUnknown).map((unit) => shownName(unit.text)))];
  return words.length ? (
    <p class="caption unknown-words">
      The model has no piece for{" "}
      {words
        .slice(0, 5)
        .map((w) => `“${w}”`)
        .join(", ")}
      {words.length > 5 ? ` and ${words.length - 5} more` : ""}: it reads {b.units.find(isUnknown)!.piece} there, whatever the word is.
    </p>
  ) : null;
}

function StripLegend({ b, a }: { b: Bench; a: Attribution }) {
  const map = b.mapOf(a);
  if (!map) return null;
  const row = b.rowOf(a),
    scale = rowScale(map, row, b.groups),
    values = rowOf(map, row);
  const beyond = b.isImage ? [] : strongest(values, 3).filter((x) => b.groups[x.index].special && Math.abs(x.value) > scale);
  let sum = 0,
    low = Infinity,
    high = -Infinity,
    holes = false;
  for (const v of values)
    if (v === v) {
      sum += v;
      low = Math.min(low, v);
      high = Math.max(high, v);
    } else holes = true;
  return (
    <Legend
      b={b}
      a={a}
      high={number(scale)}
      holes={holes && !b.isImage}
      what={
        `${a.name}: each row scaled to its strongest ${b.isImage ? "patch" : isMap(a) ? "word" : "token"}` +
        (beyond.length
          ? `; beyond the scale: ${beyond.map((x) => `${shownName(b.groups[x.index].name)} ${signedNumber(a, x.value)}`).join(", ")}`
          : "")
      }
      raw={
        `raw ${number(low)} … ${number(high)}, sum ${number(sum)}` +
        (Math.max(Math.abs(low), Math.abs(high)) < 1e-6 ? "; nearly nothing: colours say little" : "")
      }
    />
  );
}
