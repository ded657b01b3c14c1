import type { ListOptions, Order } from "../../../src/engine/aggregates.ts";
import type { EngineReader } from "../../../src/engine/reader.ts";
import type { Position } from "../../../src/filter/cursor.ts";
import { decodeFilter } from "../../../src/filter/decode.ts";
import type { TimeBucket } from "../../../src/filter/group-by.ts";
import { decodeSort } from "../../../src/filter/sort.ts";
import { Deadline } from "../../../src/store/database/deadline.ts";
import { ORGANIZATION } from "../../filter/world.ts";

/** The questions to an engine about the records that a filter selects. */
type Question = (engine: EngineReader, filter: unknown) => Promise<unknown>;

const until = () => new Deadline(180_000);
const scopeOf = (filter: unknown) => ({
  organizationId: ORGANIZATION,
  tree: decodeFilter(filter, "legacy").tree,
});
const PAGE: ListOptions = { limit: 40, offset: 2 };
const WHOLE: ListOptions = { limit: 1_000, offset: 0 };

const metricsBy = (groupBy: string[], timeBucket?: TimeBucket, scores?: readonly string[]): Question => {
  return ({ aggregates }, filter) => {
    const query = { groupBy, timeBucket, speeds: true, ...(scores && { scores }), ...PAGE };
    return aggregates.metrics(scopeOf(filter), query, until());
  };
};

const usersBy =
  (order: Order): Question =>
  ({ aggregates }, filter) =>
    aggregates.users(scopeOf(filter), order, PAGE, until());

const sessionsBy =
  (order: Order): Question =>
  async ({ aggregates }, filter) =>
    withSortedUsers(await aggregates.sessions(scopeOf(filter), { order, page: PAGE }, until()));

/** The order of a session's users is no part of a result. */
const withSortedUsers = (rows: readonly Readonly<Record<string, unknown>>[]) =>
  rows.map((row) => ({ ...row, users: (row["users"] as readonly string[]).toSorted() }));

const costsOf =
  (name: string, page: ListOptions): Question =>
  ({ aggregates }, filter) =>
    aggregates.propertyCosts(scopeOf(filter), { name, ...page }, until());

/** Ids of the first pages, each page found from the end of the one before. */
const pages =
  (sort: object): Question =>
  async ({ source }, filter) => {
    const ids: string[] = [];
    let after: Position | undefined;
    for (let page = 0; page < 4; page++) {
      const options = { sort: decodeSort(sort), limit: 350, offset: page === 0 ? 20 : 0, after, deadline: until() };
      const { keys, next } = await source.page(scopeOf(filter), options);
      ids.push(...keys.map(({ requestId }) => requestId));
      if (next === undefined) break;
      after = next;
    }
    return ids;
  };

/** Every question about many records. Two engines with the same records give the same results, except for the last digits of sums. */
export const QUESTIONS: Readonly<Record<string, Question>> = {
  "metrics of all": ({ aggregates }, filter) =>
    aggregates.metrics(scopeOf(filter), { groupBy: [], timeBucket: undefined, limit: 1, offset: 0 }, until()),
  "metrics without latencies": ({ aggregates }, filter) =>
    aggregates.metrics(
      scopeOf(filter),
      { groupBy: ["provider"], timeBucket: "6h", latencies: false, ...WHOLE },
      until(),
    ),
  "metrics by model and day": metricsBy(["model"], "day"),
  "metrics by user and status": metricsBy(["user", "status"]),
  "metrics by session and property": metricsBy(["session", "property:App-Name"]),
  "metrics by outcome": metricsBy(["outcome"]),
  "metrics by minute": metricsBy([], "minute"),
  "metrics with scores": metricsBy(["model"], undefined, ["quality", "none"]),
  "metrics by a score": metricsBy(["score:quality"], "5m"),
  "metrics by what is rarely known": metricsBy(["finish_reason", "error_code", "prompt", "prompt_version"], "hour"),
  "metrics by route, credential and key": metricsBy(["route", "credential", "key"]),
  facets: ({ aggregates }, filter) => {
    const names = ["model", "status", "user", "property:Team", "property:App-Name", "score:quality"];
    return aggregates.facets(scopeOf(filter), { names, limit: 3 }, until());
  },
  scores: ({ aggregates }, filter) => aggregates.scores(scopeOf(filter), WHOLE, until()),
  "the second score": ({ aggregates }, filter) => aggregates.scores(scopeOf(filter), { limit: 1, offset: 1 }, until()),
  "users by cost": usersBy([["cost", "desc"]]),
  "users by errors": usersBy([["errors", "desc"]]),
  "users by refusals": usersBy([["refused", "desc"]]),
  "users by requests": usersBy([["requests", "asc"]]),
  "users by tokens and last activity": usersBy([
    ["completion_tokens", "asc"],
    ["last_active", "desc"],
  ]),
  sessions: sessionsBy([["latest_request_created_at", "desc"]]),
  "sessions by errors": sessionsBy([["errors", "desc"]]),
  "sessions by cost": sessionsBy([["cost", "asc"]]),
  "whole sessions with a request that fits": async ({ aggregates }, filter) => {
    const among = await aggregates.sessionsWith(scopeOf(filter), until());
    const query = { order: [["requests", "desc"]], page: PAGE, among } as const;
    return withSortedUsers(await aggregates.sessions(scopeOf("all"), query, until()));
  },
  "the sessions of some records": async ({ aggregates, source }, filter) => {
    const options = { sort: decodeSort({ cost: "desc" }), limit: 7, offset: 0, deadline: until() };
    const { keys } = await source.page(scopeOf(filter), options);
    const bare = keys.map(({ requestId }) => ({ requestId }));
    const found = [keys, bare].map((some) => aggregates.sessionsOf(scopeOf("all"), some, until()));
    return (await Promise.all(found)).map((ids) => [...ids].sort());
  },
  "what the bodies of sessions are on the wire and take": async ({ aggregates }, filter) => {
    const query = { order: [["requests", "desc"]], page: PAGE } as const;
    const rows = await aggregates.sessions(scopeOf(filter), query, until());
    const sized = await aggregates.withSessionBytes(scopeOf(filter), rows, until());
    return sized.map(({ session_id, size_bytes, stored_bytes }) => [session_id, size_bytes, stored_bytes]);
  },
  "costs by property value": costsOf("Team", PAGE),
  "costs by a lost name": costsOf("App-Name", { limit: 5, offset: 0 }),
  "the cache over all": ({ aggregates }) => aggregates.cacheStatistics(ORGANIZATION, until()),
  "the cache by hour": ({ aggregates }, filter) => aggregates.cacheSeries(scopeOf(filter), "hour", until()),
  "pages by latency": pages({ latency: "desc" }),
  "pages by tokens": pages({ total_tokens: "asc" }),
};

/** A result with its numbers to twelve digits: sums in another order differ in the last ones. */
export function rounded(result: unknown): unknown {
  return JSON.parse(JSON.stringify(result), (_, part) =>
    typeof part === "number" ? Number(part.toPrecision(12)) : part,
  );
}
