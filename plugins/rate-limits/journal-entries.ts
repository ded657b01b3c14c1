import type { Json } from "weir/plugin";
import type { Counter } from "./counter.ts";
import type { Unit } from "./policy.ts";

/** The entry of a request, or of one of its calls, in one counter. */
export interface Taken {
  readonly counter: Counter;
  /** The id of the record with the usage. */
  readonly recordId: string;
  readonly unit: Unit;
  readonly amount: number;
  readonly atMs: number;
  /** Whether it got a complete response, whose usage or price may still be unknown; nothing is learnt from failures. */
  readonly answered?: boolean;
}

/** A hold as the journal stores it, with the record's id if it differs. */
export function holdEntry(id: string, { counter, recordId, unit, amount, atMs }: Taken): Json {
  const entry = ["h", counter.number, id, amount, atMs, unit];
  return recordId === id ? entry : [...entry, recordId];
}

/**
 * Restores the counts of an earlier run.
 *
 * @param name - creates the counter that the journal names.
 * @returns the open holds at the end of that run.
 */
export function replay(
  entries: readonly Json[],
  name: (number: number, key: string, span: number | string) => Counter,
): Iterable<{ readonly id: string; readonly taken: Taken }> {
  const byNumber = new Map<number, Counter>();
  const held = new Map<string, { readonly id: string; readonly taken: Taken }>();
  for (const [kind, number, ...rest] of entries) {
    if (kind === "k") {
      byNumber.set(number, name(number, rest[0], rest[1]));
      continue;
    }
    const counter = byNumber.get(number);
    if (counter === undefined) continue;
    if (kind === "+") counter.window.add(rest[0], rest[1], counter.span);
    else if (kind === "-") counter.window.remove(rest[0], rest[1]);
    else if (kind === "l") counter.likely = rest[0];
    else if (kind === "h") {
      const [id, amount, atMs, unit, recordId = id] = rest;
      counter.hold(amount);
      held.set(`${number} ${id}`, { id, taken: { counter, recordId, unit, amount, atMs } });
    } else if (kind === "c") {
      const [id, charge, atMs, likely] = rest;
      const before = held.get(`${number} ${id}`);
      if (before !== undefined) counter.release(before.taken.amount);
      held.delete(`${number} ${id}`);
      if (charge > 0) counter.window.add(atMs, charge, counter.span);
      counter.likely = likely ?? counter.likely;
    }
  }
  return held.values();
}
