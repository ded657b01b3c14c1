import { expect, test } from "bun:test";
import type { PluginRoute, RouteCall } from "../../src/plugin-host/contract.ts";
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
  ["misses a member", ROUTE, {}, { status: 400, message: "n: is missing", path: "n" }],
  ["gets no object", ROUTE, [], { status: 400, message: 'Instance type "array" is invalid. Expected "object".' }],
  [
    "gets a wrong member",
    ROUTE,
    { n: "x" },
    { status: 400, message: 'n: Instance type "string" is invalid. Expected "integer".', path: "n" },
  ],
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

test("a route that is not there any more is 404", async () => {
  const response = await callRoute([], { method: "GET", path: "/v1/things" }, call(), keptLog().log);
  expect(response).toMatchObject({ status: 404 });
});

test("what another thread sees of routes can be sent there", () => {
  const [view] = structuredClone(viewRoutes([route(() => ({ data: 1 }), { body })]));
  expect(view).toEqual({ method: "POST", path: "/v1/things", scope: "read", summary: "Things", body });
});
