import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SHIPPED } from "../../src/api/dashboards/shipped.ts";
import { GRID_COLUMNS, PANEL_METRICS, type PanelMetric } from "../../src/store/dashboards.ts";
import { fileText, readFile } from "../../src/web/pages/dashboards/file.ts";
import type { Dashboard } from "../../src/web/pages/dashboards/shapes.ts";
import { assertProperty } from "../chance.ts";
import { openApi, type TestApi } from "./open.ts";

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const FAILED = { request_response_rmt: { status: { gte: 400 } } };
const PANEL = { title: "Cost", kind: "bar", metrics: ["cost"], split_by: ["model"] };

const post = (body: unknown, key = api.keys.all) => api.call("POST", "/v1/dashboards", { body, key });
const put = (id: string, body: unknown, key = api.keys.all) => api.call("PUT", `/v1/dashboards/${id}`, { body, key });

async function made(body: object, key = api.keys.all): Promise<Dashboard> {
  const { status, json } = await post(body, key);
  expect({ status, message: json.message }).toEqual({ status: 200, message: undefined });
  return json.data;
}

async function idsFor(key: string): Promise<string[]> {
  const { json } = await api.call("GET", "/v1/dashboards", { key });
  return json.data.map(({ id }: { id: string }) => id);
}

describe("a dashboard", () => {
  test("is returned whole, with defaults for missing members", async () => {
    const panel = {
      ...PANEL,
      filter: FAILED,
      range: "1h",
      thresholds: [{ comparison: "above", value: 2, colour: "bad" }],
    };
    const board = await made({ name: " Night shift ", range: "24h", filter: FAILED, panels: [panel, { ...PANEL }] });
    expect(board).toMatchObject({ name: "Night shift", shared: false, shipped: false, own: true, owner: "all" });
    expect(board).toMatchObject({ description: "", range: "24h", filter: FAILED });
    expect(board.panels).toMatchObject([
      { ...panel, groups: 7, place: { x: 0, y: 0, w: 6, h: 4 } },
      { filter: null, range: null, thresholds: [], place: { x: 6, y: 0, w: 6, h: 4 } },
    ]);
    expect((await api.call("GET", `/v1/dashboards/${board.id}`)).json.data).toEqual(board);
  });

  test("is its owner's alone until it is shared, then the organization's, never another's", async () => {
    const body = { name: "Mine", panels: [PANEL] };
    const { id } = await made(body);
    for (const key of [api.keys.read, api.keys.admin, api.keys.other]) {
      expect(await idsFor(key)).not.toContain(id);
      expect((await api.call("GET", `/v1/dashboards/${id}`, { key })).status).toBe(404);
      expect((await put(id, body, key)).status).toBe(404);
      expect((await api.call("DELETE", `/v1/dashboards/${id}`, { key })).status).toBe(404);
    }
    expect((await put(id, { ...body, shared: true })).status).toBe(200);
    expect(await idsFor(api.keys.read)).toContain(id);
    expect(await idsFor(api.keys.other)).not.toContain(id);
    const { json } = await api.call("GET", `/v1/dashboards/${id}`, { key: api.keys.read });
    expect(json.data).toMatchObject({ own: false, owner: "all", shared: true });
  });

  test("that is shared is replaced and removed by its owner and by admins, not by others", async () => {
    const body = { name: "Ours", shared: true, panels: [PANEL] };
    const { id } = await made(body);
    expect((await put(id, body, api.keys.read)).json.code).toBe("insufficient_permission");
    expect((await api.call("DELETE", `/v1/dashboards/${id}`, { key: api.keys.read })).status).toBe(403);
    expect((await put(id, { ...body, name: "Renamed" }, api.keys.admin)).json.data).toMatchObject({ name: "Renamed" });
    expect((await api.call("DELETE", `/v1/dashboards/${id}`, { key: api.keys.admin })).status).toBe(200);
    expect((await api.call("GET", `/v1/dashboards/${id}`)).status).toBe(404);
  });

  test("of one's own needs read, sharing it needs write", async () => {
    const own = await made({ name: "Reader's", panels: [] }, api.keys.read);
    for (const { status, json } of [
      await post({ name: "For all", shared: true, panels: [] }, api.keys.read),
      await put(own.id, { name: "Reader's", shared: true, panels: [] }, api.keys.read),
    ])
      expect([status, json.code, json.path]).toEqual([403, "insufficient_permission", "shared"]);
    expect((await post({ name: "x", panels: [] }, api.keys.gateway)).status).toBe(403);
  });

  test("is in the audit log when it is made, replaced and removed", async () => {
    const { id } = await made({ name: "Noted", panels: [PANEL] });
    await put(id, { name: "Noted again", panels: [] });
    await api.call("DELETE", `/v1/dashboards/${id}`);
    const { json } = await api.call("GET", `/v1/audit?object=${id}`, { key: api.keys.admin });
    expect(json.data.map(({ action }: { action: string }) => action)).toEqual([
      "dashboard.removed",
      "dashboard.changed",
      "dashboard.created",
    ]);
    expect(json.data[1].change).toMatchObject({ before: { name: "Noted" }, after: { name: "Noted again" } });
  });
});

describe("those that Weir ships", () => {
  test("are listed after one's own, and stay as they are", async () => {
    const ids = Object.keys(SHIPPED);
    expect((await idsFor(api.keys.other)).slice(-ids.length)).toEqual(ids);
    for (const id of ids) {
      const { json } = await api.call("GET", `/v1/dashboards/${id}`, { key: api.keys.read });
      expect(json.data).toMatchObject({ id, shipped: true, own: false, owner: null });
      for (const { status, json } of [
        await put(id, { name: "Other", panels: [] }, api.keys.admin),
        await api.call("DELETE", `/v1/dashboards/${id}`, { key: api.keys.admin }),
      ])
        expect([status, json.message]).toEqual([400, expect.stringContaining("create a copy")]);
    }
  });

  test.each(Object.keys(SHIPPED))("%s can be copied, and every panel of it returns data", async (id) => {
    const { json } = await api.call("GET", `/v1/dashboards/${id}`);
    const copy = await made({ ...(readFile(fileText(json.data)) as object), name: `Copy of ${id}` });
    expect(copy.panels).toEqual(json.data.panels);
    for (const { filter, split_by } of copy.panels) {
      const body = { filter: filter ?? "all", group_by: split_by, speeds: true };
      const response = await api.call("POST", "/v1/metrics/query", { body });
      expect([response.status, response.json.message]).toEqual([200, undefined]);
    }
  });
});

const board = (panel: object, others: readonly object[] = []) => ({ name: "Wrong", panels: [...others, panel] });
const at = (x: number, y: number, w: number, h: number) => ({ ...PANEL, place: { x, y, w, h } });

test.each([
  ["no name", { panels: [] }, "name", "1 to 100"],
  ["no panels", { name: "Wrong" }, "panels", "give a list"],
  ["a blank name", { name: "  ", panels: [] }, "name", "1 to 100"],
  ["a member that there is not", { name: "Wrong", panel: [], panels: [] }, "panel", 'did you mean "panels"'],
  ["a file of another version", { version: 2, name: "Wrong", panels: [] }, "version", "version 1"],
  ["a range that is none", { name: "Wrong", range: "2h", panels: [] }, "range", '"24h"'],
  ["too many panels", { name: "Wrong", panels: Array.from({ length: 41 }, () => PANEL) }, "panels", "at most 40"],
  ["a kind that there is not", board({ ...PANEL, kind: "pie" }), "panels.0.kind", '"heatmap"'],
  [
    "a panel's member that there is not",
    board({ ...PANEL, splitby: [] }),
    "panels.0.splitby",
    'did you mean "split_by"',
  ],
  ["a metric that there is not", board({ ...PANEL, metrics: ["costs"] }), "panels.0.metrics.0", 'did you mean "cost"'],
  ["a metric twice", board({ ...PANEL, kind: "table", metrics: ["cost", "cost"] }), "panels.0.metrics.1", "already"],
  ["no metric", board({ ...PANEL, metrics: [] }), "panels.0.metrics", "1 to 8"],
  [
    "units that differ",
    board({ ...PANEL, split_by: [], metrics: ["cost", "errors"] }),
    "panels.0.metrics.1",
    "a panel for each",
  ],
  [
    "several metrics of a split",
    board({ ...PANEL, metrics: ["errors", "refused"] }),
    "panels.0.metrics",
    "is split shows one",
  ],
  ["three dimensions", board({ ...PANEL, split_by: ["model", "user", "key"] }), "panels.0.split_by", "at most 2"],
  [
    "a dimension that there is not",
    board({ ...PANEL, split_by: ["modle"] }),
    "panels.0.split_by.0",
    'did you mean "model"',
  ],
  ["a number that is split", board({ ...PANEL, kind: "number" }), "panels.0.split_by", "leave split_by out"],
  ["a table of no groups", board({ ...PANEL, kind: "table", split_by: [] }), "panels.0.split_by", 'such as "model"'],
  ["too many lines", board({ ...PANEL, groups: 8 }), "panels.0.groups", "7 groups at most"],
  [
    "a filter field that there is not",
    board({ ...PANEL, filter: { request_response_rmt: { modl: { equals: "x" } } } }, [PANEL]),
    "panels.1.filter.request_response_rmt.modl",
    'did you mean "model"',
  ],
  [
    "a threshold's colour",
    board({ ...PANEL, thresholds: [{ comparison: "above", value: 1, colour: "red" }] }),
    "panels.0.thresholds.0.colour",
    '"bad"',
  ],
  ["a panel beyond the grid", board(at(8, 0, 6, 2)), "panels.0.place.w", "at most 4"],
  ["a panel on another", board(at(3, 1, 6, 2), [at(0, 0, 4, 2)]), "panels.1.place", "covers panels.0"],
  [
    "filters that are too long",
    board({ ...PANEL, filter: { request_response_rmt: { model: { equals: "x".repeat(270_000) } } } }),
    "panels",
    "262144",
  ],
])("a dashboard with %s is refused, and the error names the member and the fix", async (_what, body, path, hint) => {
  const { status, json } = await post(body);
  expect([status, json.path]).toEqual([400, path]);
  expect(json.message).toContain(hint);
});

test("a name that its owner has already is refused", async () => {
  await made({ name: "Once", panels: [] });
  await made({ name: "Once", panels: [] }, api.keys.read);
  const { status, json } = await post({ name: "Once ", panels: [] });
  expect([status, json.code, json.path]).toEqual([409, "duplicate_name", "name"]);
});

const METRICS: readonly PanelMetric[] = [...(Object.keys(PANEL_METRICS) as PanelMetric[]), "score:help ful"];
const anyText = fc.string({ unit: "binary", minLength: 1, maxLength: 20 }).filter((text) => text.trim() !== "");
const anyFilter = fc.constantFrom(null, FAILED, { left: FAILED, operator: "or", right: FAILED });
const anyThreshold = fc.record({
  comparison: fc.constantFrom("above", "below"),
  value: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  colour: fc.constantFrom("good", "warn", "bad"),
});
const SPLITS = ["model", "user", "status", "property:Größe", "score:helpful"];
const anyPanel = fc
  .record({
    title: anyText,
    kind: fc.constantFrom("line", "bar", "number", "table", "heatmap"),
    metric: fc.constantFrom(...METRICS),
    split: fc.subarray(SPLITS, { minLength: 1, maxLength: 2 }),
    filter: anyFilter,
    range: fc.constantFrom(null, "15m", "this-month", "all"),
    thresholds: fc.array(anyThreshold, { maxLength: 5 }),
    width: fc.integer({ min: 1, max: GRID_COLUMNS }),
    height: fc.integer({ min: 1, max: 20 }),
  })
  .map(({ metric, split, width, height, ...panel }) => ({
    ...{ ...panel, metrics: [metric], split_by: panel.kind === "number" ? [] : split },
    size: { w: width, h: height },
  }));

test("a dashboard that is exported and imported again is the same", async () => {
  let made = 0;
  const any = fc.record({
    description: fc.string({ unit: "binary", maxLength: 40 }),
    range: fc.constantFrom("1h", "last-week", "all"),
    filter: anyFilter,
    panels: fc.array(anyPanel, { maxLength: 8 }),
  });
  await assertProperty(
    fc.asyncProperty(any, async ({ panels, ...terms }) => {
      let y = 0;
      const placed = panels.map(({ size, ...panel }) => {
        const place = { x: GRID_COLUMNS - size.w, y, ...size };
        y += size.h;
        return { ...panel, place };
      });
      const first = await post({ name: `Board ${made++}`, ...terms, panels: placed });
      expect([first.status, first.json.message]).toEqual([200, undefined]);
      const { json } = await api.call("GET", `/v1/dashboards/${first.json.data.id}`);
      const file = readFile(fileText(json.data)) as Record<string, unknown>;
      const second = await post({ ...file, name: `Board ${made++}` });
      expect([second.status, second.json.message]).toEqual([200, undefined]);
      const { description, range, filter, panels: again } = second.json.data;
      expect({ description, range, filter, panels: again }).toEqual({
        ...{ description: json.data.description, range: json.data.range },
        ...{ filter: json.data.filter, panels: json.data.panels },
      });
      // Nothing of what was said is lost on the way.
      expect(again.map(({ place, metrics, kind }: Record<string, unknown>) => ({ place, metrics, kind }))).toEqual(
        placed.map(({ place, metrics, kind }) => ({ place, metrics, kind })),
      );
      for (const id of [first.json.data.id, second.json.data.id]) await api.call("DELETE", `/v1/dashboards/${id}`);
    }),
    { numRuns: 50 },
  );
});
