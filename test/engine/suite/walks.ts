import { afterAll, beforeAll, expect, test } from "bun:test";
import type { EngineReader } from "../../../src/engine/reader.ts";
import type { RecordWalk, Walked, WalkPosition } from "../../../src/engine/record-walk.ts";
import { type Exchange, idOf, ORGANIZATION } from "../../filter/world.ts";
import type { TestedEngine } from "../tested-engine.ts";

const STEP = 4;
const FAILED = { response_status: 500 };
const KINDS: readonly Exchange["columns"][] = [
  { response_status: 200, model: "m-1", request_model: "m-1", wire_schema: null },
  { response_status: 200, model: "m-1-long", request_model: "m-1", wire_schema: "mapped" },
  { ...FAILED, model: "m-1", request_model: "m-1", wire_schema: null },
  { response_status: null, model: "m-1", request_model: "m-1", wire_schema: null },
  { response_status: 200, model: "m-1", request_model: "m-1", wire_schema: null, unread: "failed: it was odd" },
  { response_status: 200, model: "m-2", request_model: "m-2", wire_schema: "messages" },
  { response_status: 200, model: "m-2", request_model: "m-1", model_override: "m-2", wire_schema: null },
].map((columns) => ({ ...columns, cache_enabled: 1, request_id: "", request_created_at: 0 }));

/** Of three organizations; several records share their time. */
const EXCHANGES: readonly Exchange[] = Array.from({ length: 84 }, (_, at) => ({
  columns: {
    ...KINDS[at % KINDS.length]!,
    request_id: idOf(at),
    request_created_at: 1_760_000_000_000 + Math.floor(((at * 37) % 84) / 3) * 1_000,
    organization_id: [ORGANIZATION, "org-2", "org-10"][Math.floor(at / 7) % 3]!,
    provider: "CUSTOM",
    method: at % 14 === 0 ? "GET" : "POST",
  },
}));
const COLUMNS = EXCHANGES.map(({ columns }) => columns);
type Columns = Exchange["columns"];

const M_1 = { organizationId: ORGANIZATION, provider: "CUSTOM", model: "m-1" };
const isFinished = ({ response_status }: Columns) => response_status !== null;
const isMapped = (row: Columns) =>
  row.organization_id === ORGANIZATION &&
  isFinished(row) &&
  row.wire_schema !== "messages" &&
  (row.model_override ?? row.request_model) === "m-1" &&
  row.unread === undefined;
const middle = COLUMNS[30]!.request_created_at;

const WALKS: readonly (readonly [name: string, walked: Walked, isIn: (row: Columns) => boolean])[] = [
  ["what is unread", { kind: "unread" }, (row) => row.unread !== undefined],
  [
    "what has a price",
    { kind: "priced", since: 0, until: Number.MAX_SAFE_INTEGER, model: undefined },
    (row) => isFinished(row),
  ],
  [
    "what has a price from a time on",
    { kind: "priced", since: middle, until: middle + 9_000, model: "m-1" },
    (row) =>
      isFinished(row) &&
      row.model === "m-1" &&
      row.request_created_at >= middle &&
      row.request_created_at <= middle + 9_000,
  ],
  ["what a mapping reads", { kind: "mapped", of: M_1 }, isMapped],
];

/** Going through records in steps, for engines that must do it alike. */
export function suiteOfWalks(engine: TestedEngine): void {
  let opened: EngineReader & AsyncDisposable;
  let walk: RecordWalk;
  beforeAll(async () => {
    opened = await engine.open(EXCHANGES);
    walk = opened.walk;
  }, 300_000);
  afterAll(() => opened[Symbol.asyncDispose](), 120_000);

  const idsAfter = async (walked: Walked, from?: WalkPosition) => {
    const ids: string[] = [];
    for (let after = from; ; ) {
      const rows = await walk.next(walked, after, STEP);
      ids.push(...rows.map(({ request_id }) => request_id));
      after = rows.at(-1);
      if (after === undefined) return ids;
    }
  };

  test.each(WALKS)(`${engine.name}: a walk over %s has each record once`, async (_name, walked, isIn) => {
    const expected = COLUMNS.filter(isIn).map(({ request_id }) => request_id);
    expect(expected.length).toBeGreaterThan(STEP);
    const ids = await idsAfter(walked);
    expect([...ids].sort()).toEqual(expected.sort());
    expect(await walk.count(walked)).toBe(expected.length);
    const all = await walk.next(walked, undefined, EXCHANGES.length);
    for (const at of [0, Math.floor(all.length / 2), all.length - 1]) {
      const { organization_id, request_created_at, request_id } = all[at]!;
      const position = { organization_id, request_created_at, request_id };
      expect(await idsAfter(walked, position)).toEqual(ids.slice(at + 1));
    }
  });

  test(`${engine.name}: records of a walk are whole`, async () => {
    const rows = await walk.next(
      { kind: "priced", since: 0, until: Number.MAX_SAFE_INTEGER, model: undefined },
      undefined,
      100,
    );
    const columns = new Map(COLUMNS.map((row) => [row.request_id, row]));
    for (const row of rows) {
      const { method, provider, model, wire_schema, organization_id } = columns.get(row.request_id)!;
      expect(row).toMatchObject({ method, provider, model, wire_schema, organization_id } as object);
      expect([row.properties, row.scores]).toEqual(["{}", "{}"]);
    }
  });

  test.each([true, false])(
    `${engine.name}: samples of successes (%p) are some of the mapping's records`,
    async (succeeded) => {
      const expected = COLUMNS.filter(
        (row) => isMapped(row) && row.method !== "GET" && row.response_status! < 400 === succeeded,
      ).map(({ request_id }) => request_id);
      const found = async (limit: number) =>
        (await walk.samples({ of: M_1, succeeded, limit })).map(({ request_id }) => request_id);
      expect((await found(100)).sort()).toEqual(expected.sort());
      expect(await found(2)).toHaveLength(2);
    },
  );

  test(`${engine.name}: the newest success says how a model is read`, async () => {
    expect(await walk.formatOf({ ...M_1, model: "m-2" })).toBe(newestFormat("m-2"));
    expect(await walk.formatOf(M_1)).toBe(newestFormat("m-1"));
    expect(await walk.formatOf({ ...M_1, model: "m-3" })).toBeUndefined();
    expect(await walk.formatOf({ ...M_1, organizationId: "org-3" })).toBeUndefined();
  });
}

function newestFormat(model: string): string | null | undefined {
  const [newest] = COLUMNS.filter(
    (row) =>
      row.organization_id === ORGANIZATION &&
      row.response_status === 200 &&
      [row.model, row.model_override ?? row.request_model].includes(model),
  ).sort((a, b) => b.request_created_at - a.request_created_at || (b.request_id > a.request_id ? 1 : -1));
  return newest?.wire_schema;
}
