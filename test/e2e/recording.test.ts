import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exchange, statusOf, valuesOf } from "./raw.ts";
import { SENTENCE } from "./responses/openai.ts";
import { storedFiles } from "./stored.ts";
import { startUpstream, type Upstream } from "./upstream.ts";
import { bodyPart, callApi, gatewayHeaders, KEY, queryIds, recordOf, startWeir, until, type Weir } from "./weir.ts";

let upstream: Upstream;
let weir: Weir;
const dataDirectory = mkdtempSync(join(tmpdir(), "weir-recording-"));

beforeAll(async () => {
  upstream = await startUpstream();
  mkdirSync(join(dataDirectory, "providers"));
  writeFileSync(
    join(dataDirectory, "providers", "brook.ts"),
    `import type { ProviderPlugin } from "weir/plugin";
     export default {
       apiVersion: 1,
       name: "BROOK",
       target: "${upstream.origin}",
       dedicatedDomain: "brook",
       extends: "OPENAI",
       cost: (usage) => (usage.prompt_tokens ?? 0) * 0.001,
     } satisfies ProviderPlugin;`,
  );
  weir = await startWeir({ dataDirectory, env: { WEIR_HEADER_ALIASES: "Acme" } });
});
afterAll(async () => {
  await weir?.stop();
  upstream?.close();
  rmSync(dataDirectory, { recursive: true, force: true });
});

const CHAT = JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "a planted question" }] });

/** Sends a chat on a raw socket, header names in the case given, and returns the id. */
async function chat(lines: readonly string[], host = "weir"): Promise<string> {
  const named = (name: string) => lines.some((line) => line.toLowerCase().startsWith(name));
  const own = [
    named("acme-auth") ? "" : `Gateway-Auth: Bearer ${KEY}\r\n`,
    named("acme-") || host !== "weir" ? "" : `Gateway-Target-Url: ${upstream.origin}\r\n`,
  ].join("");
  const response = await exchange(
    weir.gatewayPort,
    `POST /v1/chat/completions HTTP/1.1\r\nHost: ${host}\r\n${own}${lines.map((line) => `${line}\r\n`).join("")}Content-Type: application/json\r\nContent-Length: ${CHAT.length}\r\n\r\n${CHAT}`,
    { method: "POST" },
  );
  expect(statusOf(response!)).toBe(200);
  return valuesOf(response!, "gateway-id")[0]!;
}

test("a property keeps the spelling that was on the wire; given twice, the last value wins", async () => {
  const id = await chat([
    "Gateway-Property-AppName: eins",
    "gateway-property-environment: zwei",
    "GATEWAY-PROPERTY-UPPER: drei",
    "Gateway-Property-Twice: first",
    "Gateway-Property-Twice: last",
    "Gateway-Property-Utf8: gr\u00c3\u00bc\u00c3\u009fe",
    "Gateway-User-Id: user-1",
    "Gateway-Session-Id: s-1",
    "Gateway-Session-Name: name",
    "Gateway-Session-Path: /a/b",
    "Gateway-Prompt-Id: p-1",
    "Gateway-Model-Override: my-model",
    "Referer: https://app.test/page",
    "CF-IPCountry: NO",
  ]);
  expect(await recordOf(weir, id)).toMatchObject({
    properties: { AppName: "eins", environment: "zwei", UPPER: "drei", Twice: "last", Utf8: "grüße" },
    request_properties: { AppName: "eins" },
    request_user_id: "user-1",
    session_id: "s-1",
    session_name: "name",
    session_path: "/a/b",
    prompt_id: "p-1",
    model_override: "my-model",
    model: "my-model",
    request_referrer: "https://app.test/page",
    country_code: "NO",
    cache_enabled: false,
    ai_gateway_body_mapping: "NO_MAPPING",
  });
});

test("a drop-in provider has an address of its own, its parent's reading and its own prices", async () => {
  const id = await chat([], `brook.localhost:${weir.gatewayPort}`);
  const record = await recordOf(weir, id);
  expect(record).toMatchObject({ provider: "BROOK", prompt_tokens: 31, completion_tokens: 17, response_status: 200 });
  expect(record["cost"]).toBeCloseTo(0.031, 9);
  expect(record["llmSchema"].response.messages[0].content).toBe(SENTENCE);
  const wrong = await exchange(
    weir.gatewayPort,
    `GET /v1/x HTTP/1.1\r\nHost: brook.localhost\r\nGateway-Auth: Bearer ${KEY}\r\nGateway-Target-Url: https://api.anthropic.com\r\n\r\n`,
  );
  expect(statusOf(wrong!)).toBe(400);
});

test("a header alias means the same, and the response has its name too", async () => {
  const response = await fetch(`${weir.gateway}/v1/chat/completions`, {
    method: "POST",
    body: CHAT,
    headers: { "Acme-Auth": `Bearer ${KEY}`, "Acme-Target-URL": upstream.origin, "Acme-Property-Team": "a" },
  });
  expect(response.status).toBe(200);
  const id = response.headers.get("acme-id")!;
  expect(response.headers.get("gateway-id")).toBe(id);
  expect((await recordOf(weir, id))["properties"]).toEqual({ Team: "a" });
  expect(Object.keys(upstream.seen.at(-1)!.headers).filter((name) => name.startsWith("acme"))).toEqual([]);
});

test("an omitted body is written nowhere, its metrics are kept", async () => {
  const planted = "nobody-may-store-this-question";
  const ids: string[] = [];
  for (const omit of ["Gateway-Omit-Request", "Gateway-Omit-Response"]) {
    const response = await fetch(
      `${weir.gateway}/${omit === "Gateway-Omit-Request" ? "v1/chat/completions" : "echo"}`,
      {
        method: "POST",
        body: JSON.stringify({
          model: "m",
          messages: [{ role: "user", content: omit === "Gateway-Omit-Request" ? planted : "x" }],
        }),
        headers: gatewayHeaders(upstream.origin, { [omit]: "true" }),
      },
    );
    await response.arrayBuffer();
    ids.push(response.headers.get("gateway-id")!);
  }
  const request = await recordOf(weir, ids[0]!);
  expect(request).toMatchObject({ prompt_tokens: 31, completion_tokens: 17, model: "m-2026-03-01" });
  expect(request["request_body"]).toBeNull();
  expect((await recordOf(weir, ids[1]!))["response_body"]).toBeNull();
  const stored = storedFiles(dataDirectory);
  for (const { content } of stored) expect(content.toString("latin1")).not.toContain(planted);
});

test("a record is there while its request is in flight, takes properties, and is finished soon after its end", async () => {
  const id = crypto.randomUUID();
  const response = await fetch(`${weir.gateway}/held`, {
    method: "POST",
    body: "{}",
    headers: gatewayHeaders(upstream.origin, { "Gateway-Request-Id": id, "Gateway-Property-First": "1" }),
  });
  await until(
    async () => (await queryIds(weir, [id])).length === 1,
    180_000,
    () => "no record while in flight",
  );
  expect((await queryIds(weir, [id]))[0]!["response_status"]).toBeNull();
  const put = await callApi(weir, `/v1/request/${id}/property`, { method: "PUT", body: '{"Second":"2"}' });
  expect(await put.json()).toEqual({
    data: [{ request_id: id, properties: { First: "1", Second: "2" } }],
    error: null,
  });
  upstream.finish();
  await response.arrayBuffer();
  const record = await recordOf(weir, id);
  expect(record).toMatchObject({ response_status: 200, streamed: true, properties: { First: "1", Second: "2" } });
  expect((await bodyPart(weir, id, "response&raw=true")).toString()).toContain('data: {"index":1}');
});

test("an id chosen by the client is used once", async () => {
  const id = crypto.randomUUID();
  const send = (chosen: string) =>
    fetch(`${weir.gateway}/v1/x`, { headers: gatewayHeaders(upstream.origin, { "Gateway-Request-Id": chosen }) });
  const [first, second] = await Promise.all([send(id), send(id.toUpperCase())]);
  expect([first!.status, second!.status].sort()).toEqual([200, 409]);
  expect((await send(id)).status).toBe(409);
  await recordOf(weir, id);
});

test("refusals are recorded, a 401 is not", async () => {
  const response = await fetch(`${weir.gateway}/v1/x`, { headers: { "Gateway-Auth": `Bearer ${KEY}` } });
  expect(response.status).toBe(400);
  const id = response.headers.get("gateway-id")!;
  expect((await recordOf(weir, id))["response_status"]).toBe(400);
  const refused = await fetch(`${weir.gateway}/v1/x`, {
    headers: gatewayHeaders(upstream.origin, { "Gateway-Auth": "Bearer no" }),
  });
  expect(refused.status).toBe(401);
  expect(await queryIds(weir, [refused.headers.get("gateway-id")!])).toEqual([]);
});
