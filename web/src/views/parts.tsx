// Small pieces that several panels share.
import type { ComponentChildren, HTMLAttributes } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import type { Bench } from "../bench";
import { isMap, type Attribution } from "../model/attribution";
import { css, shade } from "../model/colour";
import { uprightLetters } from "../model/reading";
import { signWords } from "../model/words";

export function useHover(b: Bench) {
  const [, again] = useReducer((n: number) => n + 1, 0);
  useEffect(() => b.watchHover(() => again(0)), [b]);
}

// What a button opens below itself: closed by Escape, which gives the button the focus back, and by a press anywhere else.
// The frame holds the button, as its first, and what is open.
export function usePopup<E extends HTMLElement>(): { frame: { current: E | null }; open: boolean; setOpen: (open: boolean) => void } {
  const frame = useRef<E>(null),
    [open, setOpen] = useState(false);
  // With the popup itself: no key or press comes between.
  useLayoutEffect(() => {
    if (!open) return;
    const press = (e: PointerEvent) => {
      if (!frame.current?.contains(e.target as Node)) setOpen(false);
    };
    const key = (e: KeyboardEvent) => {
      if (e.key !== "Escape") return;
      e.stopPropagation(); // what is selected stays
      setOpen(false);
      frame.current?.querySelector("button")?.focus();
    };
    document.addEventListener("pointerdown", press);
    document.addEventListener("keydown", key, true);
    return () => {
      document.removeEventListener("pointerdown", press);
      document.removeEventListener("keydown", key, true);
    };
  }, [open]);
  return { frame, open, setOpen };
}

// The width an element has, kept current; drawings are made to measure.
export function useWidth(least: number): [{ current: HTMLDivElement | null }, number] {
  const ref = useRef<HTMLDivElement>(null),
    [width, setWidth] = useState(least);
  useLayoutEffect(() => {
    const e = ref.current;
    if (!e) return;
    const measure = () => setWidth(Math.max(least, Math.floor(e.clientWidth)));
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(e);
    return () => watcher.disconnect();
  }, []);
  return [ref, width];
}

type CanvasProps = Omit<HTMLAttributes<HTMLCanvasElement>, "ref" | "width" | "height" | "label"> & {
  width: number;
  height: number;
  draw: (g: CanvasRenderingContext2D) => void;
  seen?: (c: HTMLCanvasElement | null) => void;
  label?: string;
};
// A canvas at the screen's resolution, drawn anew with every render.
export function Canvas({ width, height, draw, seen, label, ...rest }: CanvasProps) {
  const ref = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const c = ref.current!,
      dots = Math.max(1, Math.min(3, devicePixelRatio || 1));
    c.width = Math.round(width * dots);
    c.height = Math.round(height * dots);
    const g = c.getContext("2d")!;
    g.scale(c.width / width, c.height / height);
    draw(g);
    seen?.(c);
  });
  return (
    <canvas
      ref={ref}
      style={{ width: width + "px", height: height + "px" }}
      role={label ? "img" : undefined}
      aria-label={label}
      aria-hidden={label ? undefined : "true"}
      {...rest}
    />
  );
}

// The theme's colours, read once for every drawing of the page: each reading makes the browser settle its styles.
const colours = new Map<string, string>();
export const forgetColours = () => colours.clear();
export function themed(name: string): string {
  if (!colours.has(name)) colours.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  return colours.get(name)!;
}

export function hatch(g: CanvasRenderingContext2D): CanvasPattern {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const h = tile.getContext("2d")!;
  h.strokeStyle = themed("--line");
  h.lineWidth = 1.2;
  h.beginPath();
  for (const o of [-6, 0, 6]) {
    h.moveTo(o, 6);
    h.lineTo(o + 6, 0);
  }
  h.stroke();
  return g.createPattern(tile, "repeat")!;
}

export function Segments<T extends string | number | boolean>({
  label,
  options,
  chosen,
  pick,
  hidden,
}: {
  label: string;
  options: [T, string, string?][];
  chosen: T | undefined;
  pick: (v: T) => void;
  hidden?: boolean;
}) {
  return (
    <span class="group">
      {hidden ? null : <span aria-hidden="true">{label}</span>}
      <span class="segments" role="group" aria-label={label}>
        {options.map(([value, text, title]) => (
          <button type="button" aria-pressed={value === chosen} title={title} onClick={() => pick(value)}>
            {text}
          </button>
        ))}
      </span>
    </span>
  );
}

// A number to be dragged: its name, what a reader without eyes hears, and the value as it is shown.
export function Slider({
  name,
  label,
  range: [min, max, step],
  value,
  set,
  shown = value.toFixed(2),
}: {
  name: string;
  label: string;
  range: [number, number, number];
  value: number;
  set: (value: number) => void;
  shown?: string;
}) {
  return (
    <label class="group">
      <span title={label}>{name}</span>
      <input
        type="range"
        min={min}
        max={max}
        step={step}
        value={value}
        aria-label={label}
        onInput={(e) => set(Number(e.currentTarget.value))}
      />
      <span class="num">{shown}</span>
    </label>
  );
}

export function Chooser({
  label,
  options,
  chosen,
  pick,
}: {
  label: string;
  options: [number | string, string][];
  chosen: number | string;
  pick: (v: string) => void;
}) {
  return (
    <label class="group">
      <span>{label}</span>
      <select value={String(chosen)} onChange={(e) => pick(e.currentTarget.value)}>
        {options.map(([value, text]) => (
          <option value={String(value)} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

// A name below its column, read from above; Chinese and the like stand upright, one letter below another.
export function TurnedName({ x, y, name, fill, bold }: { x: number; y: number; name: string; fill: string; bold: boolean }) {
  const letters = uprightLetters(name),
    weight = bold ? "700" : "400";
  if (letters.length)
    return (
      <>
        {letters.map((letter, i) => (
          <text x={x} y={y + 10 + 12.5 * i} text-anchor="middle" font-size="11.5" fill={fill} font-weight={weight}>
            {letter}
          </text>
        ))}
      </>
    );
  return (
    <text transform={`translate(${x - 4} ${y}) rotate(90)`} font-size="11.5" fill={fill} font-weight={weight}>
      {name}
    </text>
  );
}

export function Bar({ share, signed }: { share: number; signed: boolean }) {
  const part = 100 * Math.min(1, Math.abs(share || 0));
  return (
    <span class={"track" + (signed ? " signed" : "")} aria-hidden="true">
      <i
        class={share < 0 ? "against" : ""}
        style={{ width: (signed ? part / 2 : part) + "%", marginLeft: signed ? (share < 0 ? 50 - part / 2 : 50) + "%" : "0" }}
      />
    </span>
  );
}

export function Ramp({ b, signed }: { b: Bench; signed: boolean }) {
  return (
    <Canvas
      class="ramp"
      width={120}
      height={10}
      draw={(g) => {
        for (let x = 0; x < 120; ++x) {
          g.fillStyle = css(shade(signed ? (x - 59.5) / 59.5 : x / 119, b.dark, b.view.palette));
          g.fillRect(x, 0, 1.5, 10);
        }
      }}
    />
  );
}

// The scale with its sign, its raw ends and what hatching means.
export function Legend({
  b,
  a,
  high,
  what,
  holes,
  raw,
}: {
  b: Bench;
  a: Attribution;
  high: string;
  what: string;
  holes?: boolean;
  raw?: string;
}) {
  const isNumber = /^[0-9]/.test(high),
    words = signWords(b, a);
  return (
    <div class="legend">
      <span class="scale">
        <span class="num">{!a.signed ? "0" : isNumber ? "−" + high : "−"}</span>
        <Ramp b={b} signed={a.signed} />
        <span class="num">{(a.signed && isNumber ? "+" : "") + high}</span>
      </span>
      <span>{[words, what].filter(Boolean).join("; ") + (b.view.root ? " (square root)" : "")}</span>
      {raw ? <span class="num">{raw}</span> : null}
      {holes ? (
        <span class="scale">
          <i class="hatch" aria-hidden="true" />
          {isMap(a) ? "masked" : "not measured"}
        </span>
      ) : null}
    </div>
  );
}

// One tooltip for the page, moved by hand so that no panel is drawn anew for it.
let tipElement: HTMLElement | null = null;
export function Tip() {
  return (
    <div
      id="tip"
      role="tooltip"
      hidden
      ref={(e) => {
        tipElement = e;
      }}
    />
  );
}
export function showTip(text: string, event: { clientX: number; clientY: number }) {
  const tip = tipElement;
  if (!tip) return;
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(innerWidth - box.width - 4, event.clientX + 14)) + "px";
  tip.style.top = (event.clientY + 20 + box.height > innerHeight ? event.clientY - box.height - 8 : event.clientY + 20) + "px";
}
export const hideTip = () => {
  if (tipElement) tipElement.hidden = true;
};

export function Panel({ id, title, side, children }: { id: string; title: string; side?: ComponentChildren; children: ComponentChildren }) {
  return (
    <section id={id} class="card" aria-labelledby={id + "-title"}>
      <div class="line">
        <h2 id={id + "-title"}>{title}</h2>
        {side}
      </div>
      {children}
    </section>
  );
}

// A text in which no option of the command line is cut in two: browsers break a line after “--”.
export const Unbroken = ({ text }: { text: string }) => (
  <>{text.split(/(--[a-z][a-z-]*)/).map((part, i) => (i % 2 ? <span class="whole">{part}</span> : part))}</>
);

export const Empty = ({ children }: { children: ComponentChildren }) => <p class="empty">{children}</p>;

// A panel the chosen method has nothing for: what it lacks, and the methods here that have it.
export function Unsuited({ b, lacks, fits }: { b: Bench; lacks: string; fits: (a: Attribution) => boolean }) {
  const others = b.attributions.filter(fits);
  return (
    <div class="empty">
      <p>
        {b.current!.name} {lacks}.{others.length ? " These have it:" : " Add a method that has it, such as attention."}
      </p>
      <div class="tools">
        {others.map((a) => (
          <button type="button" onClick={() => b.set({ method: a.index })}>
            {a.name}
          </button>
        ))}
      </div>
    </div>
  );
}

// Arrow keys among the elements of a group, of which one is the tab stop.
export function moveFocus(event: KeyboardEvent, elements: HTMLElement[], columns: number): boolean {
  const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns };
  const step = steps[event.key],
    at = elements.indexOf(document.activeElement as HTMLElement);
  if (!step || at < 0) return false;
  const next = elements[Math.min(elements.length - 1, Math.max(0, at + step))];
  elements.forEach((e) => {
    e.tabIndex = -1;
  });
  next.tabIndex = 0;
  next.focus();
  event.preventDefault();
  return true;
}
