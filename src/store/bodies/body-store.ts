import type { Statement } from "../database/database.ts";
import type { BodyPart } from "../packs/placed.ts";
import type { ContentView, RequestBodies, RequestTexts } from "../packs/read.ts";
import type { Content, RequestContent } from "../packs/request-content.ts";

/**
 * Stores the contents of requests: bodies, headers, files, texts. Only the recorder calls `put`, `remove` and `sweep`, one
 * call at a time.
 */
export interface BodyStore {
  /** Whether reading needs no network: then a record's excerpts may be stored with its bodies. */
  readonly isNear: boolean;
  /**
   * Stores the contents of these requests, all or nothing, replacing what was stored for them.
   *
   * @param beside - statements on the same database, run in the same transaction.
   */
  put(contents: readonly RequestContent[], beside?: readonly Statement[]): Promise<void>;
  /** Parts that were not recorded, were removed or are damaged are missing. */
  get(
    requestIds: readonly string[],
    parts: readonly BodyPart[],
    view?: ContentView,
  ): Promise<ReadonlyMap<string, RequestBodies>>;
  /** The last question and the response as plain text; requests without stored contents are missing. */
  texts(requestIds: readonly string[]): Promise<ReadonlyMap<string, RequestTexts>>;
  /** A file in a request, by its SHA-256. */
  asset(
    requestId: string,
    assetId: string,
  ): Promise<{ readonly contentType: string; readonly content: Uint8Array } | undefined>;
  /** Everything stored for these requests, as it was put; requests without stored contents are missing. */
  whole(requestIds: readonly string[]): Promise<ReadonlyMap<string, Content>>;
  /** Those of these requests that have stored contents. */
  having(requestIds: readonly string[]): Promise<string[]>;
  /** Those of these requests that have contents in packs. */
  packed(requestIds: readonly string[]): Promise<string[]>;
  /** Removes the contents of these requests. Their bytes stay in the store until `sweep`. */
  remove(requestIds: readonly string[]): Promise<void>;
  /**
   * One small step that erases removed bytes from the store.
   *
   * @param isOrdered - also erases what would otherwise stay a while for readers.
   */
  sweep(isOrdered?: boolean): Promise<SweepStep>;
  /** One step that moves packs from the database into the object store. @returns number of packs; 0 when all are moved. */
  moveOut(): Promise<number>;
}

export interface SweepStep {
  /** Whether there was anything to do. */
  readonly swept: boolean;
  /** Packs and objects still to be checked. */
  readonly left: number;
}
