import type { Statement } from "../database/database.ts";
import type { BodyPart } from "../packs/placed.ts";
import type { ContentView, RequestBodies, RequestTexts } from "../packs/read.ts";
import type { Content, RequestContent } from "../packs/request-content.ts";

/**
 * What was said in requests: bodies, headers, files, texts. `put`, `remove` and `sweep` are the recorder's alone, one
 * call at a time.
 */
export interface BodyStore {
  /** Whether reading takes no network: then a record's excerpts may stand beside its bodies. */
  readonly isNear: boolean;
  /**
   * Stores what was said in these requests, all or nothing, in place of what is stored of them.
   *
   * @param beside - statements on the same database that go in the same transaction.
   */
  put(contents: readonly RequestContent[], beside?: readonly Statement[]): Promise<void>;
  /** A part that was not recorded, was removed or is damaged is missing. */
  get(
    requestIds: readonly string[],
    parts: readonly BodyPart[],
    view?: ContentView,
  ): Promise<ReadonlyMap<string, RequestBodies>>;
  /** The last question and the response as plain text; requests of which nothing is stored are missing. */
  texts(requestIds: readonly string[]): Promise<ReadonlyMap<string, RequestTexts>>;
  /** A file that a request shows, by its SHA-256. */
  asset(
    requestId: string,
    assetId: string,
  ): Promise<{ readonly contentType: string; readonly content: Uint8Array } | undefined>;
  /** All that is stored of these requests, as it was put; those of which nothing is stored are missing. */
  whole(requestIds: readonly string[]): Promise<ReadonlyMap<string, Content>>;
  /** Those of these requests of which anything is stored. */
  having(requestIds: readonly string[]): Promise<string[]>;
  /** Those of which something is stored in packs. */
  packed(requestIds: readonly string[]): Promise<string[]>;
  /** What was said in these requests is no longer found; its bytes are there until they are swept. */
  remove(requestIds: readonly string[]): Promise<void>;
  /**
   * One small step that takes the bytes of what was removed out of the store.
   *
   * @param isOrdered - also what would otherwise stay a while for those who may be reading it.
   */
  sweep(isOrdered?: boolean): Promise<SweepStep>;
  /** One step that moves what is in the database into the object store. @returns how many packs; 0 once all are there. */
  moveOut(): Promise<number>;
}

export interface SweepStep {
  /** Whether there was anything to do. */
  readonly swept: boolean;
  /** Packs and objects that are left to look at. */
  readonly left: number;
}
