// The server's answers as the page uses them. Text goes in bodies only, never in an address.
// Types are generated from what the program says of its addresses (npm run types).
import type { components } from "../../types/openapi";

type Schemas = components["schemas"];
export type ApiModel = Schemas["Model"];
export type Example = NonNullable<ApiModel["examples"]>[number];
export type ApiMethod = Schemas["MethodRecord"];
export type Plan = Schemas["Plan"]["data"][number];
export type Job = Schemas["Job"];
export type ExplainBody = Schemas["ExplainBody"];
export type Evaluation = Schemas["Evaluation"];
export interface Input {
  text: string;
  pair: string;
  prefix: string;
  image: string;
}

export class ApiError extends Error {
  constructor(
    public code: number,
    message: string,
  ) {
    super(message);
  }
}

export class Api {
  key = "";
  private headers(more: Record<string, string> = {}): Record<string, string> {
    return this.key ? { ...more, "X-API-Key": this.key } : more;
  }

  async send(path: string, init: RequestInit): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(path, init);
    } catch (error) {
      if ((error as Error).name === "AbortError") throw error;
      throw new ApiError(0, "The server does not answer; is headwater serve still running?");
    }
    if (response.ok) return response;
    let message = `${response.status} ${response.statusText}`;
    try {
      message = ((await response.json()) as { error: { message: string } }).error.message;
    } catch {
      /* no JSON */
    }
    throw new ApiError(response.status, message);
  }
  async get<T>(path: string): Promise<T> {
    return (await this.send(path, { headers: this.headers() })).json() as Promise<T>;
  }
  async post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
    return (
      await this.send(path, {
        method: "POST",
        headers: this.headers({ "Content-Type": "application/json" }),
        body: JSON.stringify(body),
        signal,
      })
    ).json() as Promise<T>;
  }
  async bytes(path: string, accept: string, body?: unknown, signal?: AbortSignal): Promise<ArrayBuffer> {
    const init =
      body === undefined
        ? { headers: this.headers({ Accept: accept }) }
        : { method: "POST", headers: this.headers({ Accept: accept, "Content-Type": "application/json" }), body: JSON.stringify(body) };
    return (await this.send(path, { ...init, signal })).arrayBuffer();
  }
  async remove(path: string): Promise<void> {
    await this.send(path, { method: "DELETE", headers: this.headers() });
  }

  // Server-sent events by fetch, because an EventSource cannot carry a key.
  async events(path: string, signal: AbortSignal, on: (name: string, data: string) => void): Promise<void> {
    const response = await this.send(path, { headers: this.headers({ Accept: "text/event-stream" }), signal });
    const reader = response.body!.getReader(),
      decoder = new TextDecoder();
    for (let rest = ""; ;) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true }).replace(/\r\n/g, "\n");
      for (let at = rest.indexOf("\n\n"); at >= 0; at = rest.indexOf("\n\n")) {
        const block = rest.slice(0, at).split("\n");
        rest = rest.slice(at + 2);
        const field = (name: string) =>
          block
            .filter((l) => l.startsWith(name + ":"))
            .map((l) => l.slice(name.length + 1).trim())
            .join("\n");
        if (field("event")) on(field("event"), field("data"));
      }
    }
  }
}
