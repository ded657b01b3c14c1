import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Position } from "../../../spool/frame.ts";
import type { Statement } from "../../../store/store.ts";
import type { TableRow } from "../rows.ts";

/** What is written together: into ClickHouse by a token, and then into the libSQL database. */
export interface NotedBatch {
  /** A row of `requests` or `open` that comes a second time with its token is not stored again. */
  readonly token: string;
  /** Stands in the libSQL database once the statements are there. */
  readonly mark: Position;
  readonly requests: readonly TableRow[];
  readonly open: readonly TableRow[];
  /** Ids of records that were in flight and keep the properties that they have here. */
  readonly relabelled: readonly string[];
  readonly statements: readonly Statement[];
}

/**
 * The batch that is being written, in the file `batch` of the data directory's `state/`: what a program that is cut off
 * has begun, the next one sends again, the same rows with the same token.
 *
 * Nothing deletes the file. A batch that was written whole is told by its mark.
 */
export class BatchFile {
  readonly #path: string;

  constructor(dataDirectory: string) {
    this.#path = join(dataDirectory, "state", "batch");
  }

  /** Undefined where there is none, and where it was not written whole: then nothing of it was sent either. */
  read(): NotedBatch | undefined {
    let text: string;
    try {
      text = readFileSync(this.#path, "utf8");
    } catch (error) {
      if ((error as { code?: unknown }).code === "ENOENT") return undefined;
      throw error;
    }
    return text === "" ? undefined : (JSON.parse(text) as NotedBatch);
  }

  /** On the disk when it returns. */
  write(batch: NotedBatch | undefined): void {
    const folder = dirname(this.#path);
    mkdirSync(folder, { recursive: true });
    const next = `${this.#path}.next`;
    const file = openSync(next, "w", 0o600);
    try {
      writeWhole(file, Buffer.from(batch === undefined ? "" : JSON.stringify(batch)));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(next, this.#path);
    const directory = openSync(folder, "r");
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
  }
}

function writeWhole(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.byteLength; ) at += writeSync(file, bytes, at);
}
