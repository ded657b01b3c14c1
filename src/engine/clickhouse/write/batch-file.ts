import type { Position } from "../../../spool/frame.ts";
import type { Statement } from "../../../store/store.ts";
import type { TableRow } from "../rows.ts";
import { NoteFile } from "./note-file.ts";

/** Data that is written together: to ClickHouse with a token, and then to the libSQL database. */
export interface NotedBatch {
  /** A row of `requests` or `open` that is sent again with its token is not stored again. */
  readonly token: string;
  /** Stored in the libSQL database together with the statements. */
  readonly mark: Position;
  readonly requests: readonly TableRow[];
  readonly open: readonly TableRow[];
  /** Ids of records that were in flight and keep the properties given here. */
  readonly relabelled: readonly string[];
  readonly statements: readonly Statement[];
}

/**
 * The batch that is being written, in the file `batch`: after an interruption, the next start sends the same rows with the
 * same token again.
 *
 * The file is never deleted. The mark shows whether the batch was written completely.
 */
export class BatchFile extends NoteFile<NotedBatch> {
  constructor(dataDirectory: string) {
    super(dataDirectory, "batch");
  }
}
