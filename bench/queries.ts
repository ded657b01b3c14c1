import type { EngineReader } from "../src/engine/reader.ts";
import { keysOf, type Page } from "../src/engine/record-source.ts";
import { decodeFilter } from "../src/filter/decode.ts";
import type { TimeBucket } from "../src/filter/group-by.ts";
import { decodeSort } from "../src/filter/sort.ts";
import { MADE_FROM } from "../src/record/request-record.ts";
import { Deadline } from "../src/store/database/deadline.ts";
import { quantile } from "./measured.ts";

/** What is known of the records that are queried. */
export interface Seeded {
  readonly organizationId: string;
  readonly records: number;
  /** Time of the newest. */
  readonly newest: number;
  /** A hundred ids from all of the time. */
  readonly ids: readonly string[];
}

/** A query by its name; it returns how many rows it found. */
export type Query = readonly [name: string, ask: () => Promise<number>];

/**
 * Queries of an engine by their names, without HTTP around them.
 * @param cursors - the engine that finds where deep pages begin: an offset of millions takes ClickHouse minutes.
 */
export async function queriesOf(engine: EngineReader, seeded: Seeded, cursors = engine): Promise<readonly Query[]> {
  const asker = askerOf(engine, seeded, cursors.source);
  return [...pageQueries(asker, seeded), ...(await cursorQueries(asker)), ...sumQueries(asker), ...listQueries(asker)];
}

const DAY = 86_400_000;
const PAGE = { limit: 100, offset: 0 };
const until = () => new Deadline(120_000);
const leaf = (field: string, condition: object) => ({ request_response_rmt: { [field]: condition } });
const and = (...nodes: unknown[]): unknown => nodes.reduce((left, right) => ({ left, operator: "and", right }));
const property = (name: string, value: string) => leaf("properties", { [name]: { equals: value } });

type Asker = ReturnType<typeof askerOf>;

/** What queries have in common. Each returns how many rows it found. */
function askerOf(
  { source, aggregates }: EngineReader,
  { organizationId, records, newest }: Seeded,
  cursors: EngineReader["source"],
) {
  const iso = (time: number) => new Date(time).toISOString();
  /** A range of `days` that ends so many days before the newest record. */
  const range = (days: number, ago = 0) =>
    and(
      leaf("request_created_at", { gte: iso(newest - (ago + days) * DAY) }),
      leaf("request_created_at", { lte: iso(newest - ago * DAY) }),
    );
  const scope = (filter: unknown) => ({ organizationId, tree: decodeFilter(filter, "legacy").tree });

  async function listed({ keys }: Page): Promise<number> {
    return (await source.listed({ organizationId, sight: "bodies", keys }, MADE_FROM)).length;
  }

  async function page(filter: unknown, sort: unknown = undefined, limit = 100): Promise<number> {
    const options = { sort: decodeSort(sort), limit, offset: 0, deadline: until() };
    return listed(await source.page(scope(filter), options));
  }

  /** A page whose cursor has passed such a share of all records. */
  async function deep(sort: unknown, share: number): Promise<() => Promise<number>> {
    const keys = decodeSort(sort);
    const start = { sort: keys, limit: 1, offset: Math.floor(records * share), deadline: until() };
    const { next } = await cursors.page(scope("all"), start);
    return async () => {
      const options = { sort: keys, limit: 100, offset: 0, after: next, deadline: until() };
      return listed(await source.page(scope("all"), options));
    };
  }

  async function metrics(filter: unknown, groupBy: string[], timeBucket?: TimeBucket): Promise<number> {
    const query = { groupBy, timeBucket, limit: 10_000, offset: 0 };
    return (await aggregates.metrics(scope(filter), query, until())).length;
  }

  async function costs(filter: unknown): Promise<number> {
    return (await aggregates.propertyCosts(scope(filter), { name: "Team", ...PAGE }, until())).length;
  }

  return { source, aggregates, organizationId, range, scope, page, deep, metrics, costs };
}

function pageQueries({ source, organizationId, page, range }: Asker, { ids }: Seeded): readonly Query[] {
  return [
    ["newest 100 of all", () => page("all")],
    ["a week and a common property, newest 100", () => page(and(range(7), property("Environment", "production")))],
    ["a week and a rare property, newest 100", () => page(and(range(7), property("Customer", "customer-777")))],
    ["a week and a property that matches nothing", () => page(and(range(7), property("Customer", "nobody")))],
    ["a week long ago and a middling property", () => page(and(range(7, 20), property("Team", "team-3")))],
    ["two properties, newest 100", () => page(and(property("Team", "team-3"), property("Feature", "feature-9")))],
    ["100 ids", async () => (await source.records(organizationId, keysOf(ids))).length],
    ["one user, newest 100", () => page(leaf("user_id", { equals: "user-42" }))],
    ["one session", () => page({ sessions_request_response_rmt: { session_session_id: { equals: "session-7" } } })],
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
  ];
}

async function cursorQueries({ deep }: Asker): Promise<readonly Query[]> {
  return [
    ["deep cursor, newest first", await deep(undefined, 0.5)],
    ["deep cursor, by cost", await deep({ cost: "desc" }, 0.5)],
  ];
}

function sumQueries({ source, range, scope, metrics, costs }: Asker): readonly Query[] {
  const failed = leaf("status", { gte: 400 });
  return [
    ["count of a day", () => source.count(scope(range(1, 3)), until())],
    ["count of a day with a condition", () => source.count(scope(and(range(1, 3), failed)), until())],
    ["count of 30 days with a condition", () => source.count(scope(and(range(30), failed)), until())],
    ["30 days of cost by property value", () => costs(range(30))],
    ["cost by property value, with a condition", () => costs(leaf("status", { equals: 200 }))],
    ["metrics of a day by hour and model", () => metrics(range(1, 3), ["model"], "hour")],
    ["metrics of a week by hour and model", () => metrics(range(7), ["model"], "hour")],
    ["metrics of 30 days by day and model", () => metrics(range(30), ["model"], "day")],
    ["metrics of 30 days by model", () => metrics("all", ["model"])],
    ["metrics of 30 days by status and day", () => metrics(range(30), ["status"], "day")],
    ["metrics of 30 days by property and day", () => metrics(range(30), ["property:Environment"], "day")],
    ["metrics of 30 days by user", () => metrics(range(30), ["user"])],
    [
      "metrics of 30 days of a property's value, by day",
      () => metrics(and(range(30), property("Environment", "production")), ["model"], "day"),
    ],
    [
      "metrics of 30 days of errors of a model, by day",
      () => metrics(and(range(30), failed, leaf("model", { contains: "GPT" })), [], "day"),
    ],
  ];
}

function listQueries({ aggregates, scope }: Asker): readonly Query[] {
  const everything = scope("all");
  return [
    [
      "sessions, last active first",
      async () =>
        (await aggregates.sessions(everything, { order: [["latest_request_created_at", "desc"]], page: PAGE }, until()))
          .length,
    ],
    [
      "users by requests",
      async () => (await aggregates.users(everything, [["requests", "desc"]], PAGE, until())).length,
    ],
  ];
}

const SECONDS_MAX = 20;

/** Milliseconds of each run, and the rows of the last. Slow queries run less often. */
export async function timed(ask: Query[1], runs: number): Promise<{ p50: number; p95: number; rows: number }> {
  const times: number[] = [];
  let rows = 0;
  for (
    let run = 0;
    run < runs && (run < 3 || times.reduce((sum, time) => sum + time, 0) < SECONDS_MAX * 1_000);
    run++
  ) {
    const started = performance.now();
    rows = await ask();
    times.push(performance.now() - started);
  }
  return { p50: quantile(times, 0.5), p95: quantile(times, 0.95), rows };
}
