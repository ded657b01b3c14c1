import { afterAll, beforeAll, expect, test } from "bun:test";
import type { EngineReader } from "../../../src/engine/reader.ts";
import { isSession, keysOf, type RecordKey } from "../../../src/engine/record-source.ts";
import { recordedCalls } from "../../../src/engine/recorded-calls.ts";
import { decodeSort } from "../../../src/filter/sort.ts";
import { ALL } from "../../../src/filter/tree.ts";
import { MADE_FROM, type RequestRow, storedMembers } from "../../../src/record/request-record.ts";
import { READ_BY } from "../../../src/store/bodies/body-text.ts";
import { Deadline } from "../../../src/store/database/deadline.ts";
import { EXCHANGES, ORGANIZATION } from "../../filter/samples.ts";
import type { Property } from "../../filter/world.ts";
import type { TestedEngine } from "../tested-engine.ts";

const LISTED = [...MADE_FROM, ...READ_BY];
const until = () => new Deadline(180_000);
const byName = (named: readonly Property[] = []) =>
  Object.fromEntries(named.map(({ name, value }) => [name, value] as const));

/** Records are read as they were written, in the order of the request. */
export function suiteOfRecords(tested: TestedEngine): void {
  let engine: EngineReader & AsyncDisposable;
  /** The same records by their ids alone, and as the engine named them. */
  let ways: readonly (readonly RecordKey[])[];

  beforeAll(async () => {
    engine = await tested.open(EXCHANGES);
    const options = { sort: decodeSort({ cost: "asc" }), limit: 1000, offset: 0, deadline: until() };
    const { keys } = await engine.source.page({ organizationId: ORGANIZATION, tree: ALL }, options);
    ways = [keysOf(EXCHANGES.map(({ columns }) => columns.request_id).reverse()), keys];
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  test("a record has every value that it was given, to the last digit", async () => {
    const given = new Map(EXCHANGES.map((exchange) => [exchange.columns.request_id, exchange]));
    for (const keys of ways) {
      const rows = await engine.source.records(ORGANIZATION, keys);
      expect(rows.map(({ request_id }) => request_id)).toEqual(keys.map(({ requestId }) => requestId));
      for (const row of rows) {
        const { columns, properties, inputs, scores = {}, assets = [] } = given.get(row.request_id)!;
        for (const [name, value] of Object.entries(columns))
          expect([name, row[name as keyof RequestRow]]).toEqual([name, value]);
        expect(JSON.parse(row.properties)).toEqual(byName(properties));
        expect(JSON.parse(row.prompt_inputs)).toEqual(byName(inputs));
        expect(JSON.parse(row.scores)).toEqual(scores);
        expect(JSON.parse(row.assets)).toEqual(assets);
        expect([row.organization_id, row.gateway_warnings]).toEqual([ORGANIZATION, "[]"]);
      }
    }
  });

  test("a session's records come in the order of their time, up to a number and a time", async () => {
    const timeOf = new Map(EXCHANGES.map(({ columns }) => [columns.request_id, columns.request_created_at]));
    const inOrder = (a: string, b: string) => timeOf.get(a)! - timeOf.get(b)! || (a < b ? -1 : 1);
    const sessions = Map.groupBy(EXCHANGES, ({ columns }) => columns.session_id ?? null);
    sessions.delete(null);
    expect(sessions.size).toBeGreaterThan(0);
    for (const [sessionId, members] of sessions) {
      const of = { organizationId: ORGANIZATION, sessionId: sessionId! };
      const idsUpTo = async (limit: number, upTo?: number) => {
        const keys = await engine.source.ofSession({ ...of, limit, ...(upTo !== undefined && { upTo }) });
        return keys.map(({ requestId }) => requestId);
      };
      const ids = members.map(({ columns }) => columns.request_id).sort(inOrder);
      expect(await idsUpTo(1_000)).toEqual(ids);
      expect(await idsUpTo(1)).toEqual(ids.slice(0, 1));
      const middle = timeOf.get(ids[Math.floor(ids.length / 2)]!)!;
      expect(await idsUpTo(1_000, middle)).toEqual(ids.filter((id) => timeOf.get(id)! <= middle));
      expect(await isSession(engine.source, of)).toBe(true);
      expect(await isSession(engine.source, { ...of, organizationId: "another" })).toBe(false);
    }
    expect(await isSession(engine.source, { organizationId: ORGANIZATION, sessionId: "it's none" })).toBe(false);
  });

  test("a record is known by its id alone, with its organization", async () => {
    for (const { columns } of EXCHANGES.slice(0, 8))
      expect(await engine.source.organizationOf(columns.request_id)).toBe(ORGANIZATION);
    expect(await engine.source.organizationOf(crypto.randomUUID())).toBeUndefined();
  });

  test("what calls took is what their records say", async () => {
    const ids = EXCHANGES.map(({ columns }) => columns.request_id);
    const [rows, calls] = [
      await engine.source.records(ORGANIZATION, keysOf(ids)),
      await recordedCalls(engine.source, ORGANIZATION, [...ids, ...ids, crypto.randomUUID()]),
    ];
    expect([...calls.keys()].sort()).toEqual([...ids].sort());
    for (const row of rows) {
      const { request_id, provider, model, prompt_tokens, completion_tokens, cost, error_code, error_message } = row;
      expect(calls.get(row.request_id)).toEqual({
        ...{ request_id, provider, model, prompt_tokens, completion_tokens, cost, error_code, error_message },
        ...{ status: row.response_status, latency: row.delay_ms, first_token: row.time_to_first_token },
        scores: JSON.parse(row.scores),
      });
    }
  });

  test("a listed record says what the whole record says", async () => {
    for (const keys of ways) {
      const rows = await engine.source.records(ORGANIZATION, keys);
      const listed = await engine.source.listed({ organizationId: ORGANIZATION, sight: "bodies", keys }, LISTED);
      expect(listed.map(({ stored }) => JSON.parse(stored))).toEqual(
        rows.map((row) => JSON.parse(JSON.stringify(storedMembers(row)))),
      );
      expect(listed.map(({ row }) => LISTED.map((name) => row[name]))).toEqual(
        rows.map((row) => LISTED.map((name) => row[name])),
      );
    }
  });

  test("a caller that sees metrics only gets no bodies", async () => {
    const [listed] = await engine.source.listed(
      { organizationId: ORGANIZATION, sight: "figures", keys: ways[1]!.slice(0, 1) },
      ["request_id"],
    );
    const members = Object.keys(JSON.parse(listed!.stored));
    expect(members).toContain("cost_source");
    for (const said of ["input", "output", "error_message"]) expect(members).not.toContain(said);
  });

  test("another organization is given none of them, whichever key names them", async () => {
    for (const keys of ways) {
      expect(await engine.source.records("other", keys)).toEqual([]);
      expect(await engine.source.listed({ organizationId: "other", sight: "bodies", keys }, LISTED)).toEqual([]);
    }
    expect(await engine.source.count({ organizationId: "other", tree: ALL }, until())).toBe(0);
    expect(await engine.source.propertyNames("other", until())).toEqual([]);
  });

  test("names and values of properties are listed once, in the order of their bytes", async () => {
    const named = EXCHANGES.flatMap(({ properties = [] }) => properties);
    const inOrder = (texts: readonly string[]) =>
      [...new Set(texts)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const names = inOrder(named.map(({ name }) => name));
    expect(await engine.source.propertyNames(ORGANIZATION, until())).toEqual(names);
    expect(await engine.source.propertyNames(ORGANIZATION, until(), { limit: 2, offset: 1 })).toEqual(
      names.slice(1, 3),
    );
    for (const name of [...names, "nothing"]) {
      const search = { organizationId: ORGANIZATION, name: { exact: name, erased: undefined }, pattern: undefined };
      const values = inOrder(named.filter((property) => property.name === name).map(({ value }) => value));
      expect(await engine.source.propertyValues({ ...search, limit: 1000, offset: 0 }, until())).toEqual(values);
      expect(await engine.source.propertyValues({ ...search, limit: 2, offset: 1 }, until())).toEqual(
        values.slice(1, 3),
      );
      expect(await engine.source.hasPropertyName(ORGANIZATION, search.name, until())).toBe(values.length > 0);
    }
  });
}
