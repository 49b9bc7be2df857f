// The page's state and what follows from it: document, view, hover, and the maps every panel draws.
import { attributionOf, isMap, type Attribution, type Fetcher } from "./model/attribution";
import { type Tone } from "./model/colour";
import type { Aimed, PageDocument, PageData, Token } from "./model/document";
import { headDetails, headStatistics, type HeadStatistic, type Measured, type Statistics } from "./model/heads";
import { gridMap, MapStore, type GridMap } from "./model/maps";
import { growsFrom } from "./model/tree";
import { groupIndex, groupsOf, patchesOf, unitsOf, type Group, type Patches } from "./model/units";
import { addressOf, initial, viewOf, type Tab, type View } from "./view";

// A reading that is kept beside another.
export interface Pin {
  title: string;
  said: string; // of which text or picture
  names: string[];
  special: boolean[];
  right: boolean; // a text that runs from the right
  values: Float32Array;
  signed: boolean;
  picture: string | undefined;
}
export interface Hover {
  row: number | null;
  key: number | null;
}
interface Step {
  view: View;
  mark: unknown;
  edit: boolean; // of what is explained, not of how one looks at it
}
const most_steps = 200; // that can be undone
const most_compared = 1 << 16; // cells of a map whose layers are compared unasked

export class Bench {
  document: PageDocument | null = null;
  view: View = { ...initial };
  hover: Hover = { row: null, key: null };
  units: Token[] = [];
  groups: Group[] = [];
  patches: Patches | null = null;
  indexOf: Int32Array = new Int32Array(0);
  maps = new MapStore([]);
  fetcher: Fetcher | null = null;
  grows = false; // whether a server grows trees
  onUndo: ((mark: unknown) => void) | null = null; // the live part's own state, undone with the view's
  mark: () => unknown = () => null;
  private aimed: (Attribution[] | null)[] = [];
  private past: Step[] = [];
  pins: { A: Pin | null; B: Pin | null } = { A: null, B: null }; // what is kept for comparison
  private watchers = new Set<() => void>();
  private hoverWatchers = new Set<() => void>();
  private statistics = new Map<string, Statistics>();

  get data(): PageData {
    return this.document!.data;
  }
  get targets(): Aimed[] {
    return [this.data, ...(this.data.others ?? [])];
  }
  get aim(): Aimed {
    return this.targets[this.view.target];
  }
  // The chosen method's sentence; without methods the answer alone.
  get headline(): string {
    return this.current?.sentence ?? this.aim.answer ?? this.aim.sentence ?? this.data.sentence;
  }
  get isImage() {
    return this.patches !== null;
  }
  // Where the output so far begins: 0 where there is one sequence.
  get split() {
    const s = this.data.sequences ?? [];
    return s.length > 1 ? s[s.length - 1].first : 0;
  }
  get splitGroup() {
    return this.split > 0 ? this.groups.findIndex((g) => g.members[0] >= this.split) : 0;
  }

  watch(f: () => void) {
    this.watchers.add(f);
    return () => {
      this.watchers.delete(f);
    };
  }
  watchHover(f: () => void) {
    this.hoverWatchers.add(f);
    return () => {
      this.hoverWatchers.delete(f);
    };
  }
  changed() {
    for (const f of [...this.watchers]) f();
  }

  load(document: PageDocument | null, keepView = false) {
    this.document = document;
    this.aimed = [];
    this.statistics.clear();
    if (!document) {
      this.units = [];
      this.groups = [];
      this.patches = null;
      this.changed();
      return;
    }
    this.units = unitsOf(document.data);
    this.patches = patchesOf(document.data);
    if (!keepView) this.view = { ...this.view, target: 0, row: null, keys: [] };
    this.clamp();
    this.regroup();
    this.changed();
  }

  readAddress(address: string) {
    this.view = viewOf(address);
  }
  private clamp() {
    const v = this.view;
    v.target = Math.min(v.target, this.targets.length - 1);
    v.method = Math.max(0, Math.min(v.method, this.attributions.length - 1));
    if (this.aim.target === undefined) v.target = 0;
  }

  regroup() {
    this.groups = groupsOf(this.units, this.view.words, this.view.special === "keep", this.aim.read);
    this.indexOf = groupIndex(this.groups, this.units.length);
    this.maps = new MapStore(this.groups);
    const G = this.groups.length;
    if (this.view.row !== null && this.view.row >= G) this.view.row = null;
    this.view.keys = this.view.keys.filter((k) => k < G);
  }

  // The one way to change the view.
  set(change: Partial<View>, undoable = true) {
    if (undoable) this.remember();
    const regroups = ["words", "special", "target"].some((k) => k in change && (change as never)[k] !== (this.view as never)[k]);
    const another = change.method !== undefined && change.method !== this.view.method; // is shown as it is first
    this.view = { ...this.view, ...(another ? { mode: "raw" } : {}), ...change };
    if (this.document) {
      this.clamp();
      if (regroups) {
        if (!("target" in change)) this.view = { ...this.view, row: null, keys: [] };
        this.regroup();
      }
    }
    this.hover = { row: null, key: null };
    this.writeAddress();
    this.changed();
  }
  remember(edit = false) {
    this.past.push({ view: this.view, mark: this.mark(), edit });
    if (this.past.length > most_steps) this.past.shift();
  }
  get canUndo() {
    return this.past.length > 0;
  }
  // The last edit first, and the view stays; where nothing was edited, the last step of the view.
  undo() {
    const last = this.past.map((step) => step.edit).lastIndexOf(true),
      before = last >= 0 ? this.past.splice(last, 1)[0] : this.past.pop();
    if (!before) return;
    if (before.edit) this.onUndo?.(before.mark);
    else this.view = before.view;
    if (this.document) {
      this.clamp();
      this.regroup();
    }
    this.writeAddress();
    this.changed();
  }
  writeAddress() {
    try {
      history.replaceState(history.state, "", "#" + addressOf(this.view));
    } catch {
      /* some viewers forbid it */
    }
  }

  preview(row: number | null, key: number | null) {
    if (this.hover.row === row && this.hover.key === key) return;
    this.hover = { row, key };
    for (const f of [...this.hoverWatchers]) f();
  }

  get attributions(): Attribution[] {
    return this.attributionsOf(this.view.target);
  }
  attributionsOf(target: number): Attribution[] {
    if (!this.document) return [];
    this.aimed[target] ??= this.targets[target].attributions.map((a, i) =>
      attributionOf(a, i, `${target}/${i}`, this.document!, this.fetcher, (id, l, values) => this.arrived(id, l, values)),
    );
    return this.aimed[target]!;
  }
  // A layer has come: what the panels show of it is made while its numbers are at hand.
  private arrived(id: string, layer: number, values: Float32Array) {
    const a = this.aimed.flatMap((list) => list ?? []).find((x) => x.id === id);
    if (!a) return;
    this.maps.get(a, layer, a.H > 1 ? -1 : 0);
    this.maps.get(a, layer, this.headOf(a));
    if (a.H > 1) setTimeout(() => this.measureHeads(a, layer, values), 0);
    this.changed();
  }

  get current(): Attribution | null {
    return this.attributions[this.view.method] ?? null;
  }
  layerOf(a: Attribution) {
    return Math.min(this.view.layers[a.index] ?? a.shown_layer, a.L - 1);
  }
  headOf(a: Attribution) {
    return a.H > 1 ? Math.min(this.view.heads[a.index] ?? -1, a.H - 1) : 0;
  }
  // The numbers of the layer one looks at are at hand, for the heads one may ask for next.
  setLayer(l: number) {
    const a = this.current;
    if (a && l >= 0 && l < a.L) (a.layer(l), this.set({ layers: { ...this.view.layers, [a.index]: l } }));
  }
  setHead(h: number) {
    const a = this.current;
    if (a) this.set({ heads: { ...this.view.heads, [a.index]: h } });
  }
  setPlace(l: number, h: number) {
    const a = this.current;
    if (a)
      (a.layer(l),
        this.set({
          layers: { ...this.view.layers, [a.index]: l },
          heads: a.H > 1 ? { ...this.view.heads, [a.index]: h } : this.view.heads,
        }));
  }

  // A map as the reader wants special tokens: dropped ones leave rows that still sum to 1, if rows did; rows of several maps
  // are not divided. The one the output was read from still reads, and is read no more.
  mapOf(a: Attribution, layer = this.layerOf(a), head = this.headOf(a)): GridMap | null {
    const map = this.maps.get(a, layer, head);
    if (!map || this.view.special !== "drop" || !isMap(a) || a.maps || !a.traits.rows_sum_to_one) return map;
    const v = map.v.map((x, i) => (this.groups[i % map.C].special ? NaN : x)),
      rest = gridMap(map.R, map.C, v).sums;
    for (let r = 0; r < map.R; ++r) if (rest[r] > 0) for (let c = 0; c < map.C; ++c) v[r * map.C + c] /= rest[r];
    return gridMap(map.R, map.C, v);
  }
  get defaultRow() {
    return Math.max(0, this.indexOf[this.aim.focus] ?? 0);
  }
  rowOf(a: Attribution) {
    return isMap(a) ? (this.view.row ?? this.defaultRow) : 0;
  }
  // The row a panel shows now: the pointer's, unless one is locked.
  shownRow(a: Attribution) {
    return isMap(a) ? (this.view.row ?? this.hover.row ?? this.defaultRow) : 0;
  }
  // A layer that a common scale would leave blank. Large maps are not asked: all layers would have to come first.
  blankLayer(a: Attribution) {
    return a.Q * a.T > most_compared ? -1 : this.maps.blank(a, this.headOf(a));
  }
  shares(a: Attribution) {
    return this.view.shared ?? (a.Q * a.T <= most_compared && this.blankLayer(a) < 0);
  }
  scaleOf(a: Attribution, map: GridMap, head = this.headOf(a)) {
    return this.shares(a) && this.view.special !== "drop" ? this.maps.peak(a, head) || map.peak : map.peak;
  }

  private scheme = typeof matchMedia === "function" ? matchMedia("(prefers-color-scheme: dark)") : null;
  get dark(): boolean {
    return this.view.theme ? this.view.theme === "dark" : (this.scheme?.matches ?? false);
  }
  get tone(): Tone {
    return { dark: this.dark, palette: this.view.palette, root: this.view.root };
  }

  get tabs(): Tab[] {
    const a = this.current;
    if (!a) return [];
    const list: Tab[] = [];
    if (this.isImage) list.push("image");
    if (!isMap(a) && a.L === 1 && !this.isImage) list.push("scores");
    if (this.attributions.some((x) => x.layered || x.H > 1)) list.push("layers");
    if (this.attributions.some((x) => isMap(x) || x.L > 1)) list.push("matrix");
    if (this.split > 0 && this.attributions.some(isMap)) list.push("blocks");
    if (this.attributions.some((x) => isMap(x) && x.layered)) list.push("flow");
    if (this.attributions.some((x) => isMap(x) && x.H > 1)) list.push("heads");
    if (this.split === 0 && (this.grows || this.attributions.some(growsFrom))) list.push("tree");
    return list;
  }
  get tab(): Tab {
    const list = this.tabs;
    return this.view.tab && list.includes(this.view.tab) ? this.view.tab : (list[0] ?? "layers");
  }

  // One number per head; null while a layer is on its way.
  statisticsOf(a: Attribution): HeadStatistic[] {
    const own: HeadStatistic[] = headDetails(a).map((d): HeadStatistic => `detail:${d.name}`);
    const first: HeadStatistic = a.traits.of_target ? "importance" : "strength";
    return isMap(a) ? [first, "entropy", "distance", "special", ...own] : own;
  }
  headValue(a: Attribution, layer: number, head: number, what: HeadStatistic): number | null {
    if (what.startsWith("detail:")) return headDetails(a).find((d) => "detail:" + d.name === what)?.values[layer]?.[head] ?? NaN;
    const id = `${a.id}/${layer}/${head}`,
      known = this.statistics.get(id);
    if (known) return known[what as Measured];
    const values = a.inline ? a.layer(layer) : null;
    if (!values) return null;
    this.statistics.set(id, headStatistics(values, a, head, this.units));
    return this.statistics.get(id)![what as Measured];
  }
  // Head after head when the page has nothing else to do.
  private measureHeads(a: Attribution, layer: number, values: Float32Array, head = 0) {
    const later = typeof requestIdleCallback === "function" ? requestIdleCallback : (f: () => void) => setTimeout(f, 1);
    if (head >= a.H) {
      this.changed();
      const next = Array.from({ length: a.L }, (_, l) => l).find((l) => !this.statistics.has(`${a.id}/${l}/0`));
      if (next !== undefined && this.attributions.includes(a)) a.layer(next); // the others follow, one at a time
      return;
    }
    const id = `${a.id}/${layer}/${head}`;
    if (!this.statistics.has(id)) this.statistics.set(id, headStatistics(values, a, head, this.units));
    later(() => this.measureHeads(a, layer, values, head + 1));
  }
}
