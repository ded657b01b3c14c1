import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { RECORD_MEMBERS } from "../../src/record/imported.ts";
import { KEY, startWeir, type Weir } from "../e2e/weir.ts";
import { HOSTILE } from "../export/records.ts";
import { type Folder, makeFolder, run } from "../export/run-in-test.ts";
import { importInto } from "./run-import.ts";

let source: Weir;
let upstream: ReturnType<typeof Bun.serve>;
let folder: Folder;
let exported: Buffer;

const env = { WEIR_API_KEY: KEY };
const ALL = ["--include-body", "--output", "-"];

beforeAll(async () => {
  upstream = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: respond });
  [source, folder] = await Promise.all([startWeir(), makeFolder()]);
  for (const [index, text] of HOSTILE.entries()) await send(text, index);
  exported = await exportAll(source);
}, 300_000);

afterAll(async () => {
  await source.stop();
  await upstream.stop(true);
  await folder[Symbol.asyncDispose]();
});

/** A chat response, a stream, a binary, a failure, or text that is no JSON, as the path asks. */
async function respond(request: Request): Promise<Response> {
  const url = new URL(request.url);
  if (url.pathname.endsWith("/messages")) {
    const body = { id: "m-1", type: "message", role: "assistant", model: "claude-opus-5", content: [] };
    return Response.json({ ...body, usage: { input_tokens: 5, output_tokens: 2, cache_creation_input_tokens: 9 } });
  }
  if (url.pathname.endsWith("/speech")) {
    return new Response(new Uint8Array([0, 255, 254, 1]), { headers: { "content-type": "audio/mpeg" } });
  }
  if (url.pathname.endsWith("/teapot"))
    return Response.json({ error: { message: "no", type: "tea" } }, { status: 418 });
  if (url.pathname.endsWith("/plain")) return new Response('"a quoted text", not JSON');
  if (url.pathname.endsWith("/numbers")) {
    return new Response('{ "exact": 12345678901234567890.10,\n "again": 1, "again": 2 }', {
      headers: { "content-type": "application/json" },
    });
  }
  const { messages, stream } = (await request.json()) as { messages: { content: string }[]; stream?: boolean };
  const content = messages[0]?.content ?? "";
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
  if (!stream) {
    const choices = [{ index: 0, message: { role: "assistant", content } }];
    return Response.json({ id: "c-1", object: "chat.completion", model: "gpt-4o", choices, usage });
  }
  const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
  const chunk = { id: "c-2", object: "chat.completion.chunk", model: "gpt-4o" };
  const text =
    event({ ...chunk, choices: [{ index: 0, delta: { role: "assistant", content } }] }) +
    event({ ...chunk, choices: [], usage });
  return new Response(`${text}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } });
}

const PATHS = ["chat/completions", "chat/completions", "messages", "audio/speech", "teapot", "plain", "numbers"];

async function send(content: string, index: number): Promise<void> {
  const path = PATHS[index % PATHS.length]!;
  const sent = await fetch(`${source.gateway}/v1/${path}`, {
    method: "POST",
    headers: {
      "Gateway-Auth": `Bearer ${KEY}`,
      "Gateway-Target-Url": `http://127.0.0.1:${upstream.port}`,
      "Gateway-User-Id": `user ${index % 3}`,
      "Gateway-Session-Id": `session ${index % 4}`,
      "Gateway-Session-Path": "/plan",
      "Gateway-Property-Team": "night",
      "gateway-property-lower": "case",
      "Gateway-Prompt-Input-City": `Lyon ${index}`,
      "gateway-prompt-input-day": "Monday",
      "content-type": "application/json",
    },
    body: JSON.stringify({
      model: "gpt-4o",
      messages: [{ role: "user", content }],
      stream: index % 2 === 1,
      max_tokens: 5,
    }),
  });
  await sent.arrayBuffer();
  const id = sent.headers.get("gateway-id") ?? "";
  const change = (method: string, what: string, body: object) =>
    fetch(`${source.api}/v1/request/${id}/${what}`, {
      method,
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    }).then((changed) => expect(changed.status).toBe(200));
  await change("PUT", "property", { "Note, odd": content.toWellFormed(), ["__proto__"]: "own", "7": "seven" });
  if (index % 3 === 0) await change("POST", "score", { scores: { quality: -1.5, ok: true } });
  if (index % 4 === 0) await change("POST", "feedback", { rating: index % 8 === 0 });
}

async function exportAll(weir: Weir, more: readonly string[] = ALL): Promise<Buffer> {
  const { status, stdout, stderr } = await run(weir.api, more, {}, env);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return stdout;
}

test.each(["jsonl", "json"])(
  "export, import into an empty Weir, export: %s is the same to the last byte",
  async (format) => {
    const file = folder.file(`all.${format}`);
    await writeFile(file, await exportAll(source, [...ALL, "--format", format]));
    await using target = await startWeir();
    const first = await importInto(target.api, [file]);
    expect(first).toMatchObject({
      status: 0,
      stderr: expect.stringContaining(`${HOSTILE.length} records imported, 0 existed`),
    });
    expect((await exportAll(target)).toString()).toBe(exported.toString());
    expect(exported.toString().match(/"llmSchema":\{/g)?.length).toBeGreaterThan(5);
    expect(exported.toString()).toContain('"prompt_inputs":{"City":"Lyon 1","day":"Monday"}');

    const again = await importInto(target.api, [file, file]);
    expect(again).toMatchObject({
      status: 0,
      stderr: expect.stringContaining(`0 records imported, ${2 * HOSTILE.length} existed`),
    });
    expect((await exportAll(target)).equals(exported)).toBe(true);
  },
  300_000,
);

test("an import knows every member that a record has", () => {
  const names = Object.keys(JSON.parse(exported.toString().split("\n")[0]!));
  expect(names.length).toBeGreaterThan(60);
  expect(names.filter((name) => !RECORD_MEMBERS.has(name))).toEqual([]);
});

test("an export without bodies is imported without bodies", async () => {
  const bare = await exportAll(source, ["--output", "-"]);
  await using target = await startWeir();
  expect(await importInto(target.api, ["-"], bare.toString())).toMatchObject({ status: 0 });
  expect((await exportAll(target, ["--output", "-"])).toString()).toBe(bare.toString());
}, 300_000);
