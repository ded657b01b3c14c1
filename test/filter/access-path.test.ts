import { afterAll, beforeAll, expect, test } from "bun:test";
import { countMatches, findPage } from "../../src/engine/libsql/find/find.ts";
import { chooseAccessPath } from "../../src/filter/access-path.ts";
import { decodeFilter } from "../../src/filter/decode.ts";
import { decodeSort } from "../../src/filter/sort.ts";
import { Deadline } from "../../src/store/database/deadline.ts";
import { migrate } from "../../src/store/migrate.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { ownDirectory } from "../store/open.ts";

const ROWS = 40_000;
/** Rows of a partition of time. */
const PARTITION = 5_000;
const START = Date.UTC(2026, 0, 1);
const directory = ownDirectory();
let store: Store;

/** Row n is made n seconds after the start, so its number determines everything else. */
beforeAll(async () => {
  const writer = await openStore(directory.config, "write");
  await migrate(writer);
  const fill = `insert into requests (request_id, organization_id, key_id, method, provider, request_created_at, updated_at,
      user_id, session_id, cost, delay_ms, time_partition, properties)
    select printf('%08d', value), 'o', 'k', 'POST', 'X', ${START} + value * 1000, 0, 'user-' || (value % 4000),
      'session-' || (value / 10), case when value % 7 > 0 then value / 1000.0 end, value % 1000, (value - 1) / ${PARTITION},
      json_object('Common', case value % 2 when 0 then 'even' else 'odd' end, 'Rare', 'v' || (value / 5)) || ''
    from generate_series(1, ${ROWS})`;
  const split = `insert into properties (organization_id, kind, name, value, request_created_at, seq, case_erased)
    select r.organization_id, 0, j.key, j.value, r.request_created_at, r.seq, j.key = 'common'
    from requests r, json_each(r.properties) j`;
  const partitions = `insert into time_partitions (id, start) select value, ${START} + (value * ${PARTITION} + 1) * 1000
    from generate_series(1, ${ROWS / PARTITION - 1})`;
  await writer.records.batch([partitions, fill, split].map((sql) => ({ sql, args: [] })));
  await writer.close();
  store = await openStore(directory.config, "read");
});
afterAll(async () => {
  await store.close();
  directory[Symbol.dispose]();
});

const leaf = (field: string, condition: object) => ({ request_response_rmt: { [field]: condition } });
const and = (left: unknown, right: unknown) => ({ left, operator: "and", right });
const or = (left: unknown, right: unknown) => ({ left, operator: "or", right });
const property = (name: string, value: string) => leaf("properties", { [name]: { equals: value } });
const from = (n: number) => leaf("request_created_at", { gte: new Date(START + n * 1000).toISOString() });

const until = (n: number) => leaf("request_created_at", { lte: new Date(START + n * 1000).toISOString() });

const scopeOf = (filter: unknown) => ({ organizationId: "o", tree: decodeFilter(filter, "legacy").tree });
const probe = async (statement: { sql: string; args: readonly (string | number | null)[] }) =>
  (await store.records.query<{ n: number }>(statement))[0]!.n;

const value = (n: number) => ({ cost: n % 7 > 0 ? n / 1000 : null, latency: n % 1000, created_at: n });
const isEven = (n: number) => n % 2 === 0;

const CASES: readonly (readonly [string, unknown, object, object, (n: number) => boolean])[] = [
  ["all, newest first", "all", { created_at: "desc" }, { kind: "index", name: "requests_created" }, () => true],
  ["all, by cost", "all", { cost: "desc" }, { kind: "index", name: "requests_cost" }, () => true],
  ["all, by rising cost", "all", { cost: "asc" }, { kind: "index", name: "requests_cost" }, () => true],
  [
    "a short time, by cost",
    from(30_000),
    { cost: "desc" },
    { kind: "index", name: "requests_created" },
    (n) => n >= 30_000,
  ],
  ["a long time, by cost", from(10_000), { cost: "asc" }, { kind: "index", name: "requests_cost" }, (n) => n >= 10_000],
  ["all, by latency", "all", { latency: "asc" }, { kind: "index", name: "requests_created" }, () => true],
  ["a rare property", property("Rare", "v7"), { created_at: "asc" }, { kind: "rare" }, (n) => Math.floor(n / 5) === 7],
  ["a property that is nowhere", property("Rare", "x"), { created_at: "desc" }, { kind: "rare" }, () => false],
  [
    "a common property",
    property("Common", "even"),
    { created_at: "desc" },
    { kind: "property", storedName: "Common" },
    isEven,
  ],
  ["a common property, oldest first", property("Common", "even"), { created_at: "asc" }, { kind: "property" }, isEven],
  ["a common property, by cost", property("Common", "even"), { cost: "desc" }, { kind: "property" }, isEven],
  [
    "a common property that is rare in its time",
    and(property("Common", "odd"), from(39_000)),
    { created_at: "desc" },
    { kind: "rare" },
    (n) => !isEven(n) && n >= 39_000,
  ],
  [
    "a common property in a long time",
    and(from(20_000), property("Common", "odd")),
    { created_at: "desc" },
    { kind: "property" },
    (n) => !isEven(n) && n >= 20_000,
  ],
  ["a rare cost", leaf("cost", { gt: 39.5 }), { created_at: "desc" }, { kind: "rare" }, (n) => n % 7 > 0 && n > 39_500],
  [
    "a common cost",
    leaf("cost", { gt: 1 }),
    { created_at: "desc" },
    { kind: "index", name: "requests_created" },
    (n) => n % 7 > 0 && n > 1000,
  ],
  [
    "a user",
    leaf("user_id", { equals: "user-5" }),
    { created_at: "desc" },
    { kind: "index", name: "requests_users" },
    (n) => n % 4000 === 5,
  ],
  [
    "a user, oldest first",
    leaf("user_id", { equals: "user-5" }),
    { created_at: "asc" },
    { kind: "index", name: "requests_users" },
    (n) => n % 4000 === 5,
  ],
  [
    "a user, by cost",
    leaf("user_id", { equals: "user-5" }),
    { cost: "desc" },
    { kind: "index", name: "requests_users" },
    (n) => n % 4000 === 5,
  ],
  [
    "a user in a time",
    and(leaf("user_id", { equals: "user-5" }), and(from(8_000), until(32_010))),
    { created_at: "desc" },
    { kind: "index", name: "requests_users" },
    (n) => n % 4000 === 5 && n >= 8_000 && n <= 32_010,
  ],
  [
    "two users",
    or(leaf("user_id", { equals: "user-5" }), leaf("user_id", { equals: "user-6" })),
    { created_at: "desc" },
    { kind: "index", name: "requests_users" },
    (n) => [5, 6].includes(n % 4000),
  ],
  [
    "a session",
    { sessions_request_response_rmt: { session_session_id: { equals: "session-9" } } },
    { cost: "asc" },
    { kind: "index", name: "requests_sessions" },
    (n) => Math.floor(n / 10) === 9,
  ],
  [
    "ids",
    or(leaf("request_id", { equals: "00000007" }), leaf("request_id", { equals: "00000031" })),
    { created_at: "asc" },
    { kind: "planned" },
    (n) => [7, 31].includes(n),
  ],
  [
    "a user or something else",
    or(leaf("user_id", { equals: "user-5" }), leaf("latency", { equals: 3 })),
    { created_at: "desc" },
    { kind: "index", name: "requests_created" },
    (n) => n % 4000 === 5 || n % 1000 === 3,
  ],
];

test.each(CASES)(
  "%s: the source fits and the rows are right, page by page",
  async (_name, filter, sort, source, matches) => {
    const scope = scopeOf(filter);
    const order = decodeSort(sort);
    expect(await chooseAccessPath(scope, order, probe)).toMatchObject(source);

    const [[key, direction]] = Object.entries(sort) as [[keyof ReturnType<typeof value>, "asc" | "desc"]];
    const sign = direction === "asc" ? 1 : -1;
    const expected = Array.from({ length: ROWS }, (_, index) => index + 1)
      .filter(matches)
      .sort((a, b) => {
        const [left, right] = [value(a)[key], value(b)[key]];
        if (left === right) return (a - b) * sign;
        if (left === null || right === null) return left === null ? 1 : -1;
        return (left - right) * sign;
      });
    const deadline = new Deadline(180_000);
    const first = await findPage(store.records, scope, { sort: order, limit: 20, offset: 0, deadline });
    expect(first.rows.map(({ request_id }) => Number(request_id))).toEqual(expected.slice(0, 20));
    const second = await findPage(store.records, scope, {
      sort: order,
      limit: 20,
      offset: 0,
      after: first.next,
      deadline,
    });
    if (first.next !== undefined)
      expect(second.rows.map(({ request_id }) => Number(request_id))).toEqual(expected.slice(20, 40));
    const far = Math.floor(expected.length * 0.9);
    const last = await findPage(store.records, scope, { sort: order, limit: 20, offset: far, deadline });
    expect(last.rows.map(({ request_id }) => Number(request_id))).toEqual(expected.slice(far, far + 20));
    expect(await countMatches(store.records, scope, deadline)).toBe(expected.length);
  },
);

test.each(["asc", "desc"])("the rows of a user are found in order (%s), not sorted", async (direction) => {
  const plans: string[] = [];
  const explained: Store["records"] = {
    ...store.records,
    query: async (statement, options) => {
      if (statement.sql.includes("order by r.")) throw new Error("an order without partitions");
      if (statement.sql.includes("order by t.")) {
        const steps = { ...statement, sql: `explain query plan ${statement.sql}` };
        plans.push(...(await store.records.query<{ detail: string }>(steps)).map(({ detail }) => detail));
      }
      return store.records.query(statement, options);
    },
  };
  const scope = scopeOf(leaf("user_id", { equals: "user-5" }));
  const options = { sort: decodeSort({ created_at: direction }), limit: 2, offset: 0, deadline: new Deadline(180_000) };
  const { next } = await findPage(explained, scope, options);
  await findPage(explained, scope, { ...options, after: next });
  const sorted = plans.filter((step) => step.includes("TEMP B-TREE"));
  // Only rows of the same millisecond are sorted, by id.
  expect(new Set(sorted)).toEqual(new Set(["USE TEMP B-TREE FOR RIGHT PART OF ORDER BY"]));
});

const whole = and(from(1), leaf("request_created_at", { lte: new Date(START + ROWS * 1000).toISOString() }));

test.each([
  ["asc", "a time", whole, START + 1000],
  ["desc", "a time", whole, START + ROWS * 1000],
  ["asc", "a common property", and(property("Common", "even"), whole), START + 1000],
] as const)("a page further down (%s) of %s is entered at its cursor alone", async (order, _name, filter, bound) => {
  const probes: unknown[] = [];
  const watched: Store["records"] = {
    ...store.records,
    query: (statement, options) => {
      if (statement.sql.includes("order by")) probes.push(...statement.args);
      return store.records.query(statement, options);
    },
  };
  const scope = scopeOf(filter);
  const options = { sort: decodeSort({ created_at: order }), limit: 20, offset: 0, deadline: new Deadline(180_000) };
  const first = await findPage(watched, scope, options);
  expect(probes.splice(0)).toContain(bound);
  const next = await findPage(watched, scope, { ...options, after: first.next });
  expect(probes.length).toBeGreaterThan(0);
  expect(probes).not.toContain(bound);
  const expected = await findPage(store.records, scope, { ...options, offset: 20 });
  expect(next.rows).toEqual(expected.rows);
});
