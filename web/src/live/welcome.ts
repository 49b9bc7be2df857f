// The running example of the first screen: a real sentence, explained on this machine when the page opens.
import { Bench } from "../bench";
import { binaryDocument } from "../model/document";
import type { ApiModel, Example, Plan } from "./api";
import type { LiveSession } from "./session";
import { cheap } from "./session";

const page_type = "application/vnd.headwater.page";

export class Welcome {
  readonly bench = new Bench();
  model: ApiModel | null = null;
  example: Example | null = null;
  private begun = false;

  constructor(private readonly live: LiveSession) {}

  get methods(): string[] {
    return this.bench.attributions.map((a) => a.method);
  }
  // The method whose maps the picture follows.
  get followed(): string {
    return this.live.titleOf(this.live.methodFor("mixing"));
  }

  // Once, of the first model that has a sentence to show. Where it does not succeed the cards stand alone.
  async begin() {
    if (this.begun) return;
    const model = this.live.models.find((m) => m.examples?.some((e) => e.text));
    if (!model) return;
    this.begun = true;
    const example = model.examples!.find((e) => e.text)!,
      colouring = [this.live.methodFor("answer"), this.live.methodFor("quick answer")], // the first that is quick
      body = (methods: string[]) => ({
        model: model.id,
        text: example.text,
        ...(example.target ? { targets: [{ label: example.target, ...(example.contrast ? { contrast: example.contrast } : {}) }] } : {}),
        methods,
      });
    try {
      const { api } = this.live,
        plan = await api.post<{ data: Plan[] }>("/v1/plan", body(colouring)),
        quick = plan.data.find((p) => p.seconds !== null && p.seconds !== undefined && p.seconds <= cheap)?.method ?? colouring[1];
      this.bench.fetcher = (path) => api.bytes(path, "application/octet-stream");
      this.bench.watch(() => this.live.bench.changed()); // layers that come later
      this.bench.load(binaryDocument(await api.bytes("/v1/explain", page_type, body([quick, this.live.methodFor("mixing")]))));
      Object.assign(this, { model, example });
    } catch {
      /* no example then */
    }
    this.live.bench.changed();
  }

  // The same sentence, to be taken apart.
  open() {
    if (this.example && this.model) this.live.open({ ...this.example, methods: this.methods, tab: "flow" }, this.model.id);
  }
}
