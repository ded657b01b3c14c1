import { GatewayError } from "../errors.ts";
import { type Log, messageOf } from "../log.ts";
import type { RecorderMetrics } from "./metrics.ts";

/** Why nothing can be written now: the database refuses records, or the object store refuses bodies. */
export class Refusals {
  readonly #log: Log;
  readonly #metrics: RecorderMetrics;
  #database: string | null = null;
  #bodies: string | null = null;

  constructor(log: Log, metrics: RecorderMetrics) {
    this.#log = log;
    this.#metrics = metrics;
  }

  /** The database's last error; null while it accepts records. */
  get database(): string | null {
    return this.#database;
  }

  /** The object store's last error; null while it accepts bodies. */
  get bodies(): string | null {
    return this.#bodies;
  }

  /** @param wroteBodies - otherwise the work shows nothing about the object store. */
  over(wroteBodies: boolean): void {
    if (this.#database !== null) this.#log.info("the database takes records again");
    this.#database = null;
    if (this.#bodies === null || !wroteBodies) return;
    this.#log.info("the object store takes bodies again");
    this.#bodies = null;
  }

  note(error: unknown): void {
    const what = messageOf(error);
    const isOfBodies = error instanceof GatewayError && error.code === "bodies_unavailable";
    const before = isOfBodies ? this.#bodies : this.#database;
    if (before === null) this.#log.error("records cannot be written; they wait in the spool", { error: what });
    (isOfBodies ? this.#metrics.bodiesErrors : this.#metrics.databaseErrors).add();
    this.#bodies = isOfBodies ? what : null;
    this.#database = isOfBodies ? null : what;
  }
}
