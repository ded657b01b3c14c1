import { NO_TEXTS, type RecordTexts } from "../../../record/record-texts.ts";
import type { MappingsOfProviders } from "../../../store/bodies/body-text.ts";
import { loadTexts } from "../../../store/bodies/load-bodies.ts";
import type { Database } from "../../../store/store.ts";
import { saidTexts } from "../../../store/words/said-texts.ts";
import { wholeRecords } from "../../libsql/find/records.ts";
import type { Storable } from "../../storable.ts";

/** The fields of a libSQL record that its copy is compared by. */
export interface StoredKey {
  readonly seq: number;
  readonly requestId: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** 0 when unknown. */
  readonly tokens: number;
}

interface ReadOptions {
  readonly organizationId: string;
  /** Whether prompts and responses are read as well. */
  readonly keepsTexts: boolean;
  readonly ofProviders: MappingsOfProviders;
}

/** Finished records created between two times, oldest first, a few at a time. */
export async function* keysBetween(
  records: Database,
  organizationId: string,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<readonly StoredKey[]> {
  let after: readonly [time: number, id: string] = [from, ""];
  for (;;) {
    const keys = await records.query<StoredKey>({
      sql: `select seq, request_id as requestId, request_created_at as createdAt, updated_at as updatedAt,
          coalesce(total_tokens, 0) as tokens
        from requests where organization_id = ? and (request_created_at, request_id) > (?, ?) and request_created_at < ?
          and response_status is not null
        order by request_created_at, request_id limit ${BATCH}`,
      args: [organizationId, ...after, to],
    });
    if (keys.length > 0) yield keys;
    if (keys.length < BATCH) return;
    const last = keys.at(-1)!;
    after = [last.createdAt, last.requestId];
  }
}

/** Records copied together: smaller batches cost ClickHouse more per record. */
export const BATCH = 2_000;

/** Complete records as they are stored. Records deleted meanwhile are left out. */
export async function storedRecords(
  records: Database,
  keys: readonly StoredKey[],
  options: ReadOptions,
): Promise<Storable[]> {
  const rows = await wholeRecords(records, options.organizationId, keys);
  const seqs = rows.map(({ seq }) => seq);
  const erased = await erasedNames(records, seqs);
  const texts = options.keepsTexts ? await textsOf(records, rows, options.ofProviders) : new Map<number, RecordTexts>();
  return rows.map((row) => ({
    row,
    labels: {
      properties: JSON.parse(row.properties),
      promptInputs: JSON.parse(row.prompt_inputs),
      erasedProperties: erased[0].get(row.seq) ?? NONE,
      erasedInputs: erased[1].get(row.seq) ?? NONE,
    },
    parts: [],
    assets: [],
    texts: texts.get(row.seq) ?? NO_TEXTS,
  }));
}

const NONE: ReadonlySet<string> = new Set();

/** Names that lost their case, by record, for properties and for prompt inputs. */
async function erasedNames(records: Database, seqs: readonly number[]) {
  const erased = [new Map<number, Set<string>>(), new Map<number, Set<string>>()] as const;
  const found = await records.query<{ seq: number; kind: 0 | 1; name: string }>({
    sql: `select seq, kind, name from properties
      where seq in (select value from json_each(?)) and case_erased`,
    args: [JSON.stringify(seqs)],
  });
  for (const { seq, kind, name } of found) {
    const names = erased[kind].get(seq);
    if (names === undefined) erased[kind].set(seq, new Set([name]));
    else names.add(name);
  }
  return erased;
}

async function textsOf(
  records: Database,
  rows: readonly { readonly seq: number; readonly request_id: string }[],
  ofProviders: MappingsOfProviders,
): Promise<ReadonlyMap<number, RecordTexts>> {
  const seqs = rows.map(({ seq }) => seq);
  const ids = rows.map(({ request_id }) => request_id);
  const [texts, said] = await Promise.all([loadTexts(records, ids), saidTexts(records, seqs, ofProviders)]);
  return new Map(
    rows.map(({ seq, request_id }) => {
      const { prompt = null, completion = null } = texts.get(request_id) ?? {};
      return [seq, { prompt, completion, said: said.get(seq) ?? null }];
    }),
  );
}
