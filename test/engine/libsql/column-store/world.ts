import fc from "fast-check";
import { toStorable } from "../../../../src/engine/import.ts";
import { type BlockSizes, makeNextBlock } from "../../../../src/engine/libsql/column-store/keep.ts";
import { recordStatements } from "../../../../src/engine/libsql/write/insert.ts";
import { Kinds } from "../../../../src/engine/libsql/write/kinds.ts";
import { removeRecords } from "../../../../src/engine/libsql/write/remove.ts";
import { rewriteRecords } from "../../../../src/engine/libsql/write/rewrite.ts";
import { TimePartitions } from "../../../../src/engine/libsql/write/time-partitions.ts";
import { updateRecord } from "../../../../src/engine/libsql/write/update-record.ts";
import type { Storable } from "../../../../src/engine/storable.ts";
import { NO_TEXTS } from "../../../../src/record/record-texts.ts";
import type { Store } from "../../../../src/store/store.ts";
import { idOf } from "../../../filter/world.ts";

const KINDS = new Kinds();
const PARTITIONS = new TimePartitions();

export const SIZES: BlockSizes = { short: 4, long: 16, changesMax: 3 };
export const START = Date.UTC(2026, 0, 10, 12);
const ORGANIZATIONS = ["org-1", "org-2", "org-1"];

/** What a record may hold; values meet each other often. */
const columns = fc.record({
  model: fc.constantFrom("m-1", "m-2", "M-1", null),
  user_id: fc.constantFrom("u-1", "u-2", "ü", null),
  response_status: fc.constantFrom(200, 400, 429, 500),
  outcome: fc.constantFrom("complete", "refused", "failed", "client_gone", null),
  route: fc.constantFrom("fast", null),
  finish_reason: fc.constantFrom("stop", "length", null),
  gateway_user: fc.constantFrom("ci", null),
  prompt_version: fc.constantFrom("1", "2", null),
  error_code: fc.constantFrom("rate_limit_error", null),
  time_to_first_token: fc.constantFrom(0.5, 2.5, null),
  credential: fc.constantFrom("client", "c-1", null),
  delay_ms: fc.constantFrom(1, 2.5, 1000, 0.1, null),
  cost: fc.constantFrom(0, 0.1, 1e-9, 3, null),
  prompt_tokens: fc.constantFrom(0, 7, 300, 70_000, 2 ** 60, null),
  completion_tokens: fc.constantFrom(0, 1, 7, null),
  total_tokens: fc.constantFrom(8, null),
  cached: fc.constantFrom(0, 1),
});
const properties = fc.record(
  {
    Tier: fc.constantFrom("gold", "", "%"),
    "App-Name": fc.constantFrom("x", "y"),
    "app-name": fc.constantFrom("x", "z"),
  },
  { requiredKeys: [] },
);
const record = fc.record({ columns, properties, minutes: fc.nat({ max: 300 }), inFlight: fc.boolean() });
const place = fc.nat({ max: 1_000 });

type Step =
  | { readonly kind: "insert"; readonly records: readonly (typeof record extends fc.Arbitrary<infer T> ? T : never)[] }
  | { readonly kind: "complete"; readonly at: number }
  | { readonly kind: "remove"; readonly at: number }
  | { readonly kind: "update"; readonly at: number; readonly name: string; readonly value: string | null }
  | {
      readonly kind: "rewrite";
      readonly at: number;
      readonly columns: Readonly<Record<string, string | number | null>>;
    }
  | { readonly kind: "block" }
  /** A block is lost, so that any may be missing. */
  | { readonly kind: "lose"; readonly at: number };

const change: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("insert" as const), records: fc.array(record, { minLength: 1, maxLength: 9 }) }),
  fc.record({ kind: fc.constant("complete" as const), at: place }),
  fc.record({ kind: fc.constant("remove" as const), at: place }),
  fc.record({
    kind: fc.constant("update" as const),
    at: place,
    name: fc.constantFrom("Tier", "app-name", "New"),
    value: fc.constantFrom("gold", "n", null),
  }),
  fc.record({
    kind: fc.constant("rewrite" as const),
    at: place,
    columns: fc.record({ cost: fc.constantFrom(5, null), model: fc.constantFrom("m-2", "m-3"), total_tokens: place }),
  }),
  fc.constant({ kind: "block" as const }),
  fc.constant({ kind: "block" as const }),
  fc.record({ kind: fc.constant("lose" as const), at: place }),
);
/** With `during`, the step is taken while a block is being made, so many turns after its beginning. */
export const steps = fc.array(fc.record({ step: change, during: fc.option(fc.nat({ max: 24 })) }), {
  minLength: 1,
  maxLength: 30,
  size: "max",
});

/** Writes as the recorder does, with its own statements. */
export class Writing {
  readonly #store: Store;
  #seq = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  async take({ step, during }: { readonly step: Step; readonly during: number | null }): Promise<void> {
    const making = during === null || step.kind === "lose" ? undefined : makeNextBlock(this.#store, SIZES);
    for (let turn = 0; turn < (during ?? 0); turn++) await Promise.resolve();
    const both = await Promise.allSettled([making, this.#take(step)]);
    for (const result of both) {
      // Of two that make blocks at once, one fails; nothing else may.
      if (result.status === "rejected" && !(during !== null && step.kind === "block")) throw result.reason;
    }
  }

  async #take(step: Step): Promise<void> {
    const { records } = this.#store;
    if (step.kind === "block") return void (await makeNextBlock(this.#store, SIZES));
    if (step.kind === "lose") return this.#lose(step.at);
    if (step.kind === "insert") {
      const fresh = step.records.map((each) => ({ record: this.#storable(each, ++this.#seq), seq: this.#seq }));
      return records.batch(
        recordStatements({ fresh, completed: [], positions: [], kinds: KINDS, partitions: PARTITIONS, now: 0 }),
      );
    }
    const inFlight = step.kind === "complete";
    const rows = await records.query<{ seq: number; request_id: string; organization_id: string }>({
      sql: `select seq, request_id, organization_id from requests where (response_status is null) = ? order by seq`,
      args: [inFlight ? 1 : 0],
    });
    const row = rows[step.at % Math.max(1, rows.length)];
    if (row === undefined) return;
    const { seq, request_id: requestId, organization_id: organizationId } = row;
    if (step.kind === "complete") {
      const sql =
        "update requests set response_status = 429, outcome = 'refused', delay_ms = 4.25, cost = 2 where seq = ?";
      await records.batch([{ sql, args: [seq] }]);
    } else if (step.kind === "remove") await removeRecords(this.#store, organizationId, [requestId]);
    else if (step.kind === "rewrite")
      await rewriteRecords(this.#store, [{ requestId, columns: step.columns }], {
        config: { search_index: "no" },
        now: 0,
      });
    else await updateRecord(records, { requestId, organizationId, properties: { [step.name]: step.value } }, 0);
  }

  /** Only while none is being made: Weir loses none. */
  async #lose(at: number): Promise<void> {
    const { records } = this.#store;
    const ids = await records.query<{ id: number }>({ sql: "select id from blocks order by id", args: [] });
    const lost = ids[at % Math.max(1, ids.length)];
    if (lost === undefined) return;
    const tables = ["block_columns where block", "block_parts where block", "blocks where id"];
    await records.batch(tables.map((table) => ({ sql: `delete from ${table} = ?`, args: [lost.id] })));
  }

  #storable(each: Extract<Step, { kind: "insert" }>["records"][number], seq: number): Storable {
    const time = START + each.minutes * 60_000;
    const row = {
      ...each.columns,
      ...(each.inFlight && { response_status: null, outcome: null, delay_ms: null, cost: null }),
      prompt_tokens: each.columns.prompt_tokens,
      request_id: idOf(seq),
      organization_id: ORGANIZATIONS[seq % ORGANIZATIONS.length]!,
      key_id: "k",
      method: "POST",
      provider: "OPENAI",
      request_created_at: time,
      updated_at: time,
      properties: JSON.stringify(each.properties),
    };
    return toStorable({ row, bodies: [], texts: NO_TEXTS }, seq);
  }
}
