import type { Config } from "../../../config.ts";
import { USAGE_COUNTS } from "../../../mapping/usage.ts";
import { KIND_COLUMNS, usageText } from "../../../record/kinds.ts";
import { NO_TEXTS } from "../../../record/record-texts.ts";
import type { RequestRow } from "../../../record/written-row.ts";
import type { BodyStore } from "../../../store/bodies/body-store.ts";
import { quoted } from "../../../store/database/statements.ts";
import type { Content, StoredPart } from "../../../store/packs/request-content.ts";
import type { Statement, Store } from "../../../store/store.ts";
import { insertWords } from "../../../store/words/shards.ts";
import type { RecordChange } from "../../../threads.ts";
import { putContents } from "../../contents.ts";
import { CountedModels } from "../../counted-models.ts";
import { arePacked, excerptsOfRow, PACKED } from "./pack-excerpts.ts";

/** Columns that may change when a record is read again; the session may change when a later span assigns its trace to one. */
export const CHANGEABLE: ReadonlySet<string> = new Set<string>([
  "response_model",
  "model",
  "response_id",
  "finish_reason",
  "error_code",
  "error_message",
  ...USAGE_COUNTS,
  "usage_estimated",
  "usage_raw",
  "cost",
  "cost_source",
  "wire_schema",
  "request_model",
  "session_id",
  "user_id",
  "streamed",
  "assets",
  "unread",
  "input",
  "output",
  "excerpts_packed",
]);

/** A row whose changing columns, or usage, are in its kind gets all of the kind's values back first. */
const OF_KIND: ReadonlySet<string> = new Set([...KIND_COLUMNS, "usage_raw"]);
const OWN_VALUES = `update requests set (${KIND_COLUMNS.join(", ")}) =
  (select ${KIND_COLUMNS.join(", ")} from kinds where id = requests.kind), usage_raw = ?, kind = null
  where seq = ? and request_id = ? and kind is not null`;

/**
 * Writes the results of reading finished records again: first texts and bodies, then rows, like new records. Deleted records
 * stay deleted. The caller must be the only writer of these columns.
 */
export async function rewriteRecords(
  store: Store,
  changes: readonly RecordChange[],
  { config, now }: { readonly config: Pick<Config, "search_index">; readonly now: number },
): Promise<number> {
  const sql = `select seq, request_id, organization_id, provider, request_created_at, response_status, size_bytes, usage_raw, kind from whole_requests
    where request_id in (select value from json_each(?)) and response_status is not null`;
  const rows = await store.records.query<FoundRow>({
    sql,
    args: [JSON.stringify(changes.map(({ requestId }) => requestId))],
  });
  const there = new Map(rows.map((row) => [row.request_id, row]));
  const kept = changes.filter(({ requestId }) => there.has(requestId));
  const words = config.search_index === "no" ? [] : wordsOf(kept, there);
  const packed = await rewriteContents(store.content, kept, there, words);
  const changed = kept.filter(({ columns }) => Object.keys(columns).length > 0);
  const statements = changed.flatMap((change) => {
    const { seq, kind = null, usage_raw: usage = null } = there.get(change.requestId)!;
    const written = rowStatement(seq, change, packed.has(change.requestId), now);
    if (kind === null || !Object.keys(change.columns).some((name) => OF_KIND.has(name))) return [written];
    return [{ sql: OWN_VALUES, args: [usage && usageText(usage), seq, change.requestId] }, written];
  });
  const models = new CountedModels();
  for (const { requestId, columns, stored } of kept) {
    // A record that could not be read was not counted either.
    if (stored !== undefined) models.add({ ...there.get(requestId)!, ...columns } as Partial<RequestRow> as RequestRow);
  }
  statements.push(...models.statements());
  if (statements.length > 0) await store.records.batch(statements);
  return kept.length;
}

type FoundRow = Pick<
  RequestRow,
  | "request_id"
  | "organization_id"
  | "provider"
  | "request_created_at"
  | "response_status"
  | "size_bytes"
  | "usage_raw"
  | "kind"
> & { readonly seq: number };

/** Statements that index the words of records. */
function wordsOf(changes: readonly RecordChange[], rows: ReadonlyMap<string, FoundRow>): Statement[] {
  return insertWords(
    changes.map(({ requestId, texts, words }) => ({
      seq: rows.get(requestId)!.seq,
      organizationId: rows.get(requestId)!.organization_id,
      text: texts?.said ?? words ?? null,
    })),
  );
}

/**
 * Stores a record's contents again: the parts that stay, and the new results.
 *
 * @returns ids of the records whose new input and output are in packs.
 */
export async function rewriteContents(
  content: BodyStore,
  changes: readonly RecordChange[],
  rows: ReadonlyMap<string, Pick<RequestRow, "request_id" | "organization_id" | "size_bytes">>,
  beside: readonly Statement[] = [],
): Promise<ReadonlySet<string>> {
  const rewritten = changes.filter(
    ({ texts, responseBody, stored }) => (texts ?? responseBody ?? stored) !== undefined,
  );
  const before = await content.whole(rewritten.map(({ requestId }) => requestId));
  const records = rewritten.map((change) => {
    const { parts, assets, texts, excerpts } = before.get(change.requestId) ?? NOTHING;
    const found = foundParts(change);
    const names = new Set(found.map(({ part }) => part));
    const dropped: readonly string[] = change.stored === undefined ? [] : OF_CLIENT;
    const kept = parts.filter(({ part }) => !names.has(part) && !dropped.includes(part));
    const row = rows.get(change.requestId)!;
    const all = [...kept, ...found];
    const changed = excerptsOfRow(change.columns);
    const packed = content.isNear && arePacked(changed, row, all) ? changed : undefined;
    const read = "input" in change.columns ? packed : excerpts;
    return {
      row,
      parts: all,
      texts: { ...texts, said: null, ...change.texts },
      assets: change.stored?.assets ?? assets,
      ...(read !== undefined && { excerpts: read }),
    };
  });
  await putContents(content, records, { beside });
  return new Set(records.flatMap(({ row, excerpts }) => (excerpts === undefined ? [] : row.request_id)));
}

const NOTHING: Content = { parts: [], assets: [], texts: NO_TEXTS };
/** Parts that are stored again for a record that could not be read before. */
const OF_CLIENT: readonly string[] = ["request", "response", "raw", "headers"];

function foundParts({ responseBody, stored }: RecordChange): StoredPart[] {
  if (stored !== undefined) {
    return stored.parts.map(({ bytes, sent, ...part }) => ({
      ...part,
      bytes: Buffer.from(bytes),
      ...(sent !== undefined && { sent: Buffer.from(sent) }),
    }));
  }
  if (responseBody === undefined) return [];
  return [{ part: "response", form: "json", bytes: Buffer.from(responseBody), contentType: null }];
}

function rowStatement(seq: number, { requestId, columns }: RecordChange, isPacked: boolean, now: number): Statement {
  const changed = "input" in columns ? { ...columns, ...(isPacked ? PACKED : { excerpts_packed: null }) } : columns;
  const entries = Object.entries(changed).filter(([name]) => CHANGEABLE.has(name));
  return {
    sql: `update requests set ${entries.map(([name]) => `${quoted(name)} = ?, `).join("")}updated_at = max(?, updated_at + 1)
      where seq = ? and request_id = ?`,
    args: [...entries.map(([, value]) => value), now, seq, requestId],
  };
}
