import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { assertProperty, chance } from "../../chance.ts";
import { at, KEY, startUnified } from "./house.ts";

/** On the same shape bytes are compared on both sides. */

interface Sent {
  readonly path: string;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** A provider that keeps the bytes it received, and responds as the test says. */
let respond: () => Response = () => new Response("{}");
let sent: Sent[] = [];
const provider = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  maxRequestBodySize: 256 * 1_024 * 1_024,
  async fetch(request) {
    const { pathname, search } = new URL(request.url);
    const body = Buffer.from(await request.arrayBuffer());
    sent.push({ path: pathname + search, headers: request.headers, body });
    return respond();
  },
});

let gateway: Awaited<ReturnType<typeof startUnified>>;
beforeAll(async () => {
  const origin = `http://127.0.0.1:${provider.port}`;
  gateway = await startUnified({
    credentials: ["OPENAI", "ANTHROPIC", "GOOGLE", "GROQ"].map((name) => at(name, origin)),
    config: { max_recorded_body_bytes: 1_000 },
  });
});
afterAll(async () => {
  await gateway.close();
  await provider.stop(true);
});

/** The path of each shape, and the provider whose own shape it is. */
const PLACES = {
  "/v1/chat/completions": ["groq/m-1", "/openai/v1/chat/completions"],
  "/v1/responses": ["openai/m-1", "/v1/responses"],
  "/v1/messages?beta=true": ["anthropic/m-1", "/v1/messages?beta=true"],
  "/v1beta/models/google%2Fm-1:generateContent": [undefined, "/v1beta/models/m-1:generateContent"],
} as const;
type Place = keyof typeof PLACES;
const places = Object.keys(PLACES) as Place[];

const post = (place: Place, body: BodyInit, headers: Record<string, string> = {}) =>
  fetch(`${gateway.origin}${place}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json", ...headers },
    body,
    decompress: false,
  });

/** A JSON text in any spelling, and what it says of no account here. */
const space = fc.constantFrom("", " ", "\n", "\r\n", "\t", "  \r\n\t ");
const escaped = fc
  .array(
    fc.constantFrom(
      "a",
      "é",
      "✓",
      "😀",
      "\\n",
      '\\"',
      "\\\\",
      "\\/",
      "\\u0061",
      "\\ud83d\\ude00",
      "\\ud800",
      "{",
      "]",
      "model",
    ),
    { maxLength: 6 },
  )
  .map((pieces) => `"${pieces.join("")}"`);
const scalar = fc.oneof(
  escaped,
  fc.constantFrom(
    "0",
    "-0",
    "1.0",
    "1e5",
    "1E+2",
    "12345678901234567890",
    "0.1000",
    "true",
    "false",
    "null",
    "{}",
    "[]",
  ),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof({ depthSize: "small", withCrossShrink: true }, scalar, tie("list"), tie("object")),
  list: fc
    .array(fc.tuple(space, tie("any"), space), { minLength: 1, maxLength: 3 })
    .map((items) => `[${items.map((item) => item.join("")).join(",")}]`),
  object: fc
    .array(fc.tuple(space, fc.oneof(escaped, fc.constant('"model"')), space, space, tie("any"), space), {
      minLength: 1,
      maxLength: 3,
    })
    .map((items) => `{${items.map(([a, name, b, c, inner, d]) => `${a}${name}${b}:${c}${inner}${d}`).join(",")}}`),
})).any as fc.Arbitrary<string>;

interface Member {
  readonly name: string;
  readonly value: string;
  readonly spaces: readonly [string, string, string, string];
}
const spaces = fc.tuple(space, space, space, space);
const other: fc.Arbitrary<Member> = fc.record({
  name: fc.constantFrom('"messages"', '"temperature"', '"x\\u002dy"', '"seed"', '"Model"', '"models "', '""', '"stop"'),
  value,
  spaces,
});
const model = (spelt: fc.Arbitrary<string>): fc.Arbitrary<Member> =>
  fc.record({ name: fc.constantFrom('"model"', '"mod\\u0065l"', '"\\u006Dodel"'), value: spelt, spaces });

const written = (members: readonly Member[], [before, after]: readonly [string, string]): string =>
  `${before}{${members.map(({ name, value, spaces: [a, b, c, d] }) => `${a}${name}${b}:${c}${value}${d}`).join(",")}}${after}`;

/** Bodies as a client may write them, each with what the provider is to get. */
const bodies = (name: string | undefined) =>
  fc
    .record({
      others: fc.array(other, { maxLength: 5 }),
      earlier: fc.array(model(value), { maxLength: 2 }),
      last: model(fc.constantFrom(...spellings(name ?? "x"))),
      place: fc.nat(),
      around: fc.tuple(space, space),
    })
    .map(({ others, earlier, last, place, around }) => {
      if (name === undefined) return { client: written(others, around), provider: written(others, around) };
      const members = [...others];
      for (const each of earlier) members.splice(place % (members.length + 1), 0, each);
      const behind = members.findLastIndex((each) => earlier.includes(each)) + 1;
      members.splice(behind + (place % (members.length - behind + 1)), 0, last);
      const replaced = members.map((each) =>
        each === last || earlier.includes(each) ? { ...each, value: '"m-1"' } : each,
      );
      return { client: written(members, around), provider: written(replaced, around) };
    });

const spellings = (name: string) => [`"${name}"`, `"${name.replace("/", "\\/")}"`, `"${name.replace("m", "\\u006d")}"`];

const randomBodies = fc
  .constantFrom(...places)
  .chain((place) => bodies(PLACES[place][0]).map((body) => ({ place, ...body })));

/** Events of a provider in any framing, and bytes that are no events at all. */
const streams = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ": hi\n\n",
        "\r\n",
        "event: x\ndata:{}\n\n",
        'data: {"choices":[{"delta":{"content":"é✓"}}]}\r\n\r\n',
        'data:{"choices":[],"usage":{"prompt_tokens":1}}   \n\n',
        "data: [DONE]\n\n",
        "id: 1\nretry: 3\n\n",
      ),
      fc.string({ unit: "binary", maxLength: 30 }),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => Buffer.from(pieces.join("")));
const cuts = fc.array(fc.nat(40), { maxLength: 6 });

function inPieces(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const size of sizes) {
    if (size > 0 && from < bytes.length) pieces.push(bytes.subarray(from, from + size));
    from += size;
  }
  return from < bytes.length ? [...pieces, bytes.subarray(from)] : pieces;
}

describe("a request on the same shape", () => {
  test("is the client's, byte for byte, but for the model", async () => {
    respond = () => new Response("{}", { headers: { "content-type": "application/json" } });
    await assertProperty(
      fc.asyncProperty(randomBodies, async ({ place, client, provider: expected }) => {
        sent = [];
        const response = await post(place, client);
        expect([response.status, await response.text()]).toEqual([200, "{}"]);
        expect(sent.map(({ body }) => body.toString())).toEqual([expected]);
        expect(sent[0]!.path).toBe(PLACES[place][1]);
      }),
      { numRuns: 300 },
    );
  });

  test("without members that route: the others stay as they were", async () => {
    respond = () => new Response("{}");
    const routing = fc.record({
      name: fc.constantFrom('"models"', '"fallb\\u0061cks"'),
      value: fc.constant("[]"),
      spaces,
    });
    await assertProperty(
      fc.asyncProperty(
        fc.array(fc.oneof(other, routing), { maxLength: 6 }),
        fc.tuple(space, space),
        async (list, around) => {
          sent = [];
          const members = [...list, { name: '"model"', value: '"groq/m-1"', spaces: ["", "", "", ""] as const }];
          const response = await post("/v1/chat/completions", written(members, around));
          expect(response.status).toBe(200);
          const kept = members.filter(({ name }) => !/models"|fallb/.test(name));
          const text = sent[0]!.body.toString();
          const expected = written(kept, around).replace('"groq/m-1"', '"m-1"');
          expect(JSON.parse(text)).toEqual(JSON.parse(expected));
          expect(text.replaceAll(/\s/g, "")).toBe(expected.replaceAll(/\s/g, ""));
        },
      ),
      { numRuns: 100 },
    );
  });

  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
  ] as const)("comes compressed with %s and goes out plain", async (coding, pack) => {
    sent = [];
    const body = '{ "model" : "groq/m-1",\r\n "messages":[] }';
    const response = await post("/v1/chat/completions", new Uint8Array(pack(body)), { "Content-Encoding": coding });
    expect(response.status).toBe(200);
    expect(sent[0]!.body.toString()).toBe(body.replace("groq/", ""));
    expect(sent[0]!.headers.get("content-encoding")).toBeNull();
  });

  test.each([
    ["a byte order mark", '\ufeff{"model":"groq/m-1"}', {}],
    ["a list", '[{"model":"groq/m-1"}]', {}],
    ["text behind the object", '{"model":"groq/m-1"} {}', {}],
    ["an object that does not end", '{"model":"groq/m-1"', {}],
    ["a comma at the end", '{"model":"groq/m-1",}', {}],
    ["what is no compressed body", "\x1f\x8b", { "Content-Encoding": "gzip" }],
  ] as const)("with %s is no JSON object: 400, and nothing goes out", async (_what, body, headers) => {
    sent = [];
    const response = await post("/v1/chat/completions", body, headers);
    expect([response.status, (await response.json()).error.code]).toEqual([400, "invalid_body"]);
    expect(sent).toEqual([]);
  });
});

describe("a response on the same shape", () => {
  test("is the provider's, whatever it is and however it is cut", async () => {
    const types = fc.constantFrom("text/event-stream", "application/json", "application/octet-stream");
    const statuses = fc.constantFrom(200, 201, 400, 404, 422, 429, 500, 529);
    await assertProperty(
      fc.asyncProperty(streams, cuts, types, statuses, fc.boolean(), async (bytes, sizes, type, status, packed) => {
        const body = packed ? gzipSync(bytes) : bytes;
        const headers = { "content-type": type, "x-own": "1", ...(packed && { "content-encoding": "gzip" }) };
        respond = () => new Response(bodyOf(inPieces(body, sizes)), { status, headers });
        const response = await post("/v1/chat/completions", '{"model":"groq/m-1","stream":true}');
        expect(response.status).toBe(status);
        expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true);
        expect([response.headers.get("content-type"), response.headers.get("x-own")]).toEqual([type, "1"]);
        expect(response.headers.get("content-encoding")).toBe(packed ? "gzip" : null);
      }),
      { numRuns: 200 },
    );
  });

  test("leaves piece by piece: each is there before the next is sent", async () => {
    const pieces = [
      'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: {"ch',
      "oi",
      'ces":[]',
      "}\n",
      "\n",
      ": x",
      "\n\n",
    ];
    let wake = () => {};
    respond = () =>
      new Response(
        new ReadableStream({
          async start(controller) {
            for (const piece of pieces) {
              const { promise, resolve } = Promise.withResolvers<void>();
              wake = resolve;
              controller.enqueue(Buffer.from(piece));
              await promise;
            }
            controller.close();
          },
        }),
        { headers: { "content-type": "text/event-stream" } },
      );
    const response = await post("/v1/chat/completions", '{"model":"groq/m-1","stream":true}');
    const seen: string[] = [];
    for await (const bytes of response.body!) {
      seen.push(Buffer.from(bytes).toString());
      wake();
    }
    expect(seen).toEqual(pieces);
  });
});

test("100 MiB pass in both directions", async () => {
  const head = Buffer.from('{ "model":"groq/m-1", "messages" :[{"role":"user","content":"');
  const tail = Buffer.from('"}]}');
  const size = 100 * 1_024 * 1_024;
  const text = Buffer.alloc(
    size - head.length - tail.length,
    chance("a large body").bytes(30_000).toString("base64url"),
  );
  const body = Buffer.concat([head, text, tail]);
  const back = Buffer.concat([tail, text, head]);
  sent = [];
  respond = () => new Response(back, { headers: { "content-type": "application/json" } });
  const response = await post("/v1/chat/completions", new Uint8Array(body));
  expect(response.status).toBe(200);
  expect(Buffer.from(await response.arrayBuffer()).equals(back)).toBe(true);
  const expected = Buffer.concat([Buffer.from(head.toString().replace("groq/", "")), text, tail]);
  expect(sent[0]!.body.equals(expected)).toBe(true);
  expect(gateway.spool.problems).toEqual([]);
});

function bodyOf(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(controller) {
      for (const piece of pieces) {
        controller.enqueue(piece);
        await new Promise((resolve) => setImmediate(resolve));
      }
      controller.close();
    },
  });
}

test.each([
  '{"id":"a","choices":[],"choices":[{"index":0,"message":{"content":"hi"}}],"id":"b"}',
  '{"error":{"message":"no"},"choices":[{"index":0,"message":{"content":"hi"}}],"error":null}',
])("a success that repeats a key passes unchanged, also if another target is available: %s", async (text) => {
  sent = [];
  respond = () => new Response(text, { headers: { "content-type": "application/json" } });
  for (const model of ["groq/m-1", "groq/m-1,openai/m-1"]) {
    const response = await post("/v1/chat/completions", JSON.stringify({ model, messages: [] }));
    expect([response.status, await response.text()]).toEqual([200, text]);
  }
  expect(sent.length).toBe(2);
});
