// What a reload, Back and a shared link bring back: model, input, targets and methods; the view stands in the address. The
// browser keeps it with its history, and no address holds the text unless the reader asks for a link that does.
import type { Input } from "./api";

export interface Aim {
  label: string;
  contrast: string;
  position?: number;
}
export interface Place {
  model: string;
  input: Input;
  aims: Aim[];
  wanted: string[];
}

const key = "headwater",
  is_text = (x: unknown): x is string => typeof x === "string";

// An address is typed by anybody, and a history may be another version's.
function placeIn(x: unknown): Place | null {
  const p = x as Partial<Place> | null;
  if (!p || !is_text(p.model) || !p.input || !Array.isArray(p.aims) || !Array.isArray(p.wanted)) return null;
  const input = p.input as unknown as Record<string, unknown>,
    text = (name: string) => (is_text(input[name]) ? input[name] : "");
  return {
    model: p.model,
    input: { text: text("text"), pair: text("pair"), prefix: text("prefix"), image: text("image") },
    aims: p.aims
      .filter((a) => a && is_text(a.label) && is_text(a.contrast))
      .map((a) => ({ label: a.label, contrast: a.contrast, position: Number.isInteger(a.position) ? a.position : undefined })),
    wanted: p.wanted.filter(is_text),
  };
}

// What a server is asked about it.
export function bodyOf(place: Place, methods: string[], more: Record<string, unknown>) {
  const input = Object.fromEntries(Object.entries(place.input).filter(([, v]) => v !== "")),
    targets = place.aims.map((a) => ({
      ...(a.label ? { label: a.label } : {}),
      ...(a.contrast ? { contrast: a.contrast } : {}),
      ...(a.position !== undefined ? { position: a.position } : {}),
    }));
  return { model: place.model, ...input, ...(targets.length ? { targets } : {}), methods, ...more };
}

export const keptPlace = (): Place | null => placeIn((history.state as Record<string, unknown> | null)?.[key]);

// `step`: Back comes here again.
export function keepPlace(place: Place | null, step: boolean) {
  const write = (p: Place | null) =>
    step ? history.pushState(p && { [key]: p }, "", location.href) : history.replaceState(p && { [key]: p }, "", location.href);
  try {
    write(place);
  } catch {
    try {
      write(place && { ...place, input: { ...place.input, image: "" } }); // a picture may be more than a history holds
    } catch {
      /* some viewers forbid it */
    }
  }
}

export function linkOf(place: Place, view: string, withText: boolean): string {
  const parts: [string, string][] = [["model", place.model]];
  if (place.wanted.length) parts.push(["methods", place.wanted.join(",")]);
  if (place.aims.length) parts.push(["aims", JSON.stringify(place.aims)]);
  if (withText) for (const name of ["text", "pair", "prefix"] as const) if (place.input[name]) parts.push([name, place.input[name]]);
  return (
    location.href.replace(/#.*/, "") + "#" + [view, ...parts.map(([k, v]) => `${k}=${encodeURIComponent(v)}`)].filter(Boolean).join("&")
  );
}

// What a link says; null where it names no model.
export function linkedPlace(): Place | null {
  const given = new URLSearchParams(location.hash.slice(1)),
    text = (name: string) => given.get(name) ?? "";
  if (!given.has("model") && !given.has("text")) return null;
  let aims: unknown = [];
  try {
    aims = JSON.parse(given.get("aims") ?? "[]");
  } catch {
    /* none then */
  }
  return placeIn({
    model: text("model"),
    input: { text: text("text"), pair: text("pair"), prefix: text("prefix"), image: "" },
    aims: Array.isArray(aims) ? aims : [],
    wanted: text("methods").split(",").filter(Boolean),
  });
}
