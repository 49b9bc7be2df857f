// How to look at it: target, method, layer, head, units, colours; and what can be taken away.
import { useState } from "preact/hooks";
import type { Bench } from "../bench";
import { animatedFlow } from "../export/film";
import { blocksFigure, layersFigure, matrixFigure } from "../export/maps";
import { csvOf, jsonOf, npzOf } from "../export/numbers";
import { chartsFigure, headMapFigure } from "../export/panels";
import { pdfOf } from "../export/pdf";
import { pictureFigure } from "../export/picture";
import { imageOf, pageOf, pngOf, save } from "../export/save";
import { stripFigure } from "../export/strip";
import { escaped, headline, shownFigure } from "../export/svg";
import { headLook } from "../model/colour";
import type { LiveSession } from "../live/session";
import { growsFrom } from "../model/tree";
import { hasWords } from "../model/units";
import { addressOf } from "../view";
import { flowMethod } from "./flow";
import { headMapOf } from "./headmap";
import { Chooser, Segments, usePopup } from "./parts";

const pdf_title = "vectors; text in Helvetica, and as pictures where that has no letters for it. headwater plot embeds fonts.";

const range = (n: number) => Array.from({ length: n }, (_, i) => i);

async function figureOf(b: Bench): Promise<string> {
  if (b.tab === "layers") return layersFigure(b);
  if (b.tab === "matrix") return matrixFigure(b);
  if (b.tab === "blocks") return blocksFigure(b);
  if (b.tab === "image") return pictureFigure(b, b.data.picture ? await imageOf(b.data.picture) : null);
  if (b.tab === "scores") return stripFigure(b);
  if (b.tab === "heads") {
    const a = b.current!,
      heads = range(a.H).filter((h) => !b.view.muted.includes(h));
    return shownFigure(
      "#main-panel svg.figure",
      headline(b, a, `heads of L${b.layerOf(a)}`),
      heads.map((h) => ({ ...headLook(h), name: `head ${h}` })),
    );
  }
  // These may follow another method than the chosen one.
  const followed = b.tab === "tree" ? b.attributions.find(growsFrom) : flowMethod(b);
  return shownFigure("#main-panel svg.figure", headline(b, followed ?? b.current!, b.tab));
}

// A page that opens on the view it was saved from.
const asLeft = (b: Bench, page: string) =>
  page.replace(/<html lang="en"(?: data-view="[^"]*")?>/, () => `<html lang="en" data-view="${escaped(addressOf(b.view))}">`);

export function ExportMenu({ b, live }: { b: Bench; live: LiveSession | null }) {
  const { frame, open, setOpen } = usePopup<HTMLSpanElement>(),
    [problem, setProblem] = useState(""),
    stem = `headwater-${b.tab}`;
  const run = (what: () => Promise<void> | void) => async () => {
    setProblem("");
    try {
      await what();
      setOpen(false);
    } catch (e) {
      setProblem((e as Error).message);
    }
  };
  // One panel in three forms.
  const forms = (name: string, file: string, draw: () => Promise<string> | string) => {
    const figure = async () => {
      const svg = await draw();
      if (!svg) throw new Error("This panel shows nothing that could be drawn.");
      return svg;
    };
    const write: [string, () => Promise<void>, string][] = [
      ["SVG", async () => save(file + ".svg", await figure(), "image/svg+xml"), "vectors, text as text"],
      ["PDF", async () => save(file + ".pdf", await pdfOf(await figure()), "application/pdf"), pdf_title],
      ["PNG", async () => save(file + ".png", await pngOf(await figure()), "image/png"), "two pixels for each on the screen"],
    ];
    return (
      <div class="forms" role="presentation">
        <span>{name}</span>
        {write.map(([form, what, title]) => (
          <button type="button" role="menuitem" aria-label={`${name} as ${form}`} title={title} onClick={run(what)}>
            {form}
          </button>
        ))}
      </div>
    );
  };
  const whole = async () => {
    if (!live) {
      save("headwater-report.html", asLeft(b, pageOf()), "text/html");
      return;
    }
    const page = await live.api.bytes("/v1/explain", "text/html", live.body(b.attributions.map((a) => a.method)));
    save("headwater-report.html", asLeft(b, new TextDecoder().decode(page)), "text/html");
  };
  const item = (name: string, what: () => Promise<void> | void) => (
    <button type="button" role="menuitem" onClick={run(what)}>
      {name}
    </button>
  );
  return (
    <span class="picker" ref={frame}>
      <button type="button" aria-haspopup="menu" aria-expanded={open} onClick={() => setOpen(!open)}>
        Export ▾
      </button>
      {open ? (
        <div
          class="popup menu"
          role="menu"
          aria-label="Export"
          onKeyDown={(e) => {
            const step = e.key === "ArrowDown" ? 1 : e.key === "ArrowUp" ? -1 : 0,
              items = [...e.currentTarget.querySelectorAll<HTMLElement>("[role=menuitem]")],
              at = items.indexOf(document.activeElement as HTMLElement);
            if (step === 0) return;
            e.preventDefault();
            items[(at + step + items.length) % items.length].focus();
          }}
        >
          <span class="soft" role="presentation">
            Panels
          </span>
          {forms("Figure", stem, () => figureOf(b))}
          {b.isImage ? null : forms("Text strip", "headwater-strip", () => stripFigure(b))}
          {headMapOf(b) ? forms("Layers × heads", "headwater-headmap", () => headMapFigure(b)) : null}
          {document.querySelector("#drawer .chart-box") ? forms("Charts", "headwater-charts", chartsFigure) : null}
          {b.tabs.includes("flow")
            ? item("Flow as animated SVG", () => {
                const s = animatedFlow(b);
                if (!s) throw new Error("No method here can be followed.");
                save("headwater-flow.svg", s, "image/svg+xml");
              })
            : null}
          <span class="soft" role="presentation">
            Numbers
          </span>
          {item("This map as CSV", () => save(stem + ".csv", csvOf(b), "text/csv"))}
          {item("This map as JSON", () => save(stem + ".json", jsonOf(b), "application/json"))}
          {item("All results as npz", async () =>
            save(
              "headwater.npz",
              live
                ? new Uint8Array(await live.api.bytes("/v1/explain", "application/x-npz", live.body(b.attributions.map((a) => a.method))))
                : npzOf(b),
              "application/zip",
            ),
          )}
          <span class="soft" role="presentation">
            Everything
          </span>
          {item("The page as one HTML file", whole)}
          {problem ? (
            <p class="error" role="alert">
              {problem}
            </p>
          ) : null}
        </div>
      ) : null}
    </span>
  );
}

function Share({ b, live }: { b: Bench; live: LiveSession | null }) {
  const [done, setDone] = useState(""),
    link = (text: boolean) => (live ? live.link(text, addressOf(b.view)) : location.href.replace(/#.*/, "") + "#" + addressOf(b.view));
  const [withText, setWithText] = useState(false);
  const copy = () =>
    navigator.clipboard?.writeText(link(withText)).then(
      () => setDone(withText ? "Copied with the text" : "Copied"),
      () => setDone(""),
    );
  return (
    <>
      <button type="button" onClick={copy} title="Copy a link to this view">
        {done || "Share"}
      </button>
      {live && live.current?.input !== "image" ? (
        <label class="group" title="The link holds the text too: whoever gets it can read it">
          <input
            type="checkbox"
            checked={withText}
            onChange={(e) => {
              setWithText(e.currentTarget.checked);
              setDone("");
            }}
          />{" "}
          with the text
        </label>
      ) : null}
    </>
  );
}

function Look({ b }: { b: Bench }) {
  const { frame, open, setOpen } = usePopup<HTMLSpanElement>();
  return (
    <span class="picker look" ref={frame}>
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        Appearance ▾
      </button>
      {open ? (
        <div class="popup" role="group" aria-label="Appearance">
          <Segments
            label="Tone"
            options={[
              [false, "linear"],
              [true, "stronger contrast"],
            ]}
            chosen={b.view.root}
            pick={(root) => b.set({ root })}
          />
          <Chooser
            label="Colours"
            options={[
              ["blue", "blue, orange"],
              ["captum", "green, red (Captum)"],
            ]}
            chosen={b.view.palette}
            pick={(v) => b.set({ palette: v as "blue" })}
          />
          <Segments
            label="Theme"
            options={[
              ["", "auto"],
              ["light", "light"],
              ["dark", "dark"],
            ]}
            chosen={b.view.theme}
            pick={(theme) => b.set({ theme })}
          />
        </div>
      ) : null}
    </span>
  );
}

export function Controls({ b, live, help }: { b: Bench; live: LiveSession | null; help: () => void }) {
  const a = b.current!;
  return (
    <nav id="controls" aria-label="View">
      {b.targets.length > 1 ? (
        <Segments
          label="Target"
          options={b.targets.map((t, k) => [k, t.target.label + (t.target.contrast ? ` − ${t.target.contrast}` : "")] as [number, string])}
          chosen={b.view.target}
          pick={(target) => b.set({ target })}
        />
      ) : null}
      {b.attributions.length > 1 ? (
        <Chooser
          label="Method"
          options={b.attributions.map((x) => [x.index, x.name])}
          chosen={a.index}
          pick={(v) => b.set({ method: +v })}
        />
      ) : null}
      {a.L > 1 ? (
        <Chooser label="Layer" options={range(a.L).map((l) => [l, "L" + l])} chosen={b.layerOf(a)} pick={(v) => b.setLayer(+v)} />
      ) : null}
      {a.H > 1 ? (
        <Chooser
          label="Head"
          options={[[-1, "mean"], ...range(a.H).map((h) => [h, "H" + h] as [number, string])]}
          chosen={b.headOf(a)}
          pick={(v) => b.setHead(+v)}
        />
      ) : null}
      {!b.isImage && hasWords(b.units) ? (
        <Segments
          label="Unit"
          options={[
            [false, "tokens"],
            [true, "words"],
          ]}
          chosen={b.view.words}
          pick={(words) => b.set({ words })}
        />
      ) : null}
      {!b.isImage && b.units.some((t) => t.special) ? (
        <Segments
          label="Special tokens"
          options={[
            ["keep", "show", "special tokens as they are"],
            ["hide", "hide", "left out, numbers unchanged"],
            ["drop", "leave out, rescale", "left out, rows that summed to 1 divided by the rest"],
          ]}
          chosen={b.view.special}
          pick={(special) => b.set({ special })}
        />
      ) : null}
      <Look b={b} />
      <span class="group end">
        {live ? null : (
          <button type="button" onClick={() => b.undo()} disabled={!b.canUndo} title="Undo (Ctrl+Z)">
            ↶
          </button>
        )}
        <Share b={b} live={live} />
        <ExportMenu b={b} live={live} />
        <button type="button" aria-label="Help" title="Keys (?)" onClick={help}>
          ?
        </button>
      </span>
    </nav>
  );
}
