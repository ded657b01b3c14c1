import type { RequestRow } from "../../../record/written-row.ts";
import type { Store } from "../../../store/store.ts";
import type { RecordChange } from "../../../threads.ts";
import { CountedModels } from "../../counted-models.ts";
import { CHANGEABLE, rewriteContents } from "../../libsql/write/rewrite.ts";
import type { ClickHouse } from "../client.ts";
import { COLUMN_TYPES } from "../columns.ts";
import { type Literal, literal } from "../literal.ts";
import type { Layout } from "../tables.ts";
import { finishedRows, type RowKey } from "./find-rows.ts";
import { textColumns } from "./texts.ts";
import { type RowUpdate, updateRows } from "./update.ts";

interface Places {
  readonly client: ClickHouse;
  readonly layout: Layout;
  readonly store: Store;
  /** Whether prompts and responses are stored as columns. */
  readonly keepsTexts: boolean;
}

type Found = RowKey & Pick<RequestRow, "provider" | "response_status" | "size_bytes">;

/** Writes the results of reading finished records again: first bodies, then rows. */
export async function rewriteRows(
  { client, layout, store, keepsTexts }: Places,
  changes: readonly RecordChange[],
  now: number,
): Promise<number> {
  const ids = changes.map(({ requestId }) => requestId);
  const rows = await finishedRows<Found>(client, ids, "provider, response_status, size_bytes");
  const there = new Map(rows.map((row) => [row.request_id, row]));
  const kept = changes.filter(({ requestId }) => there.has(requestId));
  await rewriteContents(store.content, kept, there);
  const updates = kept.map((change) => updateOf(there.get(change.requestId)!, change, { keepsTexts, now }));
  await updateRows(client, { table: "requests", layout }, updates);
  const models = new CountedModels();
  for (const { requestId, columns, stored } of kept) {
    // A record that could not be read was not counted either.
    if (stored !== undefined) models.add({ ...there.get(requestId)!, ...columns } as Partial<RequestRow> as RequestRow);
  }
  const statements = models.statements();
  if (statements.length > 0) await store.records.batch(statements);
  return kept.length;
}

function updateOf(
  key: RowKey,
  { columns, texts, words }: RecordChange,
  { keepsTexts, now }: { readonly keepsTexts: boolean; readonly now: number },
): RowUpdate {
  const set: Record<string, string> = { updated_at: `greatest(${now}, updated_at + 1)` };
  const put = (column: string, value: Literal) => {
    set[column] = `cast(${literal(value)} as ${COLUMN_TYPES[column]!.replace(/ CODEC.*/, "")})`;
  };
  for (const [column, value] of Object.entries(columns)) {
    if (!CHANGEABLE.has(column) || !Object.hasOwn(COLUMN_TYPES, column)) continue;
    put(column, column === "assets" ? (JSON.parse(String(value)) as string[]) : value);
  }
  if (!keepsTexts) return { key, set };
  const said = texts?.said ?? words ?? null;
  for (const [column, text] of Object.entries(textColumns({ ...texts, said }))) {
    // Only words are new: the texts themselves stay as they are.
    if (texts !== undefined || text !== null) put(column, text as string | null);
  }
  return { key, set };
}
