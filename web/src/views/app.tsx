// The page: answer, strip, then map of heads, main view and inspector side by side, details below.
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import type { Bench } from "../bench";
import type { LiveSession } from "../live/session";
import type { Tab } from "../view";
import { Blocks } from "./blocks";
import { Controls } from "./controls";
import { Drawer } from "./drawer";
import { Flow } from "./flow";
import { EarlyHeader, Header } from "./header";
import { HeadMap } from "./headmap";
import { Heads } from "./heads";
import { Picture } from "./image";
import { Inspector } from "./inspector";
import { Layers } from "./layers";
import { LiveBar } from "./livebar";
import { Matrix } from "./matrix";
import { forgetColours, hideTip, Tip } from "./parts";
import { Scores } from "./scores";
import { Strip } from "./strip";
import { EarlyText } from "./early";
import { Tree } from "./tree";
import { Examples, WelcomeHead } from "./welcome";

const names: Record<Tab, string> = {
  scores: "Scores",
  layers: "Layers",
  matrix: "Matrix",
  flow: "Flow",
  tree: "Tree",
  heads: "Heads",
  image: "Image",
  blocks: "Encoder–decoder",
};

function Main({ b, live }: { b: Bench; live: LiveSession | null }) {
  const tabs = b.tabs,
    tab = b.tab;
  return (
    <section id="main" class="card" aria-label="Main view">
      <div
        class="tabs"
        role="tablist"
        aria-label="Main view"
        onKeyDown={(e) => {
          const step = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
          if (step) {
            const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
            b.set({ tab: next });
            document.getElementById("tab-" + next)?.focus();
          }
        }}
      >
        {tabs.map((t) => (
          <button
            type="button"
            role="tab"
            id={"tab-" + t}
            aria-selected={t === tab}
            aria-controls="main-panel"
            tabIndex={t === tab ? 0 : -1}
            onClick={() => b.set({ tab: t })}
          >
            {names[t]}
          </button>
        ))}
      </div>
      <div id="main-panel" role="tabpanel" aria-labelledby={"tab-" + tab}>
        {tab === "scores" ? (
          <Scores b={b} />
        ) : tab === "layers" ? (
          <Layers b={b} />
        ) : tab === "matrix" ? (
          <Matrix b={b} />
        ) : tab === "flow" ? (
          <Flow b={b} />
        ) : tab === "tree" ? (
          <Tree b={b} live={live} />
        ) : tab === "heads" ? (
          <Heads b={b} />
        ) : tab === "image" ? (
          <Picture b={b} />
        ) : (
          <Blocks b={b} />
        )}
      </div>
    </section>
  );
}

const keys: [string, string][] = [
  ["arrows", "move in the text, in grids, in the matrix, between tabs"],
  ["Enter", "lock the token, head or patch"],
  ["Shift + Enter, shift-click", "add to the selection"],
  ["Esc", "clear the selection"],
  ["[ and ]", "layer down, layer up"],
  ["h, Shift + h", "next head, previous head"],
  ["w", "words or tokens"],
  ["m, Delete", "live: mask or delete the focused token"],
  ["/", "search a token, or in the live page the text"],
  ["Ctrl + z", "undo"],
  ["?", "this list"],
];

function Help({ close }: { close: () => void }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    ref.current?.showModal();
    ref.current?.scrollTo(0, 0); // the focus goes to the button at the end: a small window would open there
  }, []);
  return (
    <dialog ref={ref} aria-label="Keys" onClose={close}>
      <h2>Keys</h2>
      <dl class="keys">
        {keys.map(([k, what]) => (
          <>
            <dt>
              <kbd>{k}</kbd>
            </dt>
            <dd>{what}</dd>
          </>
        ))}
      </dl>
      <p class="soft">Hover previews, a click locks, Esc clears. A hover never overrides what is locked.</p>
      <button type="button" onClick={close}>
        Close
      </button>
    </dialog>
  );
}

function Search({ b, close }: { b: Bench; close: () => void }) {
  const [text, setText] = useState(""),
    input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current?.focus();
  }, []);
  const found = text
    ? b.groups
        .map((g, i) => ({ g, i }))
        .filter(({ g }) => g.name.toLowerCase().includes(text.toLowerCase()))
        .slice(0, 12)
    : [];
  return (
    <div class="search" role="search">
      <label>
        Find{" "}
        <input
          ref={input}
          type="text"
          value={text}
          onInput={(e) => setText(e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.key === "Escape") close();
            if (e.key === "Enter" && found.length) {
              b.set({ keys: [found[0].i] });
              close();
            }
            e.stopPropagation();
          }}
        />
      </label>
      {found.map(({ g, i }) => (
        <button
          type="button"
          onClick={() => {
            b.set({ keys: [i] });
            close();
          }}
        >
          {g.name}
        </button>
      ))}
      <button type="button" onClick={close} aria-label="Close the search">
        ✕
      </button>
    </div>
  );
}

export function App({ b, live }: { b: Bench; live: LiveSession | null }) {
  const [, again] = useReducer((n: number) => n + 1, 0),
    [help, setHelp] = useState(false),
    [search, setSearch] = useState(false);
  // At once, not after the first frame: what the server answers before it would be shown by nothing.
  useLayoutEffect(
    () =>
      b.watch(() => {
        hideTip();
        again(0);
      }),
    [b],
  );
  useEffect(() => {
    const scheme = matchMedia("(prefers-color-scheme: dark)"),
      redraw = () => b.changed();
    scheme.addEventListener("change", redraw);
    const keydown = (e: KeyboardEvent) => {
      const typing =
        ["TEXTAREA", "SELECT"].includes((e.target as Element).tagName) ||
        ((e.target as Element).tagName === "INPUT" && (e.target as HTMLInputElement).type !== "range");
      if (typing || !b.document) return;
      if ((e.ctrlKey || e.metaKey) && e.key === "z") {
        e.preventDefault();
        b.undo();
        return;
      }
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      const a = b.current;
      if (e.key === "Escape") b.set({ row: null, keys: [] });
      else if (e.key === "?") setHelp(true);
      else if (e.key === "/") {
        e.preventDefault();
        const box = document.getElementById("input-text");
        if (box) box.focus();
        else setSearch(true);
      } else if (e.key === "w") b.set({ words: !b.view.words });
      else if (a && e.key === "[") b.setLayer(b.layerOf(a) - 1);
      else if (a && e.key === "]") b.setLayer(b.layerOf(a) + 1);
      else if (a && a.H > 1 && e.key.toLowerCase() === "h")
        b.setHead(((b.headOf(a) + 1 + (e.shiftKey ? -1 : 1) + a.H + 1) % (a.H + 1)) - 1);
    };
    document.addEventListener("keydown", keydown);
    return () => {
      scheme.removeEventListener("change", redraw);
      document.removeEventListener("keydown", keydown);
    };
  }, [b]);
  const theme = b.view.theme;
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  forgetColours();
  const early = live?.predicted ?? null, // of an input that is not explained yet
    shown = b.document !== null,
    results = shown && b.current !== null,
    map = results && b.current!.H > 1 && b.statisticsOf(b.current!).length > 0;
  return (
    <>
      <a
        class="skip"
        href="#text"
        onClick={(e) => {
          e.preventDefault();
          (
            document.querySelector<HTMLElement>("#text .tok[tabindex='0']") ??
            document.querySelector<HTMLElement>("#text button, #input-text")
          )?.focus();
        }}
      >
        Skip to the text
      </a>
      {early ? (
        <EarlyHeader prediction={early} live={live!} />
      ) : shown ? (
        <Header b={b} live={live} />
      ) : live ? (
        <header class="plain-top">
          <div class="brand">
            <b>headwater</b>
          </div>
        </header>
      ) : null}
      {live && !shown && !early && !live.hasInput ? <WelcomeHead /> : null}
      {live ? (
        <div class="wrap">
          <LiveBar b={b} live={live} />
        </div>
      ) : null}
      {results ? <Controls b={b} live={live} help={() => setHelp(true)} /> : null}
      {search ? <Search b={b} close={() => setSearch(false)} /> : null}
      <main class={early && shown ? "stale" : ""}>
        {live && !shown && live.models.length && !live.hasInput ? <Examples live={live} /> : null}
        {early && !shown ? <EarlyText prediction={early} live={live!} /> : null}
        {results ? (
          <>
            <Strip b={b} live={live} />
            <div class={"bench" + (map ? " with-map" : "")}>
              {map ? <HeadMap b={b} /> : null}
              <Main b={b} live={live} />
              <Inspector b={b} />
              <Drawer b={b} live={live} />
            </div>
          </>
        ) : null}
        {shown && !results ? <Drawer b={b} live={live} /> : null}
      </main>
      {help ? <Help close={() => setHelp(false)} /> : null}
      <Tip />
    </>
  );
}
