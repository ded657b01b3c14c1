import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { permissionsPage } from "../../../build/permissions-doc.ts";
import { NEEDS, PLUGIN_NEEDS, permissionNeeded } from "../../../src/api/access/needs.ts";
import {
  type Permission,
  permissionsOf,
  ROLE_NAMES,
  ROLES,
  type Role,
  SCOPES,
  type Scope,
} from "../../../src/people/permissions.ts";
import { statementOf } from "../../../src/store/database/builder.ts";
import { createServiceKey } from "../../../src/store/keys.ts";
import { membership } from "../../../src/store/people/members.ts";
import { until } from "../../until.ts";
import { openApi, type TestApi } from "../open.ts";
import { person } from "../person.ts";

let it: TestApi;
let endpoints: readonly { readonly name: string; readonly method: string; readonly path: string }[];

beforeAll(async () => {
  it = await openApi();
  const { paths } = (await it.call("GET", "/openapi.json", { key: null })).json;
  endpoints = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({
      name: `${method.toUpperCase()} ${path.replace(/\{(.+?)\}/g, ":$1")}`,
      method: method.toUpperCase(),
      path: path.replace(/\{.+?\}/g, "018f0000-0000-7000-8000-000000000000"),
    })),
  );
});
afterAll(() => it[Symbol.asyncDispose]());

test("docs/permissions.md is what build/permissions-doc.ts writes", () => {
  expect(readFileSync(join(import.meta.dir, "../../../docs/permissions.md"), "utf8")).toBe(permissionsPage());
});

test("the table of needs holds the API's own endpoints and no others", () => {
  const described = endpoints.map(({ name }) => name);
  expect(Object.keys(NEEDS).filter((name) => !described.includes(name))).toEqual([]);
  expect(endpoints.length).toBeGreaterThan(80);
});

/** What an endpoint needs by the table, by a reading of its own. */
const needed = (name: string, kind: "key" | "user"): Permission | undefined =>
  permissionNeeded(NEEDS[name] ?? PLUGIN_NEEDS[name.startsWith("GET ") ? "figures" : "write"], kind);

/** Whether the guard lets each endpoint through: a body that fits none makes the rest a 400. */
async function expectByTable(
  caller: { readonly key: string | null; readonly headers?: Record<string, string> },
  permissions: readonly Permission[],
  kind: "key" | "user",
): Promise<void> {
  for (const { name, method, path } of endpoints) {
    if (NEEDS[name] === undefined || NEEDS[name] === "open" || name === "DELETE /v1/session") continue;
    // The log-in in use would end with its session or its password.
    if (kind === "user" && /^(DELETE \/v1\/session|POST \/v1\/me\/password|POST \/mcp)/.test(name)) continue;
    const permission = needed(name, kind);
    // A caller that may try models waits for the gateway, which this test does not have.
    if (path.startsWith("/v1/playground") && permissions.includes(permission!)) continue;
    const body = method === "GET" || method === "DELETE" ? undefined : "no object";
    const { status, json } = await it.call(method, path, { ...caller, ...(body !== undefined && { body }) });
    const isRefused = status === 403 && json.code === "insufficient_permission";
    expect([name, isRefused]).toEqual([name, permission !== undefined && !permissions.includes(permission)]);
    if (isRefused) expect(json.message).toContain(permission!);
  }
}

test.each(SCOPES.map((scope) => [scope]))(
  "a key with the scope %s reaches what the table says and nothing else",
  async (scope: Scope) => {
    const order = { name: scope, organization: "elsewhere", scopes: [scope], region: "us", expiresAt: null };
    const { key, id } = await createServiceKey(it.store.records, order);
    await until(
      async () => it.published().some((known) => known.id === id),
      180_000,
      () => "the key is not known",
    );
    await expectByTable({ key }, permissionsOf([scope]), "key");
  },
);

test.each(ROLE_NAMES.map((role) => [role]))(
  "a user with the role %s reaches what the table says and nothing else",
  async (role: Role) => {
    const { records } = it.store;
    const password = "correct horse battery";
    const email = `${role}@example.com`;
    const user = await person(records, { email, name: role, password, operator: role === "operator" });
    if (role !== "operator")
      await records.batch([
        statementOf(membership(records, user.id, { organizationId: it.organization, role, source: "weir" })),
      ]);
    const own = { origin: it.origin, "sec-fetch-site": "same-origin" };
    const login = await fetch(`${it.origin}/v1/session`, {
      method: "POST",
      headers: { ...own, "content-type": "application/json" },
      body: JSON.stringify({ email, password }),
    });
    expect(login.status).toBe(200);
    const headers = { ...own, cookie: login.headers.get("set-cookie")!.split(";")[0]! };
    await expectByTable({ key: null, headers }, ROLES[role], "user");
  },
);

test("an unknown caller reaches what is open", async () => {
  for (const { name, method, path } of endpoints) {
    if (NEEDS[name] === "open" || NEEDS[name] === undefined) continue;
    expect([name, (await it.call(method, path, { key: null })).status]).toEqual([name, 401]);
  }
});
