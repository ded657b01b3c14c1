import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { readSse } from "../../../../src/mapping/events/sse.ts";
import type { Answer, Json } from "../../../../src/plugin-host/contract.ts";
import { at, KEY, type Received, standIn, startUnified } from "../house.ts";
import { OUTBOUNDS, type Outbound } from "../matrix/outbounds.ts";

/** Responses that providers, and the servers between, send now and then: what can be read is read, all else is a failure. */

const PLACES = OUTBOUNDS.filter(({ what }) => !/Vertex|Azure|newer/.test(what));
const CLIENTS = [
  ["chat-completions", "/v1/chat/completions", { messages: [{ role: "user", content: "x" }] }],
  ["messages", "/v1/messages", { max_tokens: 50, messages: [{ role: "user", content: "x" }] }],
  ["responses", "/v1/responses", { input: "x" }],
] as const;

const SAID = "Grüße 日本 😀 done";
const ANSWER: Omit<Answer, "model"> = {
  id: "answer-1",
  choices: [{ parts: [{ type: "text", text: SAID }], finish: "end" }],
  usage: { prompt_tokens: 11, completion_tokens: 7 },
};

/** What a provider would send. */
interface Sound {
  readonly events: Buffer;
  readonly type: string;
  readonly whole: Json;
}

const inPieces = (bytes: Uint8Array, length: number, headers: Record<string, string>) =>
  new Response(
    new ReadableStream({
      async start(controller) {
        for (let at = 0; at < bytes.byteLength; at += length) {
          controller.enqueue(bytes.subarray(at, at + length));
          await new Promise((resolve) => setImmediate(resolve));
        }
        controller.close();
      },
    }),
    { headers },
  );

type Odd = (sound: Sound) => Response;
const text =
  (change: (events: string) => string): Odd =>
  ({ events, type }) =>
    /amazon/.test(type)
      ? inPieces(events, 199, { "content-type": type })
      : inPieces(Buffer.from(change(events.toString())), 199, { "content-type": type });
const coded =
  (name: string, code: (bytes: Buffer) => Uint8Array): Odd =>
  ({ events, type }) =>
    inPieces(code(events), 99, { "content-type": type, "content-encoding": name });
const whole =
  (change: (body: Json) => string | Uint8Array, headers: Record<string, string> = {}): Odd =>
  ({ whole }) =>
    new Response(change(whole) as string, { headers: { "content-type": "application/json", ...headers } });
const isLines = (events: string) => events.startsWith("{");

const STREAMS: readonly (readonly [string, Odd])[] = [
  ["in small pieces", ({ events, type }) => inPieces(events, 17, { "content-type": type })],
  ["with CRLF", text((events) => events.replaceAll("\n", "\r\n"))],
  ["with CR", text((events) => (isLines(events) ? events : events.replaceAll("\n", "\r")))],
  ["with ends that are mixed", text((events) => events.replaceAll("\n\n", "\n\r\n"))],
  ["with a byte order mark", text((events) => `\uFEFF${events}`)],
  [
    "with comments",
    text((events) => (isLines(events) ? events : `: a\n\n${events.replaceAll("\n\n", "\n\n: b\n\n")}`)),
  ],
  [
    "with events that nobody knows",
    text((events) =>
      isLines(events)
        ? `{"zzz":1}\nzzz\n${events}`
        : `event: zzz\ndata: {"type":"zzz"}\n\n${events.replace("\n\n", "\n\nid: 7\nretry: 5\ndata: zzz\n\ndata: null\n\ndata: []\n\ndata\n\n")}`,
    ),
  ],
  ["without its last line's end", text((events) => events.trimEnd())],
  ["with something behind its end", text((events) => `${events}${isLines(events) ? "" : "data: "}zzz\n\nzzz`)],
  ["with gzip", coded("gzip", gzipSync)],
  ["with brotli", coded("br", brotliCompressSync)],
  ["with zstd", coded("zstd", zstdCompressSync)],
  ["with deflate", coded("deflate", deflateSync)],
  ["with bare deflate", coded("deflate", deflateRawSync)],
  ["that comes whole", whole((body) => JSON.stringify(body))],
];

const BODIES: readonly (readonly [string, Odd])[] = [
  ["with a byte order mark", whole((body) => `\uFEFF${JSON.stringify(body)}`)],
  ["with white space around", whole((body) => `\n \n${JSON.stringify(body, null, 2)}\n\n`)],
  ["without a content type", ({ whole: body }) => new Response(Buffer.from(JSON.stringify(body)))],
  ["with gzip", whole((body) => gzipSync(JSON.stringify(body)), { "content-encoding": "gzip" })],
  ["with brotli", whole((body) => brotliCompressSync(JSON.stringify(body)), { "content-encoding": "br" })],
  [
    "that is a stream and does not say so",
    ({ events, type, whole: body }) =>
      type === "text/event-stream"
        ? new Response(new Uint8Array(events), { headers: { "content-type": "application/json" } })
        : Response.json(body),
  ],
];

const NO_ANSWERS: readonly (readonly [string, Odd])[] = [
  ["nothing", whole(() => "")],
  ["a page", whole(() => "<html>busy</html>", { "content-type": "text/html" })],
  ["null", whole(() => "null")],
  ["a list", whole(() => "[]")],
  ["an object that says nothing", whole(() => "{}")],
  ["an object of something else", whole(() => '{"detail":"Not Found"}')],
  ["a body that is cut off", whole((body) => JSON.stringify(body).slice(0, -2))],
  ["a body with something behind it", whole((body) => `${JSON.stringify(body)}zzz`)],
  ["what is no gzip", whole(() => "zzz", { "content-encoding": "gzip" })],
  ["no content", () => new Response(null, { status: 204 })],
  ["a redirect", () => new Response("", { status: 302, headers: { location: "http://127.0.0.1:1/" } })],
];

let odd: Odd;
const respond =
  (outbound: Outbound) =>
  ({ path }: Received): Response => {
    const api = outbound.apis.find(([pattern]) => pattern.test(path))![1];
    const response = { ...ANSWER, model: outbound.model };
    return odd({ events: Buffer.concat([...api.events(response)]), type: api.streamType, whole: api.answer(response) });
  };

const stack = new AsyncDisposableStack();
let gateway: Awaited<ReturnType<typeof startUnified>>;

beforeAll(async () => {
  const credentials = PLACES.map((outbound, row) => {
    const { origin } = stack.use(standIn(respond(outbound)));
    return at(outbound.provider, origin, { ...outbound.credential?.(origin), name: `row-${row}` });
  });
  const backup = stack.use(standIn(() => Response.json({ choices: [{ message: { content: "instead" } }] })));
  credentials.push(at("MISTRAL", backup.origin));
  gateway = stack.use(await startUnified({ credentials }));
});

afterAll(async () => {
  await stack.disposeAsync();
});

const ask = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(gateway.origin + path, {
    method: "POST",
    redirect: "manual",
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json", ...headers },
  });

/** Every client at every place that translates for it, and where it says so at those that do not. */
function* cells(withSame: boolean) {
  for (const [shape, path, body] of CLIENTS) {
    for (const [row, outbound] of PLACES.entries()) {
      if (!withSame && outbound.same.includes(shape)) continue;
      const model = `${outbound.provider.toLowerCase()}:row-${row}/${outbound.model}`;
      yield { name: `${shape} at ${outbound.what}`, path, body: { ...body, model } };
    }
  }
}

/** The text in a stream of any of the clients' shapes. */
const streamed = (events: string): string =>
  readSse(events)
    .map(
      ({ data }) =>
        data?.choices?.[0]?.delta?.content ?? data?.delta?.text ?? (typeof data?.delta === "string" ? data.delta : ""),
    )
    .join("");

test.each(STREAMS)("a stream %s is read", async (_what, made) => {
  odd = made;
  for (const { name, path, body } of cells(true)) {
    const response = await ask(path, { ...body, stream: true });
    const events = await response.text();
    const isWhole = !response.headers.get("content-type")!.includes("event-stream");
    expect([name, response.status, isWhole ? events.includes(SAID) : streamed(events)]).toEqual([
      name,
      200,
      isWhole ? true : SAID,
    ]);
    expect(events).not.toContain('"error":{');
  }
});

test.each(BODIES)("a body %s is read", async (_what, made) => {
  odd = made;
  for (const { name, path, body } of cells(false)) {
    const response = await ask(path, body);
    expect([name, response.status, (await response.text()).includes(SAID)]).toEqual([name, 200, true]);
  }
});

test.each(NO_ANSWERS)("%s is no response: alone it is a 502, and another target is called", async (_what, made) => {
  odd = made;
  for (const { name, path, body } of cells(false)) {
    const alone = await ask(path, body);
    expect([name, alone.status, (await alone.json()).error.code]).toEqual([name, 502, "upstream_malformed"]);
    const both = await ask(path, { ...body, model: `${body.model},mistral/m` });
    expect([name, both.status, both.headers.get("gateway-provider")]).toEqual([name, 200, "MISTRAL"]);
  }
});

test("an error inside a success may say its status", async () => {
  odd = whole(() => '{"error":{"message":"too many","code":429}}');
  for (const { name, path, body } of cells(false)) {
    const response = await ask(path, body);
    expect([name, response.status, (await response.json()).error.message]).toEqual([name, 429, "too many"]);
  }
});

describe("Bedrock's frames", () => {
  const model = `aws:row-${PLACES.findIndex(({ what }) => what === "messages, Bedrock")}/eu.anthropic.claude-sonnet-4-5-20250929-v1:0`;
  const damaged: Odd = ({ events, type }) => {
    const frames = Buffer.from(events);
    frames[frames.readUInt32BE(0) + 20]! ^= 1; // in the second frame
    return inPieces(frames, 50, { "content-type": type });
  };

  test("that are damaged end the stream, and nothing else", async () => {
    odd = damaged;
    const [, path, body] = CLIENTS[1];
    const same = await ask(path, { ...body, model, stream: true });
    expect(same.status).toBe(200);
    expect(await same.text().catch(() => "cut off")).toBe("cut off");
    const translated = await ask(CLIENTS[0][1], { ...CLIENTS[0][2], model, stream: true });
    const events = await translated.text();
    expect(events).toContain("upstream_malformed");
    expect(events).not.toContain("[DONE]");
  });
});
