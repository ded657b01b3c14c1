import { expect, test } from "bun:test";
import type { Json, PluginRoute, RouteCall } from "../../src/plugin-host/contract.ts";
import { callRoute, viewRoutes } from "../../src/plugin-host/routes.ts";
import { keptLog } from "./folder.ts";

const caller = { organizationId: "o", name: "k", admin: true, operator: true };
const call = (body?: unknown): RouteCall => ({ params: {}, query: {}, body, caller });
const body = { type: "object", required: ["n"], properties: { n: { type: "integer" } }, additionalProperties: false };
const route = (handle: PluginRoute["handle"], more = {}): PluginRoute => ({
  method: "POST",
  path: "/v1/things",
  scope: "read",
  summary: "Things",
  handle,
  ...more,
});
const ROUTE = route(() => ({ data: 1 }), { body });
const fails = (error: Error) => () => {
  throw error;
};

test.each<[string, PluginRoute, unknown, object]>([
  ["answers", route(({ body: { n } }) => ({ data: n + 1 }), { body }), { n: 1 }, { data: 2 }],
  ["answers later", route(async () => ({ data: [] })), undefined, { data: [] }],
  ["refuses", route(() => ({ status: 409, message: "not yet" })), undefined, { status: 409, message: "not yet" }],
  ["misses its body", route(() => ({ data: 1 }), { body }), undefined, { status: 400 }],
  ["misses a member", ROUTE, {}, { status: 400, message: "n: it is missing", path: "n" }],
  ["gets no object", ROUTE, [], { status: 400, message: "give an object" }],
  ["gets a wrong member", ROUTE, { n: "x" }, { status: 400, message: "n: give a whole number", path: "n" }],
  ["gets an unknown member", ROUTE, { n: 1, m: 1 }, { status: 400, message: "m: there is no such member", path: "m" }],
  ["throws", route(fails(new Error("secret"))), undefined, { status: 500, message: "a plugin failed on this request" }],
  ["rejects", route(async () => Promise.reject(new Error("no"))), undefined, { status: 500 }],
  [
    "has no database",
    route(fails(Object.assign(new Error("locked"), { code: "database_unavailable" }))),
    undefined,
    { status: 503 },
  ],
])("a route that %s gets that response", async (_name, one, given, response) => {
  expect(await callRoute([one], one, call(given), keptLog().log)).toMatchObject(response);
});

test.each<[Json, unknown, string]>([
  [{ type: ["object", "null"] }, "x", "give an object or null"],
  [{ type: "string", minLength: 1 }, "", "give at least 1 character"],
  [{ type: "string", minLength: 3 }, "ab", "give at least 3 characters"],
  [{ type: "string", maxLength: 3 }, "abcd", "give at most 3 characters"],
  [{ type: "string", pattern: "^a" }, "b", "give text that matches ^a"],
  [{ type: "integer", minimum: 1 }, 0, "give at least 1"],
  [{ type: "number", maximum: 9 }, 10, "give at most 9"],
  [{ type: "number", exclusiveMinimum: 0 }, 0, "give more than 0"],
  [{ type: "number", multipleOf: 1 }, 0.5, "give a whole number"],
  [{ enum: ["a", 1] }, "b", 'give one of "a", 1'],
  [{ const: "a" }, "b", 'give "a"'],
  [{ type: "array", minItems: 1 }, [], "give at least 1 entry"],
  [{ type: "array", maxItems: 1, items: { type: "boolean" } }, [true, true], "give at most 1 entry"],
  [{ type: "array", items: { type: "boolean" } }, [1], "give true or false"],
])("a body that does not fit %j is refused in words of ours", async (schema, given, wanted) => {
  const members = { type: "object", properties: { "a/b": schema } };
  const one = route(() => ({ data: 1 }), { body: members });
  const { message, path } = (await callRoute([one], one, call({ "a/b": given }), keptLog().log)) as Json;
  expect(message).toBe(`${path}: ${wanted}`);
  expect(path).toStartWith("a/b");
});

test("a route that is not there any more is 404", async () => {
  const response = await callRoute([], { method: "GET", path: "/v1/things" }, call(), keptLog().log);
  expect(response).toMatchObject({ status: 404 });
});

test("what another thread sees of routes can be sent there", () => {
  const [view] = structuredClone(viewRoutes([route(() => ({ data: 1 }), { body })]));
  expect(view).toEqual({ method: "POST", path: "/v1/things", scope: "read", summary: "Things", body });
});
