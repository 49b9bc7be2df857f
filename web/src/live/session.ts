// The live page: an input, what to explain about it, and the jobs that do so. What is cheap runs as one types; what is
// dear shows its price and waits; the newest input wins.
import type { Bench } from "../bench";
import { binaryDocument, type PageDocument, type Score } from "../model/document";
import type { Tab } from "../view";
import { Welcome } from "./welcome";
import { Api, ApiError, type ApiMethod, type ApiModel, type Example, type Input, type Job, type Plan } from "./api";
import { predicted, repeatLine, type Predicted } from "./early";
import { edited, removed, replaced, type Change } from "./edit";
import { Evaluating } from "./evaluating";
import { finishedOf, merged, onlyOf } from "./merge";
import { follow } from "./follow";
import { bodyOf, keepPlace, keptPlace, linkedPlace, linkOf, type Aim, type Place } from "./place";

const page_type = "application/vnd.headwater.page";
const pause = 300; // ms after the last key
export const cheap = 1.5; // seconds a method may take and still run by itself
const kept_documents = 8;

export const empty: Input = { text: "", pair: "", prefix: "", image: "" };

export class LiveSession {
  api = new Api();
  models: ApiModel[] = [];
  methods: ApiMethod[] = [];
  model = "";
  input: Input = { ...empty };
  aims: Aim[] = [];
  wanted: string[] = []; // methods ticked
  dear = new Set<string>(); // dear ones the reader asked for, for this input
  plans = new Map<string, Plan>();
  status = "";
  error = "";
  progress: { method: string; done: number } | null = null;
  before: Score[] | null = null; // the probabilities of the input before the last edit
  change = "";
  truncate = false; // a text that is too long is cut
  early: { key: string; prediction: Predicted } | null = null; // of the input, before it is explained
  readonly evaluating = new Evaluating(this);
  readonly welcome = new Welcome(this);
  private timer = 0;
  private job = "";
  private running: AbortController | null = null;
  private known = new Map<string, PageDocument>();
  private shownKey = "";
  private round = 0;
  private besides = false; // the example wants the second answer beside the first
  private asked = ""; // the word whose reading the example is about

  constructor(readonly bench: Bench) {
    bench.grows = true;
    bench.fetcher = (path) => this.api.bytes(path, "application/octet-stream");
    bench.mark = () => this.place;
    bench.onUndo = (mark) => {
      const before = mark as Place;
      if (JSON.stringify(before) === JSON.stringify(this.place)) return;
      Object.assign(this, before, { change: "undone" });
      this.refresh();
    };
  }

  get current(): ApiModel | undefined {
    return this.models.find((m) => m.id === this.model);
  }
  // The method that the server has for a role, such as "first look".
  methodFor(role: string): string {
    return this.methods.find((m) => m.role === role)?.name ?? "";
  }
  titleOf(method: string): string {
    return this.methods.find((m) => m.name === method)?.title ?? method;
  }
  get inputKey() {
    return JSON.stringify([this.model, this.input]);
  }
  private get key() {
    return JSON.stringify([this.model, this.input, this.aims]);
  }
  private get shownInput() {
    return this.shownKey && JSON.stringify(JSON.parse(this.shownKey).slice(0, 2));
  }
  // The prediction, as long as the page shows nothing of this input.
  get predicted(): Predicted | null {
    return this.early?.key === this.inputKey && this.shownInput !== this.inputKey ? this.early.prediction : null;
  }
  get place(): Place {
    return { model: this.model, input: { ...this.input }, aims: this.aims, wanted: [...this.wanted] };
  }
  link(withText: boolean, view: string) {
    return linkOf(this.place, view, withText);
  }
  get busy() {
    return this.running !== null;
  }
  get hasInput() {
    return this.current?.input === "image" ? this.input.image !== "" : this.input.text !== "";
  }

  async start() {
    this.error = "";
    try {
      const [models, methods] = await Promise.all([
        this.api.get<{ data: ApiModel[] }>("/v1/models"),
        this.api.get<{ data: ApiMethod[] }>("/v1/methods"),
      ]);
      this.models = models.data;
      this.methods = methods.data;
      this.restore(keptPlace() ?? linkedPlace());
      addEventListener("popstate", () => {
        this.bench.readAddress(location.hash);
        this.restore(keptPlace() ?? linkedPlace());
      });
    } catch (error) {
      this.fail(error);
    }
    this.bench.changed();
  }
  // To where the reader has been, or was sent; null: to the beginning.
  private restore(place: Place | null) {
    const there = place && this.models.some((m) => m.id === place.model),
      model = there ? place.model : (this.models[0]?.id ?? "");
    this.blank();
    this.model = model;
    this.input = place ? { ...place.input } : { ...empty };
    this.aims = place?.aims ?? [];
    this.wanted = place?.wanted.length ? [...place.wanted] : [...(this.current?.default_methods ?? [])];
    this.plans.clear();
    this.refresh();
  }
  // Nothing of another input stays on the page.
  private blank() {
    this.shownKey = "";
    this.before = null;
    this.early = null;
    this.bench.load(null);
  }

  private fail(error: unknown) {
    if ((error as Error).name === "AbortError") return;
    this.dropUnfinished();
    if (this.shownInput !== this.inputKey) this.blank();
    this.refused = error instanceof ApiError && error.code === 401;
    this.error = this.refused ? "This server wants its API key." : (error as Error).message;
    this.status = "";
    this.progress = null;
  }
  private refused = false; // for want of a key
  get wantsKey() {
    return this.refused && this.error !== "";
  }

  setModel(id: string) {
    this.bench.remember(true);
    const kind = this.current?.input;
    this.model = id;
    const model = this.current;
    this.wanted = [...(model?.default_methods ?? [])];
    this.aims = [];
    this.plans.clear();
    if (kind !== model?.input) this.input = { ...empty };
    this.blank();
    keepPlace(this.place, true);
    this.refresh();
  }

  open(example: Example, model: string) {
    const b = this.bench;
    b.remember(true);
    this.model = model;
    this.input = { text: example.text ?? "", pair: example.pair ?? "", prefix: example.prefix ?? "", image: example.image ?? "" };
    this.aims = example.target ? example.target.split(",").map((label) => ({ label: label.trim(), contrast: example.contrast ?? "" })) : [];
    this.wanted = example.methods?.length ? [...example.methods] : [...(this.current?.default_methods ?? [])];
    this.before = null;
    this.besides = example.tab === "image" && this.aims.length === 0;
    this.asked = example.row ?? "";
    this.dear = new Set(this.wanted); // an example is meant to run
    keepPlace(this.place, true);
    b.set({ tab: (example.tab as Tab) ?? null, method: 0, row: null, keys: [], layers: {}, heads: {} }, false);
    this.refresh();
  }

  // Typing: wait for a pause; every pause can be undone.
  type(change: Partial<Input>) {
    if (this.timer === 0) this.bench.remember(true);
    if (!this.hasInput) keepPlace(this.place, true); // Back leads to the examples again
    this.input = { ...this.input, ...change };
    this.truncate = false;
    if (change.image !== undefined) this.aims = []; // a class of one picture is no question about another
    this.change = "";
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      this.dear.clear();
      this.refresh();
    }, pause);
    this.bench.changed();
  }

  // What to explain: labels, and one to set against them. Only what knows a target is computed again.
  aimAt(aims: Aim[]) {
    this.bench.remember(true);
    this.aims = aims;
    this.refresh();
  }

  mask(t: number) {
    const mask = this.current?.mask;
    if (mask) this.edit(t, (text, begin, end) => replaced(text, begin, end, mask), "masked");
    else this.status = "This model has no mask token; alt-click deletes instead.";
    this.bench.changed();
  }
  remove(t: number) {
    this.edit(t, removed, "deleted");
  }
  private edit(t: number, how: Change, verb: string) {
    const made = edited(this.bench, this.input, t, how);
    if (!made) return;
    this.bench.remember(true);
    this.change = `${verb} “${made.word}”`;
    this.input = made.input;
    this.refresh();
  }
  toggle(method: string) {
    this.wanted = this.wanted.includes(method) ? this.wanted.filter((m) => m !== method) : [...this.wanted, method];
    this.refresh();
  }
  // A panel's own need: it runs if it is cheap, and otherwise shows its price.
  want(method: string) {
    if (this.hasInput && !this.wanted.includes(method) && this.current?.task !== "feature-extraction") this.toggle(method);
  }
  runDear(method: string) {
    this.dear.add(method);
    if (!this.wanted.includes(method)) this.wanted.push(method);
    this.refresh();
  }

  body(methods: string[], more: Record<string, unknown> = {}) {
    return bodyOf(this.place, methods, this.truncate ? { ...more, truncate: true } : more);
  }

  // Of a run that ended early no map stays without its last layers.
  private dropUnfinished() {
    const shown = this.bench.document;
    if (shown?.data.attributions.some((a) => a.unfinished)) this.bench.load(finishedOf(shown), true);
  }

  async cancel() {
    const job = this.job;
    this.running?.abort();
    this.dropUnfinished();
    this.running = null;
    this.job = "";
    this.progress = null;
    this.status = "Cancelled.";
    this.bench.changed();
    if (job) await this.api.remove(`/v1/jobs/${job}`).catch(() => {});
  }

  cut() {
    this.truncate = true;
    this.refresh();
  }

  waits(method: string) {
    const s = this.plans.get(method)?.seconds;
    return s !== null && s !== undefined && s > cheap && !this.dear.has(method);
  }

  async refresh() {
    const round = ++this.round;
    this.running?.abort();
    const old = this.job;
    this.job = "";
    if (old) this.api.remove(`/v1/jobs/${old}`).catch(() => {});
    this.error = "";
    keepPlace(this.hasInput ? this.place : null, false);
    if (!this.hasInput) {
      this.running = null;
      this.status = "";
      this.blank();
      this.welcome.begin();
      return;
    }
    const running = new AbortController();
    this.running = running;
    this.status = "Asking …";
    this.bench.changed();
    const key = this.inputKey,
      over = () => round !== this.round || this.shownInput === key;
    if (this.early?.key !== key)
      predicted(this, running.signal, over).then((prediction) => {
        if (!prediction) return;
        this.early = { key, prediction };
        this.bench.changed();
      });
    try {
      if (this.wanted.length) {
        const plan = await this.api.post<{ data: Plan[] }>("/v1/plan", this.body(this.wanted), running.signal);
        if (round !== this.round) return;
        for (const p of plan.data) this.plans.set(p.method, p);
      }
      await this.explain(running, round);
      if (round === this.round) await repeatLine(this, running.signal);
    } catch (error) {
      if (round === this.round) this.fail(error);
    }
    if (round === this.round) {
      this.running = null;
      this.progress = null;
      this.job = "";
      this.bench.changed();
    }
  }

  // Of the wanted methods: those not yet there for this input and target, and not waiting.
  private async explain(running: AbortController, round: number) {
    const key = this.key,
      names = (d: PageDocument) => d.data.attributions.map((a) => a.method);
    let base = this.known.get(key) ?? null;
    if (!base) {
      const same =
        this.shownKey && JSON.stringify(JSON.parse(this.shownKey).slice(0, 2)) === this.inputKey
          ? this.known.get(this.shownKey)
          : undefined;
      if (same) base = { ...same, data: { ...same.data, attributions: same.data.attributions.filter((a) => !a.traits.of_target) } };
    }
    const there = base ? names(base) : [],
      methods = this.wanted.filter((m) => !there.includes(m) && !this.waits(m));
    if (this.wanted.length === 0) {
      if (base) this.show(key, onlyOf(base, []));
      else this.blank();
      this.status = "";
      return;
    }
    if (methods.length === 0 && there.length === 0) {
      const first = this.methodFor("first look"); // all of them wait: something to look at meanwhile
      methods.push(first);
      if (!this.wanted.includes(first)) this.wanted.push(first);
    }
    const exact = this.known.get(key);
    if (exact) this.show(key, onlyOf(exact, this.wanted));
    if (methods.length === 0 && exact) {
      this.status = "";
      return;
    }
    const job = await this.api.post<Job>("/v1/explain", this.body(methods, { async: true }), running.signal);
    this.job = job.id;
    this.status = job.queue > 0 ? `Waiting behind ${job.queue}.` : "Running …";
    this.bench.changed();
    const take = async () => {
      if (round !== this.round) return; // the job is forgotten
      const document = binaryDocument(await this.api.bytes(`/v1/jobs/${job.id}/result`, page_type, undefined, running.signal));
      if (round !== this.round) return;
      const whole = base ? merged(base, document, this.wanted) : document;
      const finished = finishedOf(whole);
      this.known.delete(key);
      if (finished) this.known.set(key, finished);
      if (this.known.size > kept_documents) this.known.delete(this.known.keys().next().value!);
      this.show(key, onlyOf(whole, this.wanted));
    };
    let partial = Promise.resolve();
    const failure = await follow(this.api, job.id, running.signal, (event) => {
      if (round !== this.round) return;
      if (event.progress) {
        this.progress = event.progress;
        this.status = "";
        this.bench.changed();
      }
      if (event.name === "layers" || (event.name === "attribution" && methods.length > 1)) partial = partial.then(take).catch(() => {});
    });
    await partial;
    if (failure && round === this.round) throw new ApiError(500, failure);
    await take();
    if (round === this.round) {
      this.status = "";
      this.job = "";
    }
  }

  private show(key: string, document: PageDocument) {
    const b = this.bench,
      shown = b.document,
      sameInput = this.shownKey !== "" && JSON.parse(this.shownKey)[0] === this.model;
    if (key !== this.shownKey)
      this.before =
        shown &&
        sameInput &&
        JSON.parse(this.shownKey)[1] !== JSON.parse(key)[1] &&
        JSON.stringify(JSON.parse(this.shownKey)[1]) !== JSON.stringify(JSON.parse(key)[1])
          ? (shown.data.prediction.scores ?? null)
          : this.before;
    const sameText = shown !== null && JSON.stringify(shown.data.tokens) === JSON.stringify(document.data.tokens);
    this.shownKey = key;
    if (!sameText) b.view = { ...b.view, row: null, keys: [] };
    b.load(document, true);
    const row = this.asked ? b.groups.findIndex((g) => g.name === this.asked) : -1;
    this.asked = "";
    if (row >= 0) b.set({ row }, false);
    const scores = document.data.prediction.scores ?? [];
    if (this.besides && scores.length > 1) {
      this.besides = false;
      setTimeout(() => {
        this.aims = scores.slice(0, 2).map((s) => ({ label: s.label, contrast: "" }));
        this.refresh();
      }, 0);
    }
  }
}
