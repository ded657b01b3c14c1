import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { readBytes } from "../../src/api/input/body.ts";
import { SYSTEM } from "../../src/people/actor.ts";
import { createServiceKey, revokeKey } from "../../src/store/keys.ts";
import { until } from "../until.ts";
import { type CallOptions, insertRecord, openApi, type TestApi } from "./open.ts";

let it: TestApi;
let id: string;
beforeAll(async () => {
  it = await openApi({ max_api_body_bytes: 2_048 });
  id = await insertRecord(it.store, it.organization);
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
});

const BY_IDS = "/v1/request/query-ids";
const SOME_ID = "018f0000-0000-7000-8000-000000000000";

test.each([
  ["POST", "/v1/request/query-fst", 404, "there is no such path here; did you mean /v1/request/query-fast?"],
  ["POST", "/v1/reqest/query", 404, "there is no such path here; did you mean /v1/request/query?"],
  ["POST", "/V1/request/query/", 404, "there is no such path here; did you mean /v1/request/query?"],
  ["GET", `/v1/request/${SOME_ID}/bdy`, 404, `there is no such path here; did you mean /v1/request/${SOME_ID}/body?`],
  ["PUT", `/v1/request/${SOME_ID}/scor`, 404, `there is no such path here; did you mean /v1/request/${SOME_ID}/score?`],
  ["POST", "/v1/login", 405, "this path takes GET"],
  ["DELETE", "/v1/sessions", 405, "this path takes GET"],
  ["GET", "/v1/nothing-of-the-kind", 404, "there is no such path here; see /docs"],
  ["PATCH", `/v1/request/${SOME_ID}`, 405, "this path takes GET"],
  ["POST", `/v1/request/${SOME_ID}`, 405, "this path takes GET"],
  ["GET", "/v1/request/query-ids", 405, "this path takes POST"],
])("%s %s is a %i: %s", async (method, path, status, message) => {
  const { json, ...response } = await it.call(method, path, {});
  expect([response.status, json.message]).toEqual([status, message]);
});

test("a body that the client does not send whole is the client's failure, and not one that is logged", async () => {
  const socket = connect(Number(new URL(it.origin).port), "127.0.0.1");
  const head = `POST ${BY_IDS} HTTP/1.1\r\nHost: weir\r\nAuthorization: Bearer ${it.keys.all}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  let said = "";
  socket.on("data", (bytes) => (said += bytes));
  socket.write(`${head}2\r\n{"\r\nnone\r\n`);
  await new Promise((closed) => socket.once("close", closed));
  expect(said).toContain(" 400 ");
  const cut = new ReadableStream({ pull: (controller) => controller.error(new Error("The connection was closed.")) });
  await expect(readBytes(new Request(it.origin, { method: "POST", body: cut }), 10)).rejects.toMatchObject({
    code: "invalid_body",
    message: "the body did not arrive whole",
  });
  expect(it.log.filter((line) => line.includes("the API failed"))).toEqual([]);
});

test.each([
  ["that pauses for too long", { idleMs: 20, leastBytesPerSecond: 1_000_000 }, () => new Promise<void>(() => {})],
  ["that comes byte by byte", { idleMs: 300, leastBytesPerSecond: 1_000 }, () => Bun.sleep(30)],
] as const)("a body %s is a 408, and no more of it is read", async (_name, pace, pause) => {
  const gone = Promise.withResolvers<void>();
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    controller.enqueue(new Uint8Array(1));
    await pause();
  };
  const body = new ReadableStream({ pull, cancel: () => gone.resolve() }, { highWaterMark: 0 });
  const read = readBytes(new Request(it.origin, { method: "POST", body }), 1_000, pace);
  await expect(read).rejects.toMatchObject({ code: "body_too_slow" });
  await gone.promise;
});

test("a log-in's body has a limit of its own", async () => {
  await using open = await openApi();
  const { status, json } = await open.call("POST", "/v1/session", { key: null, body: { key: "x".repeat(70_000) } });
  expect([status, json.code, json.message]).toEqual([413, "body_too_large", "the body is over 65536 bytes"]);
});

test.each([
  ["gateway", "POST", BY_IDS, "figures: a key with the scope figures, read, or admin, or the role viewer"],
  ["read", "PUT", `/v1/request/${SOME_ID}/property`, "write: a key with the scope write or admin, or the role analyst"],
  ["read", "DELETE", "/v1/request", "delete: a key with the scope write or admin, or the role admin"],
  ["write", "POST", "/v1/import", "admin: a key with the scope admin, or the role admin"],
] as const)("the 403 to a key with the scope %s for %s %s says who may: %s", async (key, method, path, who) => {
  const { status, json } = await it.call(method, path, { key: it.keys[key], body: {} });
  expect([status, json.message]).toEqual([403, `this needs the permission ${who}`]);
});

type Row = [name: string, method: string, path: string, options: CallOptions, status: number, path: string | null];

/** By the row's name, else by its status. */
const CODES: Readonly<Record<string, string>> = {
  400: "invalid_body",
  401: "missing_auth",
  403: "insufficient_permission",
  404: "not_found",
  405: "method_not_allowed",
  413: "body_too_large",
  "an unknown key": "invalid_auth",
};

describe("the API responds", () => {
  test.each<Row>([
    ["an unknown path", "GET", "/v1/nothing", {}, 404, null],
    ["an unknown path without a key", "GET", "/nothing", { key: null }, 404, null],
    ["a wrong method", "GET", BY_IDS, {}, 405, null],
    ["a wrong method on a path with an id", "DELETE", `/v1/request/${SOME_ID}/property`, {}, 405, null],
    ["no key", "POST", BY_IDS, { key: null, body: { requestIds: [] } }, 401, null],
    ["an empty key", "POST", BY_IDS, { key: "", body: {} }, 401, null],
    ["another scheme", "POST", BY_IDS, { key: null, body: {}, headers: { authorization: "Basic abc" } }, 401, null],
    ["an unknown key", "POST", BY_IDS, { key: "sk-weir-us-x", body: {} }, 401, null],
    ["a key without the scope read", "POST", BY_IDS, { key: "write", body: {} }, 403, null],
    ["a key without the scope write", "PUT", `/v1/request/${SOME_ID}/property`, { key: "read", body: {} }, 403, null],
    ["a key without the scope admin", "GET", "/v1/keys", { key: "read" }, 403, null],
    ["a gateway key", "GET", "/v1/models", { key: "gateway" }, 403, null],
    ["an empty body", "POST", BY_IDS, { body: "" }, 400, null],
    ["a body of blanks", "POST", BY_IDS, { body: " \n" }, 400, null],
    ["a body that is not JSON", "POST", BY_IDS, { body: "{requestIds:[]}" }, 400, null],
    ["a cut-off body", "POST", BY_IDS, { body: '{"requestIds":["' }, 400, null],
    ["a body that is no object", "POST", BY_IDS, { body: "[]" }, 400, null],
    ["null", "POST", BY_IDS, { body: "null" }, 400, null],
    ["a body of another type", "POST", BY_IDS, { body: "a=b", headers: { "content-type": "text/plain" } }, 400, null],
    ["a compressed body", "POST", BY_IDS, { body: "{}", headers: { "content-encoding": "gzip" } }, 400, null],
    ["a missing member", "POST", BY_IDS, { body: {} }, 400, "requestIds"],
    ["a member of the wrong type", "POST", BY_IDS, { body: { requestIds: "x" } }, 400, "requestIds"],
    ["a wrong element", "POST", BY_IDS, { body: { requestIds: [SOME_ID, 7] } }, 400, "requestIds.1"],
    ["an id that is no UUID", "POST", BY_IDS, { body: { requestIds: [SOME_ID, "x"] } }, 400, "requestIds.1"],
    ["an unknown member", "POST", BY_IDS, { body: { requestIds: [], limitt: 1 } }, 400, "limitt"],
    ["a body over the limit", "POST", BY_IDS, { body: { requestIds: ["x".repeat(3_000)] } }, 413, null],
    ["an unknown id", "GET", `/v1/request/${SOME_ID}`, {}, 404, null],
    ["an id that is none", "GET", "/v1/request/constructor", {}, 404, null],
    ["an unknown part", "GET", `/v1/request/ID/body?part=all`, {}, 400, "part"],
    ["raw without a part", "GET", `/v1/request/ID/body?raw=true`, {}, 400, "part"],
    ["raw that is no boolean", "GET", `/v1/request/ID/body?part=request&raw=yes`, {}, 400, "raw"],
    ["a raw body that was not recorded", "GET", `/v1/request/ID/body?part=request&raw=true`, {}, 404, null],
    ["properties that are no object", "PUT", `/v1/request/ID/property`, { body: "[]" }, 400, null],
    ["properties that are text", "PUT", `/v1/request/ID/property`, { body: '"x"' }, 400, null],
    ["a property that is a number", "PUT", `/v1/request/ID/property`, { body: { A: "1", B: 2 } }, 400, "B"],
    ["a property that is an object", "PUT", `/v1/request/ID/property`, { body: { "a/b~c": {} } }, 400, "a/b~c"],
    ["a hostile property", "PUT", `/v1/request/ID/property`, { body: '{"__proto__":{}}' }, 400, "__proto__"],
    [
      "a member that cannot be text",
      "POST",
      "/v1/invitations",
      { body: { email: { toString: 1 }, role: "viewer" } },
      400,
      "email",
    ],
    ["the same with escapes", "POST", BY_IDS, { body: '{"requestIds":[[{"\\u0074oString":1}]]}' }, 400, "requestIds.0"],
    ["a name with a line end", "PUT", `/v1/request/ID/property`, { body: { "a\nb": 1 } }, 400, "a\nb"],
    ["a property without a name", "PUT", `/v1/request/ID/property`, { body: { "": "x" } }, 400, ""],
    ["properties of an unknown request", "PUT", `/v1/request/${SOME_ID}/property`, { body: {} }, 404, null],
    ["properties of no request", "PUT", `/v1/request/x/property`, { body: {} }, 404, null],
    ["scores that are text", "POST", `/v1/request/ID/score`, { body: { scores: { a: "1" } } }, 400, "scores.a"],
    ["an endless score", "POST", `/v1/request/ID/score`, { body: '{"scores":{"a":1e999}}' }, 400, "scores.a"],
    ["no scores", "POST", `/v1/request/ID/score`, { body: {} }, 400, "scores"],
    ["scores of an unknown request", "POST", `/v1/request/${SOME_ID}/score`, { body: { scores: {} } }, 404, null],
    ["a rating that is text", "POST", `/v1/request/ID/feedback`, { body: { rating: "yes" } }, 400, "rating"],
    ["a key without a name", "POST", "/v1/keys", { body: {} }, 400, "name"],
    ["a key with an unknown scope", "POST", "/v1/keys", { body: { name: "n", scopes: ["root"] } }, 400, "scopes.0"],
    ["a key with a blank name", "POST", "/v1/keys", { body: { name: " " } }, 400, "name"],
    ["a key with a strange expiry", "POST", "/v1/keys", { body: { name: "n", expires: "soon" } }, 400, "expires"],
    ["revoking an unknown key", "DELETE", "/v1/keys/nope", {}, 404, null],
  ])("%s with its status and the wrong member's path", async (_name, method, path, options, status, wrongPath) => {
    const { key } = options;
    const named = key === "read" || key === "write" || key === "gateway" ? { ...options, key: it.keys[key] } : options;
    const response = await it.call(method, path.replace("ID", id), named);
    const code = CODES[_name] ?? CODES[status];
    expect(response.json).toEqual({ data: [], error: status, code, message: expect.any(String), path: wrongPath });
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toStartWith("application/json");
  });

  test.each([
    ["POST", "/v1/keys", { name: " " }, "name: give 1 to 200 characters, not only blanks"],
    ["DELETE", "/v1/cache", { key: "x" }, "key: give a key as GET /v1/cache/entries shows it"],
  ])("what does not fit a pattern in words: %s %s", async (method, path, body, message) => {
    expect((await it.call(method, path, { body })).json).toMatchObject({ error: 400, message });
  });

  test("a wrong method with the methods that the path takes", async () => {
    expect((await it.call("PUT", "/v1/keys")).headers.get("allow")).toBe("GET, POST");
    expect((await it.call("GET", BY_IDS)).headers.get("allow")).toBe("POST");
  });

  test("a missing key with what to send", async () => {
    expect((await it.call("GET", "/v1/models", { key: null })).headers.get("www-authenticate")).toBe("Bearer");
  });

  test("deep nesting without falling over", async () => {
    const deep = `{"requestIds":${"[".repeat(1_000)}${"]".repeat(1_000)}}`;
    expect((await it.call("POST", BY_IDS, { body: deep })).status).toBe(400);
    const deeper = `{"request_body":${"[".repeat(26_000)}${"]".repeat(26_000)}}`;
    const { data } = (await it.call("POST", "/v1/import", { key: it.keys.admin, body: `[${deeper}]` })).json;
    expect(data).toMatchObject({ imported: 0, rejected: [{ line: 1, why: "it is nested too deeply" }] });
    const mcp = await it.call("POST", "/mcp", { body: deeper });
    expect(mcp.json.error.message).toBe("the body is nested too deeply");
  });

  test("the last of a member that is given twice", async () => {
    const { status, json } = await it.call("POST", BY_IDS, { body: `{"requestIds":7,"requestIds":["${id}"]}` });
    expect([status, json.data.length]).toEqual([200, 1]);
  });

  test("a body without a content type, and one with a charset", async () => {
    for (const type of ["application/json; charset=utf-8", "application/vnd.api+json"]) {
      const { status } = await it.call("POST", BY_IDS, { body: { requestIds: [] }, headers: { "content-type": type } });
      expect(status).toBe(200);
    }
    const bare = await fetch(it.origin + BY_IDS, {
      method: "POST",
      headers: { authorization: `Bearer ${it.keys.read}` },
      body: new TextEncoder().encode('{"requestIds":[]}'),
    });
    expect(bare.status).toBe(200);
  });

  test("bytes that are not UTF-8 with 400", async () => {
    const response = await fetch(it.origin + BY_IDS, {
      method: "POST",
      headers: { authorization: `Bearer ${it.keys.read}` },
      body: new Uint8Array([0x22, 0xff, 0xfe, 0x22]),
    });
    expect(response.status).toBe(400);
  });

  test("with 413 to a client that sends all of a large body before reading", async () => {
    const { promise: received, resolve } = Promise.withResolvers<string>();
    const socket = connect(it.api.port, "127.0.0.1");
    socket.on("error", (error) => resolve(error.message));
    socket.on("data", (bytes) => resolve(String(bytes)));
    const size = 20_000_000;
    const head = `POST ${BY_IDS} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${it.keys.read}\r\ncontent-length: ${size}\r\n\r\n`;
    socket.write(head);
    socket.pause();
    await new Promise((written) => socket.write(Buffer.alloc(size, " "), written));
    socket.resume();
    expect(await received).toStartWith("HTTP/1.1 413");
    socket.destroy();
  });

  test("with 413 to a client that announces a large body, before any of it arrives", async () => {
    for (const path of [BY_IDS, "/v1/import"]) {
      const { promise: received, resolve } = Promise.withResolvers<string>();
      const socket = connect(it.api.port, "127.0.0.1");
      socket.on("error", (error) => resolve(error.message));
      socket.on("data", (bytes) => resolve(String(bytes)));
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${it.keys.all}\r\ncontent-length: 300000000\r\n\r\n`,
      );
      expect(await received).toStartWith("HTTP/1.1 413");
      socket.destroy();
    }
  });

  test("with Retry-After if it is not ready, and always with nosniff", async () => {
    const away = await openApi();
    away.gatewayStatus = new Error("it does not respond");
    const probe = await away.call("GET", "/readyz", { key: null });
    expect([probe.status, probe.headers.get("retry-after")]).toEqual([503, "2"]);
    for (const path of ["/healthz", "/readyz", "/metrics", "/openapi.json", "/docs", "/v1/models", "/v1/nothing", "/"])
      expect((await fetch(away.origin + path)).headers.get("x-content-type-options")).toBe("nosniff");
    await away[Symbol.asyncDispose]();
  });

  test("413 before an endless body has come, whatever length it claims", async () => {
    const { promise: received, resolve } = Promise.withResolvers<string>();
    const socket = connect(it.api.port, "127.0.0.1");
    socket.on("data", (bytes) => resolve(String(bytes)));
    const head = `POST ${BY_IDS} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${it.keys.read}\r\ntransfer-encoding: chunked\r\n\r\n`;
    socket.write(`${head}1000\r\n${" ".repeat(0x1000)}\r\n`);
    expect(await received).toStartWith("HTTP/1.1 413");
    socket.destroy();
  });

  test.each([
    ["a host that is none", "GET /readyz HTTP/1.1\r\nHost: <script>\r\n\r\n", 400],
    ["a path with broken escapes", "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", 404],
    ["a name with broken escapes", "POST /v1/property/%ff/search HTTP/1.1\r\nHost: a\r\n\r\n", 404],
    ["dot segments", "GET //x/../v1/keys HTTP/1.1\r\nHost: a\r\n\r\n", 404],
    ["an unusual method", "PURGE /v1/models HTTP/1.1\r\nHost: a\r\n\r\n", 405],
    ["a short host", "GET /v1/models HTTP/1.1\r\nHost: a\r\n\r\n", 401],
  ])("%s in JSON", async (_name, text, status) => {
    const { promise: received, resolve } = Promise.withResolvers<string>();
    const socket = connect(it.api.port, "127.0.0.1");
    socket.on("data", (bytes) => resolve(String(bytes)));
    socket.write(text);
    const response = await received;
    socket.destroy();
    expect(response).toStartWith(`HTTP/1.1 ${status}`);
    expect(JSON.parse(response.slice(response.indexOf("\r\n\r\n")))).toMatchObject({ data: [], error: status });
  });

  test("a key that expired or was revoked with 401", async () => {
    const order = { name: "short", organization: "default", scopes: ["read"], region: "us" } as const;
    const expired = await createServiceKey(it.store.records, { ...order, expiresAt: Date.now() - 1 });
    const revoked = await createServiceKey(it.store.records, { ...order, expiresAt: null });
    await revokeKey(it.store.records, { id: revoked.id }, SYSTEM);
    await until(() => it.published().some((key) => key.id === revoked.id && key.revokedAt !== null));
    expect((await it.call("GET", "/v1/models", { key: expired.key })).json.message).toContain("has expired");
    expect((await it.call("GET", "/v1/models", { key: revoked.key })).json.message).toContain("was revoked");
  });

  test("a failure of its own without telling anything of it", async () => {
    const broken = await openApi();
    const { records } = broken.store;
    const row = await insertRecord(broken.store, broken.organization, { request_id: randomUUID() });
    await records.batch([{ sql: "alter table requests rename to elsewhere", args: [] }]);
    const { status, json } = await broken.call("GET", `/v1/request/${row}`);
    expect([status, json]).toEqual([
      500,
      {
        data: [],
        error: 500,
        code: "internal_error",
        message: "the API failed on this request; its log says why",
        path: null,
      },
    ]);
    expect(broken.log.join("")).toContain("no such table");
    await broken[Symbol.asyncDispose]();
  });
});
