// The live page: an input, what to explain about it, and the jobs that do so. What is cheap runs as one types; what is
// dear shows its price and waits; the newest input wins.
import type { Bench } from "../bench";
import { binaryDocument, type PageDocument, type Score } from "../model/document";
import type { Tab } from "../view";
import { Api, ApiError, type ApiMethod, type ApiModel, type Evaluation, type Example, type Input, type Job, type Plan } from "./api";
import { removed, replaced } from "./edit";
import { finishedOf, merged, onlyOf } from "./merge";

const page_type = "application/vnd.headwater.page";
const pause = 300; // ms after the last key
export const cheap = 1.5; // seconds a method may take and still run by itself
const first_look = "attention"; // one run of the model, whatever it is
const kept_documents = 8;

export interface Aim {
  label: string;
  contrast: string;
  position?: number;
}
interface Mark {
  model: string;
  input: Input;
  aims: Aim[];
}
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
  evaluation: Evaluation | null = null;
  evaluationError = "";
  private timer = 0;
  private job = "";
  private running: AbortController | null = null;
  private known = new Map<string, PageDocument>();
  private shownKey = "";
  private evaluationKey = "";
  private round = 0;
  private besides = false; // the example wants the second answer beside the first
  private asked = ""; // the word whose reading the example is about

  constructor(readonly bench: Bench) {
    bench.grows = true;
    bench.fetcher = (path) => this.api.bytes(path, "application/octet-stream");
    bench.mark = (): Mark => ({ model: this.model, input: { ...this.input }, aims: this.aims });
    bench.onUndo = (mark) => {
      const m = mark as Mark;
      if (!m || JSON.stringify(m) === JSON.stringify(bench.mark())) return;
      Object.assign(this, { model: m.model, input: { ...m.input }, aims: m.aims });
      this.change = "undone";
      this.refresh();
    };
  }

  get current(): ApiModel | undefined {
    return this.models.find((m) => m.id === this.model);
  }
  get inputKey() {
    return JSON.stringify([this.model, this.input]);
  }
  private get key() {
    return JSON.stringify([this.model, this.input, this.aims]);
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
      const given = new URLSearchParams(location.hash.slice(1));
      this.setModel(this.models.some((m) => m.id === given.get("model")) ? given.get("model")! : (this.models[0]?.id ?? ""), true);
      if (given.get("text")) {
        this.input.text = given.get("text")!;
        this.refresh();
      }
    } catch (error) {
      this.fail(error);
    }
    this.bench.changed();
  }
  private fail(error: unknown) {
    if ((error as Error).name === "AbortError") return;
    this.dropUnfinished();
    this.error = error instanceof ApiError && error.code === 401 ? "This server wants its API key." : (error as Error).message;
    this.status = "";
    this.progress = null;
  }
  get wantsKey() {
    return this.error === "This server wants its API key.";
  }

  setModel(id: string, quiet = false) {
    if (!quiet) this.bench.remember();
    const kind = this.current?.input;
    this.model = id;
    const model = this.current;
    this.wanted = [...(model?.default_methods ?? [])];
    this.aims = [];
    this.plans.clear();
    if (kind !== model?.input) {
      this.input = { ...empty };
      this.bench.load(null);
    }
    this.before = null;
    if (this.hasInput) this.refresh();
    else this.bench.changed();
  }

  open(example: Example, model: string) {
    this.bench.remember();
    this.model = model;
    this.input = { text: example.text ?? "", pair: example.pair ?? "", prefix: example.prefix ?? "", image: example.image ?? "" };
    this.aims = example.target ? example.target.split(",").map((label) => ({ label: label.trim(), contrast: example.contrast ?? "" })) : [];
    this.wanted = example.methods?.length ? [...example.methods] : [...(this.current?.default_methods ?? [])];
    this.before = null;
    this.besides = example.tab === "image" && this.aims.length === 0;
    this.asked = example.row ?? "";
    this.dear = new Set(this.wanted); // an example is meant to run
    this.bench.set({ tab: (example.tab as Tab) ?? null, method: 0, row: null, keys: [], layers: {}, heads: {} }, false);
    this.refresh();
  }

  // Typing: wait for a pause; every pause can be undone.
  type(change: Partial<Input>) {
    if (this.timer === 0) this.bench.remember();
    this.input = { ...this.input, ...change };
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
    this.bench.remember();
    this.aims = aims;
    this.refresh();
  }

  private edit(t: number, how: (text: string, begin: number, end: number) => string, verb: string) {
    const b = this.bench,
      unit = b.units[t];
    if (!unit || unit.special || unit.end <= unit.begin) return;
    const members = b.groups[b.indexOf[t]]?.members ?? [t],
      begin = Math.min(...members.map((m) => b.units[m].begin)),
      end = Math.max(...members.map((m) => b.units[m].end));
    const field = (["text", "pair", "prefix"] as const)[unit.sequence] ?? "text";
    b.remember();
    this.change = `${verb} “${members.map((m) => b.units[m].text).join("")}”`;
    this.input = { ...this.input, [field]: how(this.input[field], begin, end) };
    this.refresh();
  }
  mask(t: number) {
    const mask = this.current?.mask;
    if (!mask) {
      this.status = "This model has no mask token; alt-click deletes instead.";
      this.bench.changed();
      return;
    }
    this.edit(t, (text, begin, end) => replaced(text, begin, end, mask), "masked");
  }
  remove(t: number) {
    this.edit(t, removed, "deleted");
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
    const input = Object.fromEntries(Object.entries(this.input).filter(([, v]) => v !== ""));
    const targets = this.aims.map((a) => ({
      ...(a.label ? { label: a.label } : {}),
      ...(a.contrast ? { contrast: a.contrast } : {}),
      ...(a.position !== undefined ? { position: a.position } : {}),
    }));
    return { model: this.model, ...input, ...(targets.length ? { targets } : {}), methods, ...more };
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
    if (!this.hasInput) {
      this.running = null;
      this.status = "";
      this.bench.load(null);
      return;
    }
    const running = new AbortController();
    this.running = running;
    this.status = "Asking …";
    this.bench.changed();
    try {
      const plan = await this.api.post<{ data: Plan[] }>("/v1/plan", this.body(this.wanted), running.signal);
      if (round !== this.round) return;
      for (const p of plan.data) this.plans.set(p.method, p);
      await this.explain(running, round);
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
      if (same)
        base = { ...same, data: { ...same.data, attributions: same.data.attributions.filter((a) => !(a.needs_target ?? a.knows_class)) } };
    }
    const there = base ? names(base) : [],
      methods = this.wanted.filter((m) => !there.includes(m) && !this.waits(m));
    if (methods.length === 0 && there.length === 0) {
      methods.push(first_look); // all of them wait: something to look at meanwhile
      if (!this.wanted.includes(first_look)) this.wanted.push(first_look);
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
    let failure = "",
      partial = Promise.resolve();
    await this.api.events(`/v1/jobs/${job.id}/events`, running.signal, (name, data) => {
      if (round !== this.round) return;
      const value = data
        ? (JSON.parse(data) as { method?: string; done?: number; error?: { message: string } | string; message?: string })
        : {};
      if (name === "progress") {
        this.progress = { method: value.method ?? "", done: value.done ?? 0 };
        this.status = "";
        this.bench.changed();
      }
      if (name === "layers" || (name === "attribution" && methods.length > 1)) partial = partial.then(take).catch(() => {});
      if (name === "failed")
        failure = typeof value.error === "string" ? value.error : (value.error?.message ?? value.message ?? "The run failed.");
      if (name === "cancelled") failure = "Cancelled.";
    });
    await partial;
    if (failure) throw new ApiError(500, failure);
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

  async evaluate() {
    const methods = this.bench.attributions.map((a) => a.method).slice(0, 6),
      key = this.inputKey + methods.join();
    if (!this.hasInput || key === this.evaluationKey) return;
    this.evaluationKey = key;
    this.evaluation = null;
    this.evaluationError = "";
    try {
      const { model, targets: _, methods: __, ...input } = this.body([]) as Record<string, unknown>;
      const result = await this.api.post<Evaluation>("/v1/evaluate", {
        model,
        examples: [input],
        methods,
        metrics: ["deletion", "insertion", "comprehensiveness", "sufficiency"],
        resamples: 100,
      });
      if (key === this.evaluationKey) this.evaluation = result;
    } catch (error) {
      if (key === this.evaluationKey) this.evaluationError = (error as Error).message;
    }
    this.bench.changed();
  }
}
