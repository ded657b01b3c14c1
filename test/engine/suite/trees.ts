import { afterAll, beforeAll, expect, test } from "bun:test";
import type { EngineReader } from "../../../src/engine/reader.ts";
import { decodeFilter } from "../../../src/filter/decode.ts";
import { decodeSort } from "../../../src/filter/sort.ts";
import { FILTER_NODES_MAX } from "../../../src/filter/tree.ts";
import { Deadline } from "../../../src/store/database/deadline.ts";
import { EXCHANGES, ORGANIZATION } from "../../filter/samples.ts";
import type { TestedEngine } from "../tested-engine.ts";

const leaf = (field: string, condition: object) => ({ request_response_rmt: { [field]: condition } });
const status = (value: number) => leaf("status", { equals: value });
const never = leaf("provider", { equals: "NOBODY" });
const always = leaf("cost", { "not-equals": 123.456 });
const join = (left: unknown, operator: "and" | "or", right: unknown) => ({ left, operator, right });

/** A chain of `length` leaves that leans to one side. */
function chain(
  length: number,
  side: "left" | "right",
  part: (index: number) => [unknown, "and" | "or"],
  last: unknown,
) {
  let node: unknown = last;
  for (let index = 0; index < length; index++) {
    const [term, operator] = part(index);
    node = side === "left" ? join(node, operator, term) : join(term, operator, node);
  }
  return node;
}

const SIDES = ["left", "right"] as const;

/** Every branch has two arms of the same size, and the operators alternate. */
function complete(levels: number, term: () => unknown, operator: "and" | "or" = "and"): unknown {
  if (levels === 0) return term();
  const below = operator === "and" ? "or" : "and";
  return join(complete(levels - 1, term, below), operator, complete(levels - 1, term, below));
}

/** Two arms of the same shape, each a spine of alternating operators, as often as the node limit lets it. */
function spines(levels: number, length: number, last: () => unknown): unknown {
  const end = levels === 0 ? last : () => spines(levels - 1, length, last);
  const arm = () => chain(length, "right", (n) => (n % 2 === 0 ? [status(-1 - n), "or"] : [always, "and"]), end());
  return join(arm(), "and", arm());
}

/** Filters of the maximum length or depth succeed; longer or deeper ones are refused with a message that names the limit. */
export function suiteOfTrees(tested: TestedEngine): void {
  let engine: EngineReader & AsyncDisposable;

  beforeAll(async () => {
    engine = await tested.open(EXCHANGES);
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  async function count(filter: unknown): Promise<number> {
    const scope = { organizationId: ORGANIZATION, tree: decodeFilter(filter, "legacy").tree };
    const options = { sort: decodeSort(undefined), limit: 1000, offset: 0, deadline: new Deadline(180_000) };
    return (await engine.source.page(scope, options)).keys.length;
  }

  test("a chain of 20,000 leaves returns a result", async () => {
    const lows = chain(20_000, "left", (n) => [leaf("total_tokens", { lt: -n }), "or"], always);
    expect(await count(lows)).toBe(EXCHANGES.length);
  });

  test.each(SIDES)("a chain of thousands of leaves that leans %s returns a result", async (side) => {
    const lows = chain(4_000, side, (n) => [leaf("total_tokens", { lt: -n }), "or"], always);
    expect(await count(lows)).toBe(EXCHANGES.length);
    const highs = chain(4_000, side, (n) => [leaf("model", { "not-equals": `model ${n}` }), "and"], never);
    expect(await count(highs)).toBe(0);
  });

  test.each(SIDES)("alternating and/or thousands of levels deep that leans %s returns a result", async (side) => {
    const holds = chain(4_000, side, (n) => (n % 2 === 0 ? [status(-1 - n), "or"] : [always, "and"]), always);
    expect(await count(holds)).toBe(EXCHANGES.length);
    const fails = chain(4_000, side, (n) => (n % 2 === 0 ? [status(-1 - n), "or"] : [always, "and"]), never);
    expect(await count(fails)).toBe(0);
  });

  test("a filter on missing values stays exact when it is written as arms", async () => {
    const missing = EXCHANGES.filter(({ columns }) => (columns.total_tokens ?? null) === null).length;
    const known = chain(
      300,
      "right",
      (n) => (n % 2 === 0 ? [leaf("total_tokens", { gte: 0 }), "and"] : [never, "or"]),
      always,
    );
    expect(await count(known)).toBe(EXCHANGES.length - missing);
    const either = chain(
      300,
      "right",
      (n) => (n % 2 === 0 ? [leaf("total_tokens", { gte: 0 }), "or"] : [always, "and"]),
      never,
    );
    expect(await count(either)).toBe(EXCHANGES.length - missing);
  });

  test("a complete tree of 4,096 leaves returns a result, whatever its leaves are", async () => {
    expect(await count(complete(12, () => always))).toBe(EXCHANGES.length);
    const property = { request_response_rmt: { properties: { "App-Name": { "not-contains": "nowhere" } } } };
    expect(await count(complete(12, () => property))).toBe(EXCHANGES.length);
  });

  test.each([
    [1, 1000],
    [4, 120],
    [6, 40],
    [9, 7],
    [10, 3],
  ])("spines that fork %d times, each %d levels of alternating operators, return a result", async (levels, length) => {
    const property = { request_response_rmt: { properties: { "App-Name": { "not-contains": "nowhere" } } } };
    expect(await count(spines(levels, length, () => property))).toBe(EXCHANGES.length);
    expect(await count(spines(levels, length, () => never))).toBe(0);
  });

  test("20,000 different texts under one field are one look-up", async () => {
    const ids = EXCHANGES.slice(0, 7).map(({ columns }) => columns.request_id);
    const some = chain(20_000, "left", (n) => [leaf("request_id", { equals: ids[n] ?? `none ${n}` }), "or"], never);
    expect(await count(some)).toBe(7);
  });

  test("tests on bodies may stand anywhere in a deep tree", async () => {
    const text = leaf("request_body", { contains: "kelvin" });
    const holds = chain(5_000, "right", (n) => (n % 2 === 0 ? [never, "or"] : [always, "and"]), text);
    const expected = EXCHANGES.filter(({ requestBody }) => /^kelvin$/iu.test(requestBody ?? "")).length;
    expect(expected).toBeGreaterThan(0);
    expect(await count(holds)).toBe(expected);
  });

  test("more nodes than the limit are refused by name", () => {
    const leaves = FILTER_NODES_MAX / 2;
    const refused = chain(Math.ceil(leaves), "left", () => [always, "and"], always);
    expect(() => decodeFilter(refused, "fast")).toThrow(`at most ${FILTER_NODES_MAX}`);
  });

  test("more different values than a statement holds are refused by name", async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 17_000 }, (_, n) => [`name ${n}`, { like: `value ${n}` }]),
    );
    await expect(count({ request_response_rmt: { properties } })).rejects.toMatchObject({
      code: "filter_invalid",
      path: "filter",
    });
  });
}
