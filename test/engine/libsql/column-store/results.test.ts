import { afterAll, beforeAll, expect, test } from "bun:test";
import { toStorable } from "../../../../src/engine/import.ts";
import { metrics } from "../../../../src/engine/libsql/aggregates/metrics.ts";
import { makeNextBlock } from "../../../../src/engine/libsql/column-store/keep.ts";
import { findPage } from "../../../../src/engine/libsql/find/find.ts";
import { recordStatements } from "../../../../src/engine/libsql/write/insert.ts";
import { Kinds } from "../../../../src/engine/libsql/write/kinds.ts";
import { TimePartitions } from "../../../../src/engine/libsql/write/time-partitions.ts";
import { engineReader } from "../../../../src/engine/reader.ts";
import { GatewayError } from "../../../../src/errors.ts";
import type { Position } from "../../../../src/filter/cursor.ts";
import { decodeFilter } from "../../../../src/filter/decode.ts";
import { decodeSort } from "../../../../src/filter/sort.ts";
import { NO_TEXTS } from "../../../../src/record/record-texts.ts";
import { Deadline } from "../../../../src/store/database/deadline.ts";
import { migrate } from "../../../../src/store/migrate.ts";
import { type Database, openStore, type Statement, type Store } from "../../../../src/store/store.ts";
import { idOf, ORGANIZATION } from "../../../filter/world.ts";
import { ownDirectory } from "../../../store/open.ts";
import { QUESTIONS, rounded } from "../../suite/questions.ts";

const KINDS = new Kinds();
const PARTITIONS = new TimePartitions();

const START = Date.UTC(2026, 0, 10);
const RECORDS = 6_000;
const directory = ownDirectory();
let writer: Store;
/** Two readers of the same records: one of a database with blocks, one that had them taken away. */
let blocks: Store;

function insert(from: number, to: number) {
  const fresh = Array.from({ length: to - from }, (_, index) => {
    const n = from + index;
    const row = {
      request_id: idOf(n),
      organization_id: n % 10 === 0 ? "other" : ORGANIZATION,
      key_id: "k",
      method: "POST",
      provider: "OPENAI",
      model: ["m-1", "m-2", null, "\u{1F642}", "\uFFFD"][n % 5]!,
      user_id: n % 7 === 0 ? null : `user-${n % 50}`,
      session_id: n % 3 === 0 ? null : `session-${n % 40}`,
      session_name: n % 9 === 1 ? "named" : null,
      response_status: n % 11 === 0 ? null : n % 13 === 0 ? 500 : n % 15 === 0 ? 429 : 200,
      outcome: n % 11 === 0 ? null : n % 13 === 0 ? "upstream_failed" : n % 30 === 0 ? "refused" : "complete",
      delay_ms: n % 11 === 0 ? null : (n * 7919) % 1000,
      cost: n % 17 === 0 ? null : n / 7,
      prompt_tokens: n,
      total_tokens: n % 17 === 0 ? null : n,
      cached: n % 8 === 0 ? 1 : 0,
      experiment_id: n % 6 === 0 ? "e" : null,
      request_created_at: START + n * 60_000,
      updated_at: START,
      properties: JSON.stringify({ Team: `team-${n % 6}`, ...(n % 2 ? { "app-name": `app-${n % 3}` } : {}) }),
    };
    return { record: toStorable({ row, bodies: [], texts: NO_TEXTS }, n), seq: n };
  });
  return recordStatements({ fresh, completed: [], positions: [], kinds: KINDS, partitions: PARTITIONS, now: 0 });
}

beforeAll(async () => {
  writer = await openStore(directory.config, "write");
  await migrate(writer);
  await writer.records.batch(insert(1, RECORDS));
  blocks = await openStore(directory.config, "read");
});
afterAll(async () => {
  await blocks.close();
  await writer.close();
  directory[Symbol.dispose]();
});

const leaf = (field: string, condition: object) => ({ request_response_rmt: { [field]: condition } });
const and = (left: unknown, right: unknown) => ({ left, operator: "and", right });
const from = (n: number) => leaf("request_created_at", { gte: new Date(START + n * 60_000).toISOString() });
const until = () => new Deadline(180_000);
const scope = (filter: unknown) => ({ organizationId: ORGANIZATION, tree: decodeFilter(filter, "legacy").tree });

const FILTERS = [
  "all",
  from(300),
  and(from(100), leaf("properties", { Team: { "not-equals": "team-2" } })),
  and(leaf("model", { like: "m-_" }), leaf("latency", { lt: 700.5 })),
  leaf("user_id", { "not-contains": "USER-1" }),
  leaf("cost", { gte: 0 }),
  leaf("properties", { "App-Name": { contains: "APP" } }),
  leaf("model", { equals: "of nobody" }),
  leaf("outcome", { "not-equals": "complete" }),
];

/** Blocks hold neither scores nor what the cache did; records are looked up by their keys. */
const WITHOUT_BLOCKS = /score|cache|some records|on the wire/;
const COMPARED = Object.entries(QUESTIONS).filter(([name]) => !WITHOUT_BLOCKS.test(name));

test("blocks and records give the same result for any query", async () => {
  const ask = async () => {
    const results: unknown[] = [];
    for (const [, question] of COMPARED)
      for (const filter of FILTERS) results.push(rounded(await question(engineReader(blocks), filter)));
    return results;
  };
  const fromRecords = await ask();
  const sizes = { short: 512, long: 4_096, changesMax: 100 };
  while ((await makeNextBlock(writer, sizes)) !== undefined);
  const [held] = await writer.records.query<{ n: number }>({ sql: "select sum(rows) as n from blocks", args: [] });
  expect(held!.n).toBeGreaterThan(5_000);
  const changed = "update requests set cost = 1, model = 'changed' where seq % 100 = 3";
  const back = "update requests set cost = seq / 7.0, model = 'm-2' where seq % 100 = 3 and seq % 5 = 1";
  expect(await ask()).toEqual(fromRecords);
  await writer.records.batch([
    { sql: changed, args: [] },
    { sql: back, args: [] },
  ]);
  const withChanges = await ask();
  await writer.records.batch(
    ["blocks", "block_parts", "block_columns"].map((table) => ({ sql: `delete from ${table}`, args: [] })),
  );
  expect(withChanges).toEqual(await ask());
}, 300_000);

test("pages that cannot be read in order soon are found by blocks, and are the same", async () => {
  const read: string[] = [];
  /** Where reading an index in order takes too long. */
  const slow = new Proxy(blocks.records, {
    get(database, name) {
      const member = Reflect.get(database, name);
      if (name !== "query") return typeof member === "function" ? member.bind(database) : member;
      return async (statement: Statement, options?: { readonly deadlineMs?: number }) => {
        if (!/order by .*request_created_at/s.test(statement.sql) || statement.sql.includes("json_each"))
          return database.query(statement, options);
        if ((options?.deadlineMs ?? Number.POSITIVE_INFINITY) <= 100) throw new GatewayError("query_timeout");
        read.push(statement.sql);
        return database.query(statement, options);
      };
    },
  });
  const pages = async (database: Database, filter: unknown, direction: "asc" | "desc", limit: number) => {
    const found: string[][] = [];
    const sort = decodeSort({ created_at: direction });
    for (let after: Position | undefined; ; ) {
      const page = await findPage(database, scope(filter), { sort, limit, offset: 0, after, deadline: until() });
      found.push(page.rows.map(({ request_id }) => request_id));
      after = page.next;
      if (after === undefined) return found;
    }
  };
  while ((await makeNextBlock(writer, { short: 512, long: 4_096, changesMax: 100 })) !== undefined);
  const few = [
    leaf("model", { equals: "of nobody" }),
    leaf("latency", { gte: 990 }),
    and(from(100), leaf("status", { equals: 500 })),
    leaf("properties", { Team: { "not-contains": "team" } }),
  ];
  for (const filter of few) {
    for (const direction of ["asc", "desc"] as const)
      expect(await pages(slow, filter, direction, 30)).toEqual(await pages(blocks.records, filter, direction, 30));
  }
  expect(read).toEqual([]);
  await writer.records.batch(
    ["blocks", "block_parts", "block_columns"].map((table) => ({ sql: `delete from ${table}`, args: [] })),
  );
});

test("of two that make the same block, the one that began first gives way", async () => {
  await writer.records.batch([{ sql: "delete from blocks", args: [] }]);
  const sizes = { short: 512, long: 1_024, changesMax: 100 };
  const results = await Promise.allSettled([makeNextBlock(writer, sizes), makeNextBlock(writer, sizes)]);
  expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const [made] = await writer.records.query<{ n: number }>({ sql: "select count(*) as n from blocks", args: [] });
  expect(made!.n).toBe(1);
});

test("sums that no integer holds are still sums", async () => {
  const huge = `update requests set prompt_tokens = 1152921504606846976 where seq <= 100 and organization_id = '${ORGANIZATION}'`;
  await writer.records.batch([{ sql: huge, args: [] }]);
  const [row] = await metrics(
    blocks.records,
    scope("all"),
    { groupBy: [], timeBucket: undefined, limit: 1, offset: 0 },
    until(),
  );
  expect(row!.prompt_tokens).toBeGreaterThan(90 * 2 ** 60);
});
