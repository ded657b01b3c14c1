import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { Value as Schema } from "@sinclair/typebox/value";
import { CONFIG_SCHEMA } from "../src/config.ts";
import { metrics } from "../src/engine/libsql/aggregates/metrics.ts";
import { propertyCosts } from "../src/engine/libsql/aggregates/property-costs.ts";
import { sessions } from "../src/engine/libsql/aggregates/sessions.ts";
import { users } from "../src/engine/libsql/aggregates/totals.ts";
import { makeNextBlock } from "../src/engine/libsql/column-store/keep.ts";
import { countMatches, type FoundPage, findPage } from "../src/engine/libsql/find/find.ts";
import { keyOf } from "../src/engine/libsql/find/found-row.ts";
import { listedRecords, wholeRecords } from "../src/engine/libsql/find/records.ts";
import { keysOf } from "../src/engine/record-source.ts";
import { decodeFilter } from "../src/filter/decode.ts";
import type { TimeBucket } from "../src/filter/group-by.ts";
import { decodeSort } from "../src/filter/sort.ts";
import { ALL } from "../src/filter/tree.ts";
import { MADE_FROM } from "../src/record/request-record.ts";
import { Deadline } from "../src/store/database/deadline.ts";
import { FIRST_ORGANIZATION } from "../src/store/keys.ts";
import { migrate } from "../src/store/migrate.ts";
import { openStore } from "../src/store/store.ts";
import { quantile } from "./figures.ts";

/**
 * Times the queries of the query service on a seeded database (`bench/seed.ts`), records read whole but without bodies,
 * and without HTTP around them.
 *
 *     bun bench/query.ts [--data-dir ./weir-data] [--runs 20] [--only "part of a name"]
 */
const { values } = parseArgs({
  options: {
    "data-dir": { type: "string" },
    runs: { type: "string", default: "20" },
    only: { type: "string", default: "" },
  },
});
const dataDir = resolve(values["data-dir"] ?? process.env["WEIR_DATA_DIR"] ?? "./weir-data");
const runs = Number(values.runs);

const writer = await openStore({ ...Schema.Create(CONFIG_SCHEMA), data_dir: dataDir }, "write");
await migrate(writer);
while ((await makeNextBlock(writer)) !== undefined);
await writer.close();
const reader = await openStore({ ...Schema.Create(CONFIG_SCHEMA), data_dir: dataDir }, "read");
const database = reader.records;
const one = async <T>(sql: string, ...args: (string | number)[]) =>
  (await database.query<{ v: T }>({ sql, args }))[0]!.v;
const organizationId = await one<string>("select id as v from organizations where name = ?", FIRST_ORGANIZATION);
const records = await one<number>("select count(*) as v from requests");
const newest = await one<number>("select max(request_created_at) as v from requests");
console.log(`${records} records; ${runs} runs each, milliseconds`);

const DAY = 86_400_000;
const iso = (time: number) => new Date(time).toISOString();
const leaf = (field: string, condition: object) => ({ request_response_rmt: { [field]: condition } });
const and = (...nodes: unknown[]): unknown => nodes.reduce((left, right) => ({ left, operator: "and", right }));
/** A range of `days` that ends so many days before the newest record. */
const range = (days: number, ago = 0) =>
  and(
    leaf("request_created_at", { gte: iso(newest - (ago + days) * DAY) }),
    leaf("request_created_at", { lte: iso(newest - ago * DAY) }),
  );
const property = (name: string, value: string) => leaf("properties", { [name]: { equals: value } });

const scope = (filter: unknown) => ({ organizationId, tree: decodeFilter(filter, "legacy").tree });
const everything = { organizationId, tree: ALL };
const page100 = { limit: 100, offset: 0 };
const until = () => new Deadline(120_000);

async function listed({ rows }: FoundPage): Promise<number> {
  const asked = { organizationId, sight: "bodies", keys: rows.map(keyOf) } as const;
  return (await listedRecords(database, asked, MADE_FROM)).length;
}

async function page(filter: unknown, sort: unknown = undefined, limit = 100): Promise<number> {
  const options = { sort: decodeSort(sort), limit, offset: 0, deadline: until() };
  return listed(await findPage(database, scope(filter), options));
}

async function deep(sort: unknown, share: number): Promise<() => Promise<number>> {
  const keys = decodeSort(sort);
  const start = { sort: keys, limit: 1, offset: Math.floor(records * share), deadline: until() };
  const { next } = await findPage(database, scope("all"), start);
  return async () => {
    const options = { sort: keys, limit: 100, offset: 0, after: next, deadline: until() };
    return listed(await findPage(database, scope("all"), options));
  };
}

async function figures(filter: unknown, groupBy: string[], timeBucket?: TimeBucket): Promise<number> {
  const query = { groupBy, timeBucket, limit: 10_000, offset: 0 };
  return (await metrics(database, scope(filter), query, until())).length;
}

const ids = (
  await database.query<{ request_id: string }>({
    sql: "select request_id from requests where seq % ? = 0 limit 100",
    args: [Math.max(1, Math.floor(records / 100))],
  })
).map(({ request_id }) => request_id);

const QUERIES: readonly (readonly [string, () => Promise<number>])[] = [
  ["newest 100 of all", () => page("all")],
  ["a week and a common property, newest 100", () => page(and(range(7), property("Environment", "production")))],
  ["a week and a rare property, newest 100", () => page(and(range(7), property("Customer", "customer-777")))],
  ["a week and a property that matches nothing", () => page(and(range(7), property("Customer", "nobody")))],
  ["a week long ago and a middling property", () => page(and(range(7, 20), property("Team", "team-3")))],
  ["two properties, newest 100", () => page(and(property("Team", "team-3"), property("Feature", "feature-9")))],
  ["100 ids", async () => (await wholeRecords(database, organizationId, keysOf(ids))).length],
  ["one user, newest 100", () => page(leaf("user_id", { equals: "user-42" }))],
  ["one session", () => page({ sessions_request_response_rmt: { session_session_id: { equals: "session-7" } } })],
  ["count of a day", () => countMatches(database, scope(range(1, 3)), until())],
  [
    "count of a day with a condition",
    () => countMatches(database, scope(and(range(1, 3), leaf("status", { gte: 400 }))), until()),
  ],
  [
    "count of 30 days with a condition",
    () => countMatches(database, scope(and(range(30), leaf("status", { gte: 400 }))), until()),
  ],
  [
    "30 days of cost by property value",
    async () =>
      (await propertyCosts(database, scope(range(30)), { name: "Team", limit: 100, offset: 0 }, until())).length,
  ],
  [
    "cost by property value, with a condition",
    async () =>
      (
        await propertyCosts(
          database,
          scope(leaf("status", { equals: 200 })),
          { name: "Team", limit: 100, offset: 0 },
          until(),
        )
      ).length,
  ],
  ["sort by cost over all", () => page("all", { cost: "desc" })],
  ["sort by cost, rising", () => page("all", { cost: "asc" })],
  ["sort by latency over all", () => page("all", { latency: "desc" })],
  [
    "response_body contains over a day, newest 10",
    () => page(and(range(1, 3), leaf("response_body", { contains: "BERICHT" })), undefined, 10),
  ],
  [
    "response_body contains over a day, none",
    () => page(and(range(1, 3), leaf("response_body", { contains: "not in there" }))),
  ],
  ["deep cursor, newest first", await deep(undefined, 0.5)],
  ["deep cursor, by cost", await deep({ cost: "desc" }, 0.5)],
  ["metrics of a day by hour and model", () => figures(range(1, 3), ["model"], "hour")],
  ["metrics of a week by hour and model", () => figures(range(7), ["model"], "hour")],
  ["metrics of 30 days by day and model", () => figures(range(30), ["model"], "day")],
  ["metrics of 30 days by model", () => figures("all", ["model"])],
  ["metrics of 30 days by status and day", () => figures(range(30), ["status"], "day")],
  ["metrics of 30 days by property and day", () => figures(range(30), ["property:Environment"], "day")],
  ["metrics of 30 days by user", () => figures(range(30), ["user"])],
  [
    "metrics of 30 days of a property's value, by day",
    () => figures(and(range(30), property("Environment", "production")), ["model"], "day"),
  ],
  [
    "metrics of 30 days of errors of a model, by day",
    () => figures(and(range(30), leaf("status", { gte: 400 }), leaf("model", { contains: "GPT" })), [], "day"),
  ],
  [
    "sessions, last active first",
    async () =>
      (
        await sessions(
          database,
          { organizationId, tree: ALL },
          { order: [["latest_request_created_at", "desc"]], page: { limit: 100, offset: 0 } },
          until(),
        )
      ).length,
  ],
  [
    "users by requests",
    async () => (await users(database, everything, { order: [["requests", "desc"]], page: page100 }, until())).length,
  ],
];

for (const [name, query] of QUERIES) {
  if (!name.includes(values.only)) continue;
  const times: number[] = [];
  let rows = 0;
  for (let run = 0; run < runs && (run < 3 || times.reduce((sum, time) => sum + time, 0) < 20_000); run++) {
    const started = performance.now();
    rows = await query();
    times.push(performance.now() - started);
  }
  const [p50, p95] = [quantile(times, 0.5), quantile(times, 0.95)];
  console.log(`${name.padEnd(48)} p50 ${p50.toFixed(1).padStart(8)}  p95 ${p95.toFixed(1).padStart(8)}  (${rows})`);
}
await reader.close();
