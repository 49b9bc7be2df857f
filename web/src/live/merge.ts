// Results of one input that came in several answers, as one document: newer ones replace older ones of the same name.
import type { Aimed, AttributionData, PageDocument } from "../model/document";

const nameOf = (a: AttributionData) => (a.aggregate ? `${a.method}_${a.aggregate}` : a.method);

export function merged(older: PageDocument, newer: PageDocument, order: string[]): PageDocument {
  const from =
    (prefix: string) =>
    (a: AttributionData): AttributionData => ({ ...a, scores: a.scores === undefined ? undefined : prefix + a.scores });
  const join = (x: Aimed | undefined, y: Aimed): Aimed => {
    const fresh = y.attributions.map(from("n:")),
      names = new Set(fresh.map(nameOf));
    const all = [...(x?.attributions ?? []).filter((a) => !names.has(nameOf(a))).map(from("o:")), ...fresh];
    const place = (a: AttributionData) => {
      const i = order.indexOf(nameOf(a));
      return i < 0 ? order.length : i;
    };
    const agreement = [...(x?.agreement ?? []).filter((p) => p.methods.every((m) => !names.has(m))), ...(y.agreement ?? [])];
    return { ...y, attributions: all.sort((a, b) => place(a) - place(b)), agreement };
  };
  // What does not look at the target is there for any other, too.
  const general = (x: Aimed): Aimed => ({ ...x, attributions: x.attributions.filter((a) => !a.traits.of_target), agreement: [] });
  const targets = (d: PageDocument) => [d.data as Aimed, ...(d.data.others ?? [])];
  const old = targets(older),
    joined = targets(newer).map((y) =>
      join(old.find((x) => x.target.label === y.target.label && x.target.contrast === y.target.contrast) ?? general(old[0]), y),
    );
  const record = { ...newer.data.record, seconds: older.data.record.seconds + newer.data.record.seconds };
  return {
    data: { ...newer.data, ...joined[0], record, others: joined.slice(1) },
    numbers: (id) => (id.startsWith("o:") ? older : newer).numbers(id.slice(2)),
  };
}

// The document with these methods alone, whatever else is known.
export function onlyOf(d: PageDocument, methods: string[]): PageDocument {
  const keep = <T extends Aimed>(x: T): T => {
    const attributions = x.attributions.filter((a) => methods.includes(a.method)),
      names = attributions.map(nameOf);
    return { ...x, attributions, agreement: (x.agreement ?? []).filter((p) => p.methods.every((m) => names.includes(m))) };
  };
  return { ...d, data: { ...keep(d.data), others: (d.data.others ?? []).map(keep) } };
}

// Without methods that still run; null if there are no others.
export function finishedOf(document: PageDocument): PageDocument | null {
  const growing = document.data.attributions.filter((a) => a.unfinished).map((a) => a.method),
    whole = document.data.attributions.map((a) => a.method).filter((m) => !growing.includes(m));
  return whole.length > 0 ? onlyOf(document, whole) : null;
}
