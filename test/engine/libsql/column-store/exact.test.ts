import { expect, test } from "bun:test";
import fc from "fast-check";
import { blockAggregates } from "../../../../src/engine/libsql/column-store/block-aggregates.ts";
import { makeNextBlock } from "../../../../src/engine/libsql/column-store/keep.ts";
import { decodeFilter } from "../../../../src/filter/decode.ts";
import { selectRecords } from "../../../../src/filter/select.ts";
import { sql } from "../../../../src/filter/sql.ts";
import { Deadline } from "../../../../src/store/database/deadline.ts";
import { migrate } from "../../../../src/store/migrate.ts";
import { openStore, type Store } from "../../../../src/store/store.ts";
import { assertProperty } from "../../../chance.ts";
import { ownDirectory } from "../../../store/open.ts";
import { SIZES, START, steps, Writing } from "./world.ts";

/** A record as it is in the database, and its properties as a filter sees them. */
type Plain = Readonly<Record<string, string | number | null>> & { readonly tags: Readonly<Record<string, string>> };

const HOUR = 3_600_000;
const leaf = (field: string, condition: object) => ({ request_response_rmt: { [field]: condition } });
const and = (left: unknown, right: unknown) => ({ left, operator: "and", right });
const or = (left: unknown, right: unknown) => ({ left, operator: "or", right });
const iso = (time: number) => new Date(time).toISOString();
const at = (row: Plain) => row["request_created_at"] as number;
const app = (row: Plain) => row.tags["App-Name"] ?? row.tags["app-name (lost)"] ?? null;

const FILTERS: readonly (readonly [string, unknown, (row: Plain) => boolean])[] = [
  ["all", "all", () => true],
  ["a model", leaf("model", { equals: "m-1" }), (row) => row["model"] === "m-1"],
  ["no model", leaf("model", { equals: null }), (row) => row["model"] === null],
  ["not a model", leaf("model", { "not-equals": "m-1" }), (row) => row["model"] !== "m-1"],
  ["part of a user", leaf("user_id", { contains: "Ü" }), (row) => row["user_id"] === "ü"],
  ["not part", leaf("user_id", { "not-contains": "U-" }), (row) => !String(row["user_id"]).startsWith("u-")],
  ["costs", leaf("cost", { gt: 0.05 }), (row) => row["cost"] !== null && Number(row["cost"]) > 0.05],
  ["an unknown cost", leaf("cost", { equals: null }), (row) => row["cost"] === null],
  ["refused ones", leaf("outcome", { equals: "refused" }), (row) => row["outcome"] === "refused"],
  ["not refused ones", leaf("outcome", { "not-equals": "refused" }), (row) => row["outcome"] !== "refused"],
  ["one reason", leaf("finish_reason", { equals: "stop" }), (row) => row["finish_reason"] === "stop"],
  ["in flight", leaf("outcome", { equals: null }), (row) => row["outcome"] === null],
  [
    "errors or hits",
    or(leaf("status", { gte: 400 }), leaf("cached", { equals: true })),
    (row) => Number(row["response_status"]) >= 400 || row["cached"] === 1,
  ],
  [
    "times",
    and(
      leaf("request_created_at", { gte: iso(START + HOUR) }),
      leaf("request_created_at", { lt: iso(START + 3 * HOUR) }),
    ),
    (row) => at(row) >= START + HOUR && at(row) < START + 3 * HOUR,
  ],
  ["a property", leaf("properties", { Tier: { equals: "gold" } }), ({ tags }) => tags["Tier"] === "gold"],
  [
    "a property without its case",
    leaf("properties", { "App-Name": { equals: "x" } }),
    ({ tags }) => tags["App-Name"] === "x" || tags["app-name (lost)"] === "x",
  ],
  [
    "not a property",
    leaf("properties", { "App-Name": { "not-equals": "x" } }),
    ({ tags }) => tags["App-Name"] !== "x" && tags["app-name (lost)"] !== "x",
  ],
  ["a property's name", leaf("property_key", { equals: "App-Name" }), (row) => app(row) !== null],
  ["without a property", leaf("properties", { Tier: { equals: null } }), ({ tags }) => tags["Tier"] === undefined],
];

const GROUPS: readonly (readonly [
  string,
  { groupBy: string[]; timeBucket: "hour" | undefined },
  (row: Plain) => unknown[],
])[] = [
  ["nothing", { groupBy: [], timeBucket: undefined }, () => []],
  [
    "model and status",
    { groupBy: ["model", "status"], timeBucket: undefined },
    (row) => [row["model"], row["response_status"]],
  ],
  ["outcome", { groupBy: ["outcome"], timeBucket: undefined }, (row) => [row["outcome"]]],
  [
    "route and credential",
    { groupBy: ["route", "credential"], timeBucket: undefined },
    (row) => [row["route"], row["credential"]],
  ],
  [
    "why responses ended",
    { groupBy: ["finish_reason", "error_code"], timeBucket: undefined },
    (row) => [row["finish_reason"], row["error_code"]],
  ],
  [
    "key and prompt version",
    { groupBy: ["key", "prompt_version"], timeBucket: undefined },
    (row) => [row["gateway_user"], row["prompt_version"]],
  ],
  ["user and hour", { groupBy: ["user"], timeBucket: "hour" }, (row) => [row["user_id"], at(row) - (at(row) % HOUR)]],
  ["a property", { groupBy: ["property:App-Name"], timeBucket: undefined }, (row) => [app(row)]],
];

async function plainRows({ records }: Store): Promise<Plain[]> {
  const rows = await records.query<Record<string, string | number | null> & { lost: string }>({
    sql: `select r.*, (select json_group_array(p.name) from properties p where p.seq = r.seq and p.kind = 0 and p.case_erased)
      as lost from requests r where r.organization_id = 'org-1'`,
    args: [],
  });
  return rows.map((row) => {
    const tags: Record<string, string> = JSON.parse(String(row["properties"]));
    for (const name of JSON.parse(row.lost) as string[]) tags[`${name} (lost)`] = tags[name]!;
    return { ...row, tags } as unknown as Plain;
  });
}

/** The metrics by a plain computation. */
function plainly(rows: readonly Plain[], groupOf: (row: Plain) => unknown[]) {
  const groups = new Map<string, Plain[]>();
  for (const row of rows) {
    const key = JSON.stringify(groupOf(row));
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups].map(([key, members]) => {
    const known = (name: string) => members.map((row) => row[name]).filter((value) => value !== null) as number[];
    const sum = (name: string) => (known(name).length === 0 ? null : rounded(known(name).reduce((a, b) => a + b, 0)));
    const ranked = (values: readonly number[]) => {
      const rising = values.toSorted((a, b) => a - b);
      return [50, 95].map((percent) => rising[Math.ceil((rising.length * percent) / 100) - 1] ?? null);
    };
    const latencies = known("delay_ms");
    const rates = members.flatMap(({ delay_ms: whole, time_to_first_token: first, completion_tokens: tokens }) => {
      const isKnown = whole !== null && first !== null && tokens !== null;
      const streamed = Number(whole) - Number(first);
      return isKnown && streamed > 0 && Number(tokens) > 0 ? [(Number(tokens) * 1000) / streamed] : [];
    });
    return {
      key,
      requests: members.length,
      cost: sum("cost"),
      prompt_tokens: sum("prompt_tokens"),
      total_tokens: sum("total_tokens"),
      errors: members.filter((row) => Number(row["response_status"]) >= 400 && row["outcome"] !== "refused").length,
      refused: members.filter((row) => row["outcome"] === "refused").length,
      cacheHits: known("cached").reduce((a, b) => a + b, 0),
      latencyAverage: latencies.length === 0 ? null : rounded(latencies.reduce((a, b) => a + b, 0) / latencies.length),
      ranks: ranked(latencies),
      firsts: ranked(known("time_to_first_token")),
      rates: ranked(rates),
      first: Math.min(...members.map(at)),
      last: Math.max(...members.map(at)),
    };
  });
}

const rounded = (value: number | null) => (value === null ? null : Number(value.toPrecision(12)));
const byKey = (a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : 1);

async function byBlocks(store: Store, filter: unknown, by: (typeof GROUPS)[number][1]) {
  const scope = { organizationId: "org-1", tree: decodeFilter(filter, "legacy").tree };
  const measures = { tokens: true, outcomes: true, latencies: true, speeds: true, activity: true } as const;
  const aggregates = await blockAggregates(store.records, scope, { ...by, measures }, new Deadline(180_000));
  if (aggregates === undefined) throw new Error("blocks do not answer this");
  const groups = [...aggregates.groups()];
  const ranksOf = (name: "latencies" | "firsts" | "rates") => aggregates.ranked[name].percentiles(groups, [50, 95]);
  const [ranks, firsts, rates] = [await ranksOf("latencies"), await ranksOf("firsts"), await ranksOf("rates")];
  return groups.map((group) => {
    return {
      key: JSON.stringify(aggregates.keysOf(group)),
      requests: aggregates.requestsOf(group),
      cost: rounded(aggregates.sums.cost.of(group)),
      prompt_tokens: rounded(aggregates.sums.prompt_tokens.of(group)),
      total_tokens: rounded(aggregates.sums.total_tokens.of(group)),
      ...aggregates.outcomesOf(group),
      latencyAverage: rounded(aggregates.ranked.latencies.averageOf(group)),
      ranks: ranks.get(group)!,
      firsts: firsts.get(group)!,
      rates: rates.get(group)!,
      ...aggregates.activityOf(group),
    };
  });
}

test("after any inserts, ends, updates, rewrites and removals the blocks give the same result as the records", async () => {
  await assertProperty(
    fc.asyncProperty(steps, fc.nat(), async (all, seed) => {
      using directory = ownDirectory();
      const store = await openStore(directory.config, "write");
      try {
        await migrate(store);
        const writing = new Writing(store);
        for (const [index, step] of all.entries()) {
          await writing.take(step);
          await compare(store, seed + index);
        }
        while ((await makeNextBlock(store, SIZES)) !== undefined) await compare(store, seed);
        for (let round = 0; round < FILTERS.length * GROUPS.length; round++) await compare(store, round);
      } finally {
        await store.close();
      }
    }),
    { numRuns: 25 },
  );
}, 300_000);

async function compare(store: Store, turn: number): Promise<void> {
  const [, filter, fits] = FILTERS[turn % FILTERS.length]!;
  const [, by, groupOf] = GROUPS[turn % GROUPS.length]!;
  await compareOutside(store, filter, fits);
  const expected = plainly((await plainRows(store)).filter(fits), groupOf);
  expect((await byBlocks(store, filter, by)).sort(byKey)).toEqual(expected.sort(byKey));
}

/** The records beside the blocks, found in both ways; every other one is in a block, and none has changed since. */
async function compareOutside(store: Store, filter: unknown, fits: (row: Plain) => boolean): Promise<void> {
  const ask = <T>(text: string) => store.records.query<T>({ sql: text, args: [] });
  const blocks = await ask<{ first_seq: number; last_seq: number }>("select first_seq, last_seq from blocks");
  const noted = new Set((await ask<{ seq: number }>("select seq from block_changes")).map(({ seq }) => seq));
  const isHeld = (seq: number) => blocks.some(({ first_seq, last_seq }) => first_seq <= seq && seq <= last_seq);
  const outside = (await plainRows(store)).filter(fits).map((row) => Number(row["seq"]));
  const expected = outside.filter((seq) => !isHeld(seq) || noted.has(seq)).sort((a, b) => a - b);
  const scope = { organizationId: "org-1", tree: decodeFilter(filter, "legacy").tree };
  for (const by of ["number", "creation"] as const) {
    const statement = selectRecords(scope, sql`r.seq as seq`, sql`order by r.seq`, {
      source: { kind: "outside blocks", by },
    });
    const found = await store.records.query<{ seq: number }>(statement);
    expect(found.map(({ seq }) => seq)).toEqual(expected);
  }
}
