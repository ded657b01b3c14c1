import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import OpenAI from "openai";
import echo from "../../providers/echo.ts";
import { assertProperty } from "../chance.ts";
import { idOf, KEY, once, startTestGateway, type TestGateway } from "./harness.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ providers: [echo], config: { gateway_domain: "localhost", dns_servers: [] } });
});
afterAll(() => gateway?.[Symbol.asyncDispose]());

const TARGET = { "gateway-auth": `Bearer ${KEY}`, "gateway-target-url": "http://echo.weir.internal" };

/** Sends a request to the echo. */
const ask = (path: string, body?: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  fetch(gateway.origin + path, {
    ...(body === undefined ? {} : { method: "POST", body }),
    headers: { ...TARGET, ...headers },
  });

const chat = (messages: unknown, more = {}) =>
  ask("/v1/chat/completions", JSON.stringify({ model: "m-1", messages, ...more }));

test.each([
  [
    "the last message of the user",
    [
      { role: "user", content: "a b" },
      { role: "user", content: "c  dé" },
    ],
    "c  dé",
    4,
    2,
  ],
  [
    "not the assistant's",
    [
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
    ],
    "a",
    2,
    1,
  ],
  [
    "the texts of its parts",
    [{ role: "user", content: [{ type: "text", text: "a" }, { type: "image_url" }] }],
    "a",
    1,
    1,
  ],
  [
    "a sentence where there is no text",
    [{ role: "system", content: "s" }, null, 7],
    "(there is no text of the user to repeat)",
    1,
    9,
  ],
])("a chat completion repeats %s", async (_name, messages, content, prompt_tokens, completion_tokens) => {
  const response = await chat(messages);
  expect(response.status).toBe(200);
  const { choices, usage, model } = (await response.json()) as OpenAI.ChatCompletion;
  expect(choices[0]?.message).toMatchObject({ role: "assistant", content });
  expect(usage).toEqual({ prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens });
  expect(model).toBe("m-1");
});

test("OpenAI's SDK reads it, streamed and not, and lists its model", async () => {
  const client = new OpenAI({ baseURL: `${gateway.origin}/v1`, apiKey: "none", defaultHeaders: TARGET });
  await assertProperty(
    fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 }), async (content) => {
      const body = { model: "echo", messages: [{ role: "user" as const, content }] };
      const whole = await client.chat.completions.create(body);
      expect(whole.choices[0]?.message.content).toBe(content);
      let streamed = "";
      let tokens = 0;
      const include = { include_usage: true };
      for await (const chunk of await client.chat.completions.create({
        ...body,
        stream: true,
        stream_options: include,
      })) {
        streamed += chunk.choices[0]?.delta.content ?? "";
        tokens = chunk.usage?.total_tokens ?? tokens;
      }
      expect(streamed).toBe(content);
      expect(tokens).toBe(whole.usage!.total_tokens);
    }),
    { numRuns: 20 },
  );
  const { data } = await client.models.list();
  expect(data.map(({ id }) => id)).toEqual(["echo"]);
});

test("anything else is returned as it was sent, whatever its framing, and inert", async () => {
  await assertProperty(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 70_000 }), async (bytes) => {
      const response = await ask("/any/path", Uint8Array.from(bytes), { "content-type": "text/html" });
      expect(response.headers.get("content-type")).toBe("text/html");
      expect(response.headers.get("content-security-policy")).toBe("sandbox");
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(Uint8Array.from(bytes));
    }),
    { numRuns: 20 },
  );
  const head = `Host: echo.localhost\r\nGateway-Auth: Bearer ${KEY}\r\n`;
  const chunked = await once(
    gateway,
    "POST /x",
    `${head}Transfer-Encoding: chunked\r\n`,
    "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
  );
  expect(chunked).toEndWith("\r\n\r\nabcde");
  const retried = `${head}Gateway-Retry-Enabled: true\r\nTransfer-Encoding: chunked\r\n`;
  expect(await once(gateway, "POST /x", retried, "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")).toEndWith("\r\n\r\nabcde");
  expect(await (await ask("/with?query=1")).json()).toEqual({ method: "GET", path: "/with?query=1" });
  const headOnly = await once(gateway, "HEAD /with", head);
  expect(headOnly).toStartWith("HTTP/1.1 200 OK");
  expect(headOnly).toEndWith("\r\n\r\n");
});

test("its own address needs no target, and it is recorded like every other provider", async () => {
  const body = JSON.stringify({ messages: [{ role: "user", content: "hello" }] });
  const headers = `Host: echo.localhost:8787\r\nGateway-Auth: Bearer ${KEY}\r\nContent-Length: ${body.length}\r\n`;
  const response = await once(gateway, "POST /v1/chat/completions", headers, body);
  const record = await gateway.spool.ended(idOf(response));
  expect(record.begin).toMatchObject({ provider: "ECHO", target: "http://echo.weir.internal" });
  expect(record.requestBody.toString()).toBe(body);
  expect(record.responseBody.toString()).toContain('"content":"hello"');
  expect(record.end).toMatchObject({ outcome: "complete" });
  expect(gateway.spool.problems).toEqual([]);
});

test.each([
  ["no JSON", "{", 400, "the list `messages`"],
  ["no messages", "{}", 400, "the list `messages`"],
  ["too much", "x".repeat(4 * 1_024 * 1_024 + 1), 413, "bodies up to 4194304 bytes"],
])("%s is refused in OpenAI's words", async (_name, body, status, message) => {
  const response = await ask("/v1/chat/completions", body);
  expect(response.status).toBe(status);
  const { error } = (await response.json()) as { error: { message: string; type: string } };
  expect(error.type).toBe("invalid_request_error");
  expect(error.message).toContain(message);
});

test("without a service key it returns nothing", async () => {
  const response = await fetch(`${gateway.origin}/x`, {
    headers: { "gateway-target-url": TARGET["gateway-target-url"] },
  });
  expect(response.status).toBe(401);
});

test("the host at another scheme or port is the echo as well, and is never looked up", async () => {
  for (const origin of ["https://echo.weir.internal", "http://ECHO.weir.internal:81"]) {
    const response = await ask("/x", "abc", { "gateway-target-url": origin });
    expect([origin, response.status, await response.text()]).toEqual([origin, 200, "abc"]);
  }
});
