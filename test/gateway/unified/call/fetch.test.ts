import { afterAll, describe, expect, test } from "bun:test";
import type { Json } from "../../../../src/plugin-host/contract.ts";
import type { Credential } from "../../../../src/routing/credential.ts";
import { at, chatResponse, json, KEY, messagesResponse, standIn, startUnified } from "../house.ts";

const PNG = Buffer.from("\x89PNG\r\n\x1a\nrest", "latin1");
const PDF = Buffer.from("%PDF-1.7 rest");
const file = (bytes: Buffer, type: string) => () =>
  new Response(new Uint8Array(bytes), { headers: { "content-type": type } });
const redirect = (location: string) => () => new Response(null, { status: 302, headers: { location } });

/** What files there are; each is one path. */
const FILES: Readonly<Record<string, () => Response>> = {
  "/a.png": file(PNG, "image/png; charset=binary"),
  "/a.jpg": file(PNG, "image/jpg"),
  "/a.pdf": file(PDF, "application/pdf"),
  "/a.mp3": file(PNG, "audio/mpeg"),
  "/stored": file(PNG, "application/octet-stream"),
  "/stored-other": file(Buffer.from("MZ"), "application/octet-stream"),
  "/page": file(Buffer.from("<p>"), "text/html"),
  "/moved": redirect("/a.png"),
  "/inside": redirect("http://127.0.0.2:1/a.png"),
  "/elsewhere": redirect("file:///etc/passwd"),
  "/round": redirect("/round"),
  "/half": file(Buffer.concat([PNG, Buffer.alloc(500_000)]), "image/png"),
  "/large": file(Buffer.alloc(20 * 1_024 * 1_024 + 1), "image/png"),
};
const files = standIn(({ path }) => FILES[path.split("?")[0]!]?.() ?? new Response("no", { status: 404 }));
afterAll(() => files[Symbol.asyncDispose]());
const of = (path: string) => files.origin + path;

const gemini = { candidates: [{ content: { role: "model", parts: [{ text: "hi" }] }, finishReason: "STOP" }] };
const converse = { output: { message: { role: "assistant", content: [{ text: "hi" }] } }, stopReason: "end_turn" };
const ollama = { model: "m", message: { role: "assistant", content: "hi" }, done: true, done_reason: "stop" };

const respond = ({ path }: { path: string }) => {
  if (path.includes("down:")) return json({ error: { message: "down" } }, 503);
  if (path.includes(":generateContent")) return json(gemini);
  if (path.endsWith("/converse")) return json(converse);
  if (path.endsWith("/api/chat")) return json(ollama);
  if (path.endsWith("/messages") || path.endsWith("/invoke")) return json(messagesResponse("hi"));
  return json(chatResponse("hi"));
};

async function ask(
  path: string,
  body: Json,
  more: { fetch?: "yes" | "no"; open?: boolean; credentials?: Credential[]; memory?: number } = {},
) {
  await using provider = standIn(respond);
  await using gateway = await startUnified({
    credentials: more.credentials ?? [
      ...["GOOGLE", "OLLAMA", "GROQ", "CEREBRAS", "MOONSHOT"].map((name) => at(name, provider.origin)),
      at("AWS", provider.origin, { settings: { region: "us-east-1" } }),
    ],
    config: {
      unified_fetch: more.fetch ?? "yes",
      ...(more.memory !== undefined && { whole_bodies_max_bytes: more.memory }),
      allow_private_targets: more.open === false ? [] : [new URL(files.origin).host],
    },
  });
  const response = await fetch(`${gateway.origin}/v1/${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}` },
    body: JSON.stringify(body),
  });
  return { status: response.status, response: (await response.json()) as Json, received: provider.received };
}

const image = (url: string) => ({ role: "user", content: [{ type: "image_url", image_url: { url } }] });
const inResponses = (part: object) => ({ input: [{ role: "user", content: [part] }] });
const base64 = (bytes: Buffer) => bytes.toString("base64");
const inline = (mimeType: string, bytes: Buffer) => ({ inlineData: { mimeType, data: base64(bytes) } });

describe("a file that the provider takes as bytes alone is fetched", () => {
  test.each<[string, string, Json, (sent: Json) => Json, Json]>([
    [
      "an image for Gemini",
      "google/gemini-3-pro",
      { messages: [image(of("/a.png"))] },
      (sent) => sent.contents[0].parts,
      [inline("image/png", PNG)],
    ],
    [
      "a type with two names",
      "google/gemini-3-pro",
      { messages: [image(of("/a.jpg"))] },
      (sent) => sent.contents[0].parts,
      [inline("image/jpeg", PNG)],
    ],
    [
      "a file that is known by its bytes",
      "google/gemini-3-pro",
      { messages: [image(of("/stored"))] },
      (sent) => sent.contents[0].parts,
      [inline("image/png", PNG)],
    ],
    [
      "one behind a redirect",
      "google/gemini-3-pro",
      { messages: [image(of("/moved"))] },
      (sent) => sent.contents[0].parts,
      [inline("image/png", PNG)],
    ],
    [
      "a PDF",
      "google/gemini-3-pro",
      inResponses({ type: "input_file", file_url: of("/a.pdf") }),
      (sent) => sent.contents[0].parts,
      [inline("application/pdf", PDF)],
    ],
    [
      "a sound",
      "google/gemini-3-pro",
      inResponses({ type: "input_file", file_url: of("/a.mp3") }),
      (sent) => sent.contents[0].parts,
      [inline("audio/mpeg", PNG)],
    ],
    [
      "an image for Converse",
      "aws/amazon.nova-pro-v1:0",
      { messages: [image(of("/a.png"))] },
      (sent) => sent.messages[0].content[0].image,
      { format: "png", source: { bytes: base64(PNG) } },
    ],
    [
      "a PDF for Converse",
      "aws/amazon.nova-pro-v1:0",
      inResponses({ type: "input_file", file_url: of("/a.pdf") }),
      (sent) => sent.messages[0].content[0].document.source,
      { bytes: base64(PDF) },
    ],
    [
      "an image for Claude at Bedrock",
      "aws/eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
      { messages: [image(of("/a.png"))] },
      (sent) => sent.messages[0].content[0].source,
      { type: "base64", media_type: "image/png", data: base64(PNG) },
    ],
    [
      "a PDF for Claude at Bedrock",
      "aws/eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
      inResponses({ type: "input_file", file_url: of("/a.pdf") }),
      (sent) => sent.messages[0].content[0].source,
      { type: "base64", media_type: "application/pdf", data: base64(PDF) },
    ],
    [
      "an image for Moonshot",
      "moonshot/kimi-k2.5",
      inResponses({ type: "input_image", image_url: of("/a.png") }),
      (sent) => sent.messages[0].content[0].image_url.url,
      `data:image/png;base64,${base64(PNG)}`,
    ],
    [
      "an image for Ollama",
      "ollama/llava",
      { messages: [image(of("/a.png"))] },
      (sent) => sent.messages[0].images,
      [base64(PNG)],
    ],
    [
      "a PDF for chat",
      "cerebras/a",
      inResponses({ type: "input_file", file_url: of("/a.pdf"), filename: "a.pdf" }),
      (sent) => sent.messages[0].content[0].file.file_data,
      `data:application/pdf;base64,${base64(PDF)}`,
    ],
  ])("%s", async (_name, model, body, read, expected) => {
    const before = files.received.length;
    const { status, received } = await ask("input" in body ? "responses" : "chat/completions", {
      model,
      ...body,
    });
    expect(status).toBe(200);
    expect(read(received[0]!.json)).toEqual(expected);
    for (const { headers } of files.received.slice(before)) {
      const names = [...headers.keys()].sort();
      expect(names).toEqual(["accept", "accept-encoding", "host", "user-agent"]);
    }
  });

  test("once, wherever it stands, and for the next target as well", async () => {
    const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
    const messages = [
      image(of("/a.png")),
      { role: "assistant", tool_calls: [call] },
      { role: "tool", tool_call_id: "c", content: [{ type: "image_url", image_url: { url: of("/a.png") } }] },
    ];
    const before = files.received.length;
    const large = { role: "user", content: "x".repeat(80_000) };
    const { status, received } = await ask("chat/completions", {
      model: "google/down,ollama/llava",
      messages: [...messages, large],
    });
    expect([status, received.length]).toEqual([200, 2]);
    expect(files.received.length - before).toBe(1);
    for (const { text } of received) expect(text.split(base64(PNG))).toHaveLength(3);
  });

  test("not for one that takes the address", async () => {
    const before = files.received.length;
    const { status, received } = await ask("chat/completions", {
      model: "groq/a",
      messages: [image(of("/a.png"))],
    });
    expect([status, files.received.length]).toEqual([200, before]);
    expect(received[0]!.text).toContain(of("/a.png"));
  });
});

describe("what cannot be fetched is refused by its path", () => {
  test.each([
    [of("/missing"), "it responds with 404"],
    [of("/page"), "it is text/html, not an image, PDF or sound"],
    [of("/stored-other"), "it is application/octet-stream, not an image, PDF or sound"],
    [of("/round"), "it redirects more than 5 times"],
    [of("/large"), "over 20971520 bytes"],
    [of("/elsewhere"), "it is not an http address"],
    [of("/inside"), "127.0.0.2 is"],
    ["http://169.254.169.254/latest/meta-data", "169.254.169.254 is"],
    ["http://localhost:1/a.png", "localhost"],
    ["gs://bucket/a.png", "this address is not fetched"],
  ])("%s: %s", async (url, why) => {
    const { status, response, received } = await ask("chat/completions", {
      model: "google/gemini-3-pro",
      messages: [image(url)],
    });
    expect([status, received.length]).toEqual([400, 0]);
    expect(response.error).toMatchObject({ code: "untranslatable", param: "messages[0].content[0]" });
    expect(response.error.message).toContain(why);
  });

  test("the hundred-and-first file, and none is fetched in its place", async () => {
    const before = files.received.length;
    const messages = Array.from({ length: 101 }, (_, at) => image(of(`/a.png?${at}`)));
    const { status, response, received } = await ask("chat/completions", { model: "google/gemini-3-pro", messages });
    expect([status, received.length, files.received.length - before]).toEqual([400, 0, 100]);
    expect(response.error).toMatchObject({ code: "untranslatable", param: "messages[100].content[0]" });
    expect(response.error.message).toContain("at most 100 files");
  });

  test.each([
    [1_000_000, 200],
    [700_000, 503],
  ])("files count as bodies held whole: with %d bytes for them the response is a %d", async (memory, expected) => {
    const body = { model: "google/gemini-3-pro", messages: [image(of("/half?1")), image(of("/half?2"))] };
    const { status, response } = await ask("chat/completions", body, { memory: memory + 1_000 });
    expect([status, response.error?.code]).toEqual([expected, expected === 200 ? undefined : "bodies_full"]);
  });

  test("WEIR_UNIFIED_FETCH=no: nothing is", async () => {
    const before = files.received.length;
    const body = { model: "google/gemini-3-pro", messages: [image(of("/a.png"))] };
    const { status, response } = await ask("chat/completions", body, { fetch: "no" });
    expect([status, files.received.length]).toEqual([400, before]);
    expect(response.error).toMatchObject({ code: "untranslatable", param: "messages[0].content[0]" });
    expect(
      (await ask("chat/completions", { ...body, model: "google/gemini-3-pro,groq/a" }, { fetch: "no" })).status,
    ).toBe(200);
  });

  test("an address that only a credential opens", async () => {
    const before = files.received.length;
    const credentials = [at("GOOGLE", files.origin)];
    const { status, response } = await ask(
      "chat/completions",
      { model: "google/gemini-3-pro", messages: [image(of("/a.png"))] },
      { open: false, credentials },
    );
    expect([status, response.error.code, files.received.length]).toEqual([400, "untranslatable", before]);
  });
});
