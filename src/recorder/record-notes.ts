import type { RecordSink } from "../engine/record-sink.ts";
import { type Log, messageOf } from "../log.ts";
import type { Note } from "../plugin-host/hooks/note.ts";
import { PLUGIN } from "../record/rating-sources.ts";
import { storable } from "../record/storable.ts";
import { within } from "../runtime/within.ts";
import type { RecordUpdate } from "../threads.ts";

/** How often a note is tried to be written before it is dropped. */
const TRIES_MAX = 5;
/** Maximum pending hook calls; beyond it the recorder waits for one of them. Each has 250 ms. */
const OPEN_MAX = 256;

interface Waiting {
  readonly change: RecordUpdate;
  tries: number;
}

/** The record that a note is about. */
type Noted = Pick<RecordUpdate, "requestId" | "organizationId">;

/** Collects the additions of plugins to records until they are written. */
export class RecordNotes {
  readonly #log: Log;
  readonly #waiting: Waiting[] = [];
  readonly #open = new Set<Promise<void>>();

  constructor(log: Log) {
    this.#log = log;
  }

  add(record: Noted, note: Note | null | undefined): void {
    if (note !== null && note !== undefined) this.#waiting.push({ change: { ...record, ...asStored(note) }, tries: 0 });
  }

  /** Adds a note, which may arrive later. @returns what to wait for if too many are pending. */
  addLater(record: Noted, note: Note | undefined | Promise<Note | undefined>): Promise<unknown> | undefined {
    if (!(note instanceof Promise)) {
      this.add(record, note);
      return undefined;
    }
    const open = note.then((made) => this.add(record, made)).finally(() => this.#open.delete(open));
    this.#open.add(open);
    return this.#open.size > OPEN_MAX ? Promise.race(this.#open) : undefined;
  }

  /** Writes the additions collected so far; called between two batches. */
  async write(sink: Pick<RecordSink, "update">): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      try {
        await sink.update([next.change], Date.now());
      } catch (error) {
        if (++next.tries < TRIES_MAX) this.#waiting.unshift(next);
        else this.#log.warn("what a plugin adds to a record cannot be stored", { error: messageOf(error) });
        return;
      }
    }
  }

  /** Resolves once all pending hook calls have finished, or after `msMax`. */
  async settled(msMax: number): Promise<void> {
    await within(Promise.all(this.#open), msMax, () => undefined);
  }
}

function asStored({ properties, scores, reasons }: Note): Omit<RecordUpdate, keyof Noted> {
  const texts = Object.entries(properties).map(
    ([name, value]) => [storable(name), value === null ? null : storable(value)] as const,
  );
  const numbers = Object.entries(scores).map(([name, value]) => [storable(name), value] as const);
  const ratings = Object.entries(reasons).map(
    ([name, { plugin, text }]) =>
      [storable(name), { source: `${PLUGIN}${plugin}`, author: plugin, reason: storable(text) }] as const,
  );
  return {
    properties: Object.fromEntries(texts),
    scores: Object.fromEntries(numbers),
    ratings: Object.fromEntries(ratings),
  };
}
