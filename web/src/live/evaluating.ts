// How faithful the methods are on the input that is shown, asked of the server once for each target.
import type { Evaluation } from "./api";
import type { LiveSession } from "./session";

const most_methods = 6;

export class Evaluating {
  result: Evaluation | null = null;
  error = "";
  private key = "";

  constructor(private readonly live: LiveSession) {}

  get methods(): string[] {
    return [...new Set(this.live.bench.attributions.map((a) => a.method))];
  }
  get left(): number {
    return Math.max(0, this.methods.length - most_methods);
  }

  // What is taken away is to move the chosen target, as it was to explain it.
  async ask() {
    const { live } = this,
      b = live.bench,
      methods = this.methods.slice(0, most_methods),
      at = b.view.target,
      key = JSON.stringify([live.inputKey, methods, live.aims[at]]);
    if (!live.hasInput || methods.length === 0 || key === this.key) return;
    this.key = key;
    this.result = null;
    this.error = "";
    try {
      const { model, targets, methods: _, ...input } = live.body([]) as Record<string, unknown>,
        target = (targets as unknown[] | undefined)?.[at];
      const result = await live.api.post<Evaluation>("/v1/evaluate", {
        model,
        examples: [target ? { ...input, target } : input],
        methods,
        metrics: ["deletion", "insertion", "comprehensiveness", "sufficiency"],
        resamples: 100,
      });
      if (key === this.key) this.result = result;
    } catch (error) {
      if (key === this.key) this.error = (error as Error).message;
    }
    b.changed();
  }
}
