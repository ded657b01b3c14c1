import { describe, expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import { route, target } from "../../routing/things.ts";
import { at, json, KEY, standIn, startUnified } from "./house.ts";

const openai = (origin: string) => new OpenAI({ baseURL: `${origin}/v1`, apiKey: KEY, maxRetries: 0 });

const post = (origin: string, path: string, body: unknown) =>
  fetch(`${origin}${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

describe("endpoints that are not translated", () => {
  test.each([
    ["OPENAI", "openai/m", "/v1/images/generations", "/v1/images/generations"],
    ["OPENAI", "openai/m", "/v1/responses/compact", "/v1/responses/compact"],
    ["OPENAI", "openai/m", "/audio/speech", "/v1/audio/speech"],
    ["GROQ", "groq/m", "/v1/audio/speech", "/openai/v1/audio/speech"],
    ["MISTRAL", "mistral/m", "/v1/moderations", "/v1/moderations"],
    ["COHERE", "cohere/m", "/v1/rerank", "/v1/rerank"],
    ["JINA", "jina/m", "/v1/rerank", "/v1/rerank"],
    ["CUSTOM", "custom/m", "/v1/images/generations", "/v1/images/generations"],
  ])("%s: %s %s goes to %s", async (name, model, path, expected) => {
    await using provider = standIn(() => json({ ok: true }));
    await using gateway = await startUnified({ credentials: [at(name, provider.origin)] });
    const good = await post(gateway.origin, path, { model, input: "x", models: ["groq/other"] });
    expect([good.status, await good.json()]).toEqual([200, { ok: true }]);
    expect(provider.received).toHaveLength(1);
    expect(provider.received[0]).toMatchObject({ path: expected, json: { model: "m", input: "x" } });
    const recorded = await gateway.spool.ended(good.headers.get("gateway-id")!);
    expect(recorded.head).toMatchObject({ provider: name, routing: { mapping: "NO_MAPPING", routedModel: "m" } });
  });

  test("below a credential's own base path, and at Azure's paths", async () => {
    await using provider = standIn(() => json({ ok: true }));
    const settings = { endpoint: provider.origin, api_version: "v1" };
    await using gateway = await startUnified({
      credentials: [
        at("OPENAI", `${provider.origin}/proxy/v9`),
        at("AZURE", provider.origin, { settings }),
        at("AZURE", provider.origin, { name: "old", settings: { ...settings, api_version: "2024-10-21" } }),
      ],
    });
    for (const model of ["openai/m", "azure:azure/m", "azure:old/m"])
      expect((await post(gateway.origin, "/v1/images/generations", { model })).status).toBe(200);
    expect(provider.received.map(({ path }) => path)).toEqual([
      "/proxy/v9/images/generations",
      "/openai/v1/images/generations",
      "/openai/deployments/m/images/generations?api-version=2024-10-21",
    ]);
  });

  test("bytes but the model stay as they are", async () => {
    await using provider = standIn(() => json({ ok: true }));
    await using gateway = await startUnified({ credentials: [at("OPENAI", provider.origin)] });
    await fetch(`${gateway.origin}/v1/images/generations`, {
      method: "POST",
      headers: { Authorization: `Bearer ${KEY}` },
      body: '{ "prompt":"\\u00e9",  "n": 1.0, "model" : "openai/gpt-image-1"}',
    });
    expect(provider.received[0]!.text).toBe('{ "prompt":"\\u00e9",  "n": 1.0, "model" : "gpt-image-1"}');
  });

  test("forms: the model is a field, and files pass unread", async () => {
    const bytes = new Uint8Array(4_096).map((_, i) => (i * 31) % 256);
    let form: FormData | undefined;
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        form = (await request.formData()) as unknown as FormData;
        return json({ text: "hello" });
      },
    });
    await using gateway = await startUnified({ credentials: [at("OPENAI", `http://127.0.0.1:${server.port}`)] });
    const response = await openai(gateway.origin).audio.transcriptions.create({
      file: await toFile(bytes, "a.wav"),
      model: "openai/whisper-1",
      language: "de",
    });
    await server.stop(true);
    expect(response.text).toBe("hello");
    expect([form!.get("model"), form!.get("language")]).toEqual(["whisper-1", "de"]);
    expect(new Uint8Array(await (form!.get("file") as File).arrayBuffer())).toEqual(bytes);
  });

  test("forms: a route's target sets fields, and null removes one", async () => {
    await using provider = standIn(() => json({ text: "hello" }));
    const routed = target("openai/whisper-1", { body: { temperature: 0, language: null, prompt: null } });
    await using gateway = await startUnified({
      credentials: [at("OPENAI", provider.origin)],
      routes: [route("hear", [routed])],
    });
    await openai(gateway.origin).audio.transcriptions.create({
      file: await toFile(new Uint8Array([1, 2, 3]), "a.wav"),
      model: "hear",
      language: "de",
    });
    const [{ text, headers }] = provider.received as [(typeof provider.received)[0]];
    const type = headers.get("content-type")!;
    const sent = (await new Response(text, { headers: { "content-type": type } }).formData()) as unknown as FormData;
    expect([...sent.keys()].sort()).toEqual(["file", "model", "temperature"]);
    expect([sent.get("model"), sent.get("temperature")]).toEqual(["whisper-1", "0"]);
  });

  test("Google's own methods, whose bodies repeat the model", async () => {
    await using provider = standIn(() => json({ embeddings: [] }));
    await using gateway = await startUnified({ credentials: [at("GOOGLE", provider.origin)] });
    const body = { requests: [{ model: "models/google/embed-1", content: { parts: [{ text: "x" }] } }] };
    const response = await post(gateway.origin, "/v1beta/models/google%2Fembed-1:batchEmbedContents", body);
    expect(response.status).toBe(200);
    await post(gateway.origin, "/v1beta/models/google/imagen-4:predict", { instances: [{ prompt: "x" }] });
    expect(provider.received.map(({ path, json }) => [path, json])).toEqual([
      ["/v1beta/models/embed-1:batchEmbedContents", { requests: [{ ...body.requests[0], model: "models/embed-1" }] }],
      ["/v1beta/models/imagen-4:predict", { instances: [{ prompt: "x" }] }],
    ]);
  });

  test.each([
    ["ANTHROPIC", "anthropic/m", "/v1/images/generations"],
    ["GOOGLE", "google/gemini", "/v1/audio/speech"],
    ["OPENAI", "openai/m", "/v1beta/models/openai%2Fm:embedContent"],
  ])("%s has no %s %s: 400, and no provider is called", async (name, model, path) => {
    await using provider = standIn(() => json({}));
    await using gateway = await startUnified({ credentials: [at(name, provider.origin)] });
    const response = await post(gateway.origin, path, { model });
    const { error } = await response.json();
    expect([response.status, provider.received.length]).toEqual([400, 0]);
    expect(error.message).toContain("is not translated");
  });

  test("a target that lacks the endpoint is passed over, and a failure leads on", async () => {
    await using lacks = standIn(() => json({}));
    await using fails = standIn(() => json({ error: { message: "busy" } }, 503));
    await using works = standIn(() => json({ ok: true }));
    await using gateway = await startUnified({
      credentials: [at("ANTHROPIC", lacks.origin), at("OPENAI", fails.origin), at("GROQ", works.origin)],
    });
    const response = await post(gateway.origin, "/v1/audio/speech", {
      model: "anthropic/m,openai/m,groq/m",
      input: "x",
    });
    expect(await response.json()).toEqual({ ok: true });
    expect([lacks, fails, works].map(({ received: request }) => request.length)).toEqual([0, 1, 1]);
    expect(response.headers.get("gateway-provider")).toBe("GROQ");
  });

  test("a body that is neither JSON nor a form, or names no model, is the client's mistake", async () => {
    await using gateway = await startUnified({ credentials: [at("OPENAI", "http://127.0.0.1:1")] });
    for (const [body, type] of [
      ["nonsense", "application/json"],
      ["--b\r\nno end", "multipart/form-data; boundary=b"],
      ["{}", "application/json"],
      ['--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n--b--\r\n', "multipart/form-data; boundary=b"],
    ] as const) {
      const response = await fetch(`${gateway.origin}/v1/audio/translations`, {
        method: "POST",
        headers: { Authorization: `Bearer ${KEY}`, "content-type": type },
        body,
      });
      expect([response.status, (await response.json()).error.code]).toEqual([400, "invalid_body"]);
    }
  });
});
