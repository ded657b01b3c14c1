import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { startUpstream, type Upstream } from "./upstream.ts";
import { gatewayHeaders, recordOf, startWeir, type Weir } from "./weir.ts";

let upstream: Upstream;
let weir: Weir;
let turn = 0;

beforeAll(async () => {
  upstream = await startUpstream();
  weir = await startWeir();
});
afterAll(async () => {
  await weir?.stop();
  upstream?.close();
});
beforeEach(() => {
  turn += 1;
});

/** Two requests for each user; another window for each test, so that each has counts of its own. */
const POLICY = () => ({ "Gateway-RateLimit-Policy": `2;w=${3_000 + turn};s=user` });

async function send(body: BodyInit, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${weir.gateway}/echo`, {
    method: "POST",
    body,
    headers: { ...gatewayHeaders(upstream.origin), "content-type": "application/json", ...POLICY(), ...headers },
  });
  return {
    status: response.status,
    text: await response.text(),
    id: response.headers.get("gateway-id") ?? "",
    response,
  };
}
const openai = (user: string, more = {}) => JSON.stringify({ model: "m-1", user, messages: [], ...more });
const anthropic = (user: string) => JSON.stringify({ model: "m-1", metadata: { user_id: user }, messages: [] });

test.each([
  ["OpenAI's user", openai, {}],
  ["Anthropic's metadata", anthropic, {}],
  ["a user behind 100 kB", (user: string) => openai(user, { input: "x".repeat(100_000) }), {}],
  ["a request that asks for the cache", (user: string) => openai(user), { "Gateway-Cache-Save": "true" }],
  ["a request with retries", (user: string) => openai(user), { "Gateway-Retry-Enabled": "true" }],
])("a limit by user counts %s, and the body arrives and is recorded as it was sent", async (_name, body, headers) => {
  const responses = [];
  for (const user of ["ann", "ann", "bob", "ann"]) responses.push({ user, ...(await send(body(user), headers)) });
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  for (const { user, status, text } of responses) if (status === 200) expect(text).toBe(body(user));
  const [first] = responses;
  expect(await recordOf(weir, first!.id)).toMatchObject({
    request_user_id: "ann",
    request_body: JSON.parse(body("ann")),
  });
  const refused = responses.at(-1)!;
  expect(await recordOf(weir, refused.id)).toMatchObject({ response_status: 429, request_user_id: "ann" });
});

test("a header goes before the body, and counts the same user", async () => {
  const carl = { "Gateway-User-Id": "carl" };
  expect((await send(openai("ann"), carl)).status).toBe(200);
  expect((await send("no JSON", carl)).status).toBe(200);
  expect((await send(openai("carl"))).status).toBe(429);
  expect((await send(openai("ann"))).status).toBe(200);
});

test("a body that comes in chunks is read whole", async () => {
  const bytes = new TextEncoder().encode(openai("dora"));
  const chunked = () =>
    new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 20) controller.enqueue(bytes.slice(at, at + 20));
        controller.close();
      },
    });
  const statuses = [];
  for (let at = 0; at < 3; at++) statuses.push((await send(chunked())).status);
  expect(statuses).toEqual([200, 200, 429]);
});

test.each([
  ["without a user", JSON.stringify({ model: "m-1" })],
  ["with a user that is no text", JSON.stringify({ user: 7 })],
  ["that is no JSON", "user=ann"],
  ["that is empty", ""],
  ["over what is read for it", openai("ann", { input: "x".repeat(5_000_000) })],
])("a body %s is refused, and the provider is not called", async (_name, body) => {
  const before = upstream.seen.length;
  const { status, text } = await send(body);
  expect(status).toBe(400);
  expect(JSON.parse(text).error).toMatchObject({
    code: "invalid_header",
    message: expect.stringContaining("a user in its JSON body"),
  });
  expect(upstream.seen.length).toBe(before);
});

test("no body is held back where no limit counts by user", async () => {
  const headers = { "Gateway-RateLimit-Policy": "100;w=60" };
  expect((await send(openai("ann"), headers)).status).toBe(200);
  expect((await send("no JSON", headers)).status).toBe(200);
});
