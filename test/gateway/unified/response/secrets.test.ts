import { expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { at, events, json, KEY, type Respond, standIn, startUnified } from "../house.ts";

const SECRET = "planted-provider-credential-0001";
const OWN = "planted-own-key-of-the-client-02";

const key = (request: { headers: Headers }) =>
  (request.headers.get("authorization") ?? request.headers.get("x-api-key") ?? "").replace("Bearer ", "");
const error = (request: { headers: Headers }) => ({
  error: { message: `bad: ${key(request)} and ${key(request)}`, type: "x" },
});

/** Every way in which a provider repeats the key that it was sent. */
const ECHOES: readonly (readonly [string, boolean, Respond])[] = [
  ...([400, 401, 402, 403, 429, 500].map(
    (status) =>
      [`status ${status}`, false, (request) => json(error(request), status, { "x-seen": key(request) })] as const,
  ) as (readonly [string, boolean, Respond])[]),
  [
    "a compressed error",
    false,
    (request) =>
      new Response(gzipSync(JSON.stringify(error(request))), {
        status: 422,
        headers: { "content-type": "application/json", "content-encoding": "gzip" },
      }),
  ],
  [
    "a stream that begins with an error",
    true,
    (request) => events([{ event: "error", data: { type: "error", ...error(request) } }]),
  ],
];

test.each(ECHOES)("a provider that echoes its key, %s: it is masked everywhere", async (_what, stream, respond) => {
  await using first = standIn(respond);
  await using second = standIn(respond);
  await using gateway = await startUnified({
    credentials: [
      at("OPENAI", first.origin, { secrets: { api_key: SECRET } }),
      at("ANTHROPIC", second.origin, { secrets: { api_key: SECRET } }),
    ],
  });
  for (const model of ["openai/a", "anthropic/claude-sonnet-4-5", "openai/b,anthropic/claude-opus-4-5"]) {
    const response = await fetch(`${gateway.origin}/v1/chat/completions`, {
      method: "POST",
      headers: { Authorization: `Bearer ${KEY}`, "Gateway-Provider-Key-Groq": OWN },
      body: JSON.stringify({ model, stream, messages: [{ role: "user", content: "x" }] }),
    });
    const seen = JSON.stringify([...response.headers]) + (await response.text());
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(seen).not.toContain(SECRET);
    await gateway.spool.ended(response.headers.get("gateway-id")!);
  }
  expect(first.received[0]!.headers.get("authorization")).toBe(`Bearer ${SECRET}`);
  const recorded = [...gateway.spool.exchanges.values()].map((each) => [
    JSON.stringify([each.begin, each.head, each.end, each.provider.requestHead, each.provider.responseHead]),
    ...[each.requestBody, each.responseBody, each.provider.request, each.provider.response].map(String),
  ]);
  for (const text of [...recorded.flat(), ...gateway.logLines]) {
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(OWN);
  }
});
