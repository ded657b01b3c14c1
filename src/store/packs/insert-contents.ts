import type { Statement, Value } from "../database/database.ts";
import { insertInto, insertRows } from "../database/statements.ts";
import type { WrittenRow } from "./pack-writer.ts";
import { idBytes, idsBytes } from "./row-id.ts";

const CONFLICT = "on conflict (request_id) do update set home = excluded.home, parts = excluded.parts";
const EACH = insertInto("contents", ["request_id", "home", "parts"], CONFLICT);

/** Rows in one statement whose ids, and whose parts, are bound as one blob: each blob costs as much as six numbers. */
const TOGETHER_ROWS = 32;
const ID_BYTES = 16;
/** Numbers bound for each row, after the two blobs: home, and first byte and length of its parts. */
const NUMBERS = 3;
const TOGETHER = `insert into contents (request_id, home, parts) values ${Array.from(
  { length: TOGETHER_ROWS },
  (_, row) => {
    const bound = 2 + row * NUMBERS;
    const id = `substr(?1,${row * ID_BYTES + 1},${ID_BYTES})`;
    return `(${id},?${bound + 1},substr(?2,?${bound + 2},?${bound + 3}))`;
  },
).join(",")} ${CONFLICT}`;

/** Adds statements that store where the contents of these requests are, in their order: of several of one request, the last counts. */
export function insertContents(rows: readonly WrittenRow[], into: Statement[]): void {
  let each: Value[] = [];
  for (let at = 0; at < rows.length; at += TOGETHER_ROWS) {
    const group = rows.slice(at, at + TOGETHER_ROWS);
    const ids = group.length === TOGETHER_ROWS ? idsBytes(group.map(({ requestId }) => requestId)) : undefined;
    if (ids === undefined) {
      for (const { requestId, home, parts } of group) each.push(idBytes(requestId), home, parts);
      continue;
    }
    insertRows(EACH, each, into);
    each = [];
    into.push(together(group, ids));
  }
  insertRows(EACH, each, into);
}

function together(rows: readonly WrittenRow[], ids: Uint8Array): Statement {
  const args: Value[] = [ids, Buffer.concat(rows.map(({ parts }) => parts))];
  let first = 1;
  for (const { home, parts } of rows) {
    args.push(home, first, parts.length);
    first += parts.length;
  }
  return { sql: TOGETHER, args, hasTypedNumbers: true };
}
