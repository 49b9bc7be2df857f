// A job as it goes on: what its events say, and what went wrong in the end.
import type { Api } from "./api";

export interface JobEvent {
  name: string; // attribution, layers, progress, done, failed, cancelled
  progress: { method: string; done: number } | null;
}

// Until the job is over: empty where it succeeded.
export async function follow(api: Api, id: string, signal: AbortSignal, on: (event: JobEvent) => void): Promise<string> {
  let failure = "";
  await api.events(`/v1/jobs/${id}/events`, signal, (name, data) => {
    const value = data
      ? (JSON.parse(data) as { method?: string; done?: number; error?: { message: string } | string; message?: string })
      : {};
    if (name === "failed")
      failure = typeof value.error === "string" ? value.error : (value.error?.message ?? value.message ?? "The run failed.");
    if (name === "cancelled") failure = "Cancelled.";
    on({ name, progress: name === "progress" ? { method: value.method ?? "", done: value.done ?? 0 } : null });
  });
  return failure;
}

// An error in the page's words: the command line has options that mean nothing here.
export const inPageWords = (error: string) => error.replace(/[;,]?\s*(?:and |or )?[^;,]*--[a-z][a-z-]*[^;,]*/g, "");
export const canBeCut = (error: string) => error.includes("--truncate");
