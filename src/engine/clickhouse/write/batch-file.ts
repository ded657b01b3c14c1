import type { Position } from "../../../spool/frame.ts";
import type { Statement } from "../../../store/store.ts";
import type { TableRow } from "../rows.ts";
import { NoteFile } from "./note-file.ts";

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
 * The batch that is being written, in the file `batch`: what a program that is cut off has begun, the next one sends
 * again, the same rows with the same token.
 *
 * Nothing deletes the file. A batch that was written whole is told by its mark.
 */
export class BatchFile extends NoteFile<NotedBatch> {
  constructor(dataDirectory: string) {
    super(dataDirectory, "batch");
  }
}
