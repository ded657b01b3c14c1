import type { EngineReader } from "../../src/engine/reader.ts";
import type { Exchange } from "../filter/world.ts";

/** A tag that somebody put on a session. */
export interface SessionTag {
  readonly session: string;
  readonly tag: string;
}

/** An engine as the suites in `suite/` see it: each gives it records, asks, and compares. */
export interface TestedEngine {
  readonly name: string;
  /** The engine with these records and tags, and no others. */
  open(exchanges: readonly Exchange[], tags?: readonly SessionTag[]): Promise<EngineReader & AsyncDisposable>;
}
