// What the reader has chosen. All of it can be undone and stands in the address; the text never does unless asked.
import type { Palette } from "./model/colour";
import type { HeadStatistic } from "./model/heads";

export type Tab = "scores" | "layers" | "matrix" | "flow" | "tree" | "heads" | "image" | "blocks";
export type DrawerTab = "numbers" | "agreement" | "faithfulness" | "compare" | "record";
export interface View {
  tab: Tab | null;
  drawer: DrawerTab;
  target: number;
  method: number;
  layers: Record<number, number>;
  heads: Record<number, number>;
  words: boolean;
  special: "keep" | "hide" | "drop";
  shared: boolean | null;
  root: boolean;
  palette: Palette;
  theme: "" | "light" | "dark";
  row: number | null;
  keys: number[];
  kept: number | null;
  residual: number | null;
  mode: "raw" | "difference"; // of the matrix
  statistic: HeadStatistic | null;
  allHeads: boolean;
  muted: number[];
  smooth: boolean;
}

export const initial: View = {
  tab: null,
  drawer: "numbers",
  target: 0,
  method: 0,
  layers: {},
  heads: {},
  words: false,
  special: "keep",
  shared: null,
  root: false,
  palette: "blue",
  theme: "",
  row: null,
  keys: [],
  kept: null,
  residual: null,
  mode: "raw",
  statistic: null,
  allHeads: false,
  muted: [],
  smooth: true,
};

const tabs: Tab[] = ["scores", "layers", "matrix", "flow", "tree", "heads", "image", "blocks"];
const drawers: DrawerTab[] = ["numbers", "agreement", "faithfulness", "compare", "record"];

// #tab=flow&target=1&method=1&layer=3&head=2&row=5&key=2,3 …; what is as it was at first is left out.
export function addressOf(v: View): string {
  const parts: [string, string | number | null | undefined][] = [
    ["tab", v.tab],
    ["drawer", v.drawer === "numbers" ? null : v.drawer],
    ["target", v.target || null],
    ["method", v.method || null],
    ["layer", v.layers[v.method]],
    ["head", v.heads[v.method]],
    ["row", v.row],
    ["key", v.keys.length ? v.keys.join(",") : null],
    ["own", v.shared === null ? null : +!v.shared],
    ["root", v.root ? 1 : null],
    ["words", v.words ? 1 : null],
    ["special", v.special === "keep" ? null : v.special],
    ["colours", v.palette === "blue" ? null : v.palette],
    ["theme", v.theme || null],
    ["kept", v.kept],
    ["residual", v.residual],
    ["mode", v.mode === "raw" ? null : v.mode],
    ["statistic", v.statistic],
    ["heads", v.allHeads ? 1 : null],
    ["muted", v.muted.length ? v.muted.join(",") : null],
    ["patches", v.smooth ? null : 1],
  ];
  return parts
    .filter(([, x]) => x !== null && x !== undefined)
    .map(([k, x]) => `${k}=${encodeURIComponent(String(x))}`)
    .join("&");
}

// Anything that is no such value is left as it was: an address is typed by anybody.
export function viewOf(address: string): View {
  const given = new URLSearchParams(address.replace(/^#/, "")),
    v: View = { ...initial, layers: {}, heads: {} };
  const whole = (key: string, low = 0, high = 1e6): number | null => {
    const x = given.has(key) && given.get(key) !== "" ? Number(given.get(key)) : NaN;
    return Number.isInteger(x) && x >= low && x <= high ? x : null;
  };
  const portion = (key: string): number | null => {
    const x = given.has(key) && given.get(key) !== "" ? Number(given.get(key)) : NaN;
    return x >= 0 && x <= 1 ? x : null;
  };
  const one = <T extends string>(key: string, of: readonly T[], otherwise: T): T =>
    of.includes(given.get(key) as T) ? (given.get(key) as T) : otherwise;
  const list = (key: string) =>
    (given.get(key) ?? "")
      .split(",")
      .filter((x) => /^\d{1,6}$/.test(x))
      .map(Number);
  v.tab = tabs.includes(given.get("tab") as Tab) ? (given.get("tab") as Tab) : null;
  v.drawer = one("drawer", drawers, "numbers");
  v.target = whole("target") ?? 0;
  v.method = whole("method") ?? 0;
  const layer = whole("layer"),
    head = whole("head", -1),
    own = whole("own", 0, 1);
  if (layer !== null) v.layers[v.method] = layer;
  if (head !== null) v.heads[v.method] = head;
  v.row = whole("row");
  v.keys = list("key");
  v.shared = own === null ? null : own === 0;
  v.root = whole("root") === 1;
  v.words = whole("words") === 1;
  v.special = one("special", ["keep", "hide", "drop"] as const, whole("hide") === 1 ? "hide" : "keep");
  v.palette = one("colours", ["blue", "captum"] as const, "blue");
  v.theme = one("theme", ["", "light", "dark"] as const, "");
  v.kept = portion("kept");
  v.residual = portion("residual");
  v.mode = one("mode", ["raw", "difference"] as const, "raw");
  const statistic = given.get("statistic") ?? "";
  v.statistic = /^(strength|importance|entropy|distance|special|detail:\w+)$/.test(statistic) ? (statistic as View["statistic"]) : null;
  v.allHeads = whole("heads") === 1;
  v.muted = list("muted");
  v.smooth = whole("patches") !== 1;
  return v;
}
