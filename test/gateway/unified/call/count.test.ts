import { describe, expect, test } from "bun:test";
import { at, json, KEY, standIn, startUnified } from "../house.ts";

const post = (origin: string, path: string, body: unknown) =>
  fetch(`${origin}${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

const MESSAGES = { system: "be brief", messages: [{ role: "user", content: "hello there" }] };

describe("counts", () => {
  test.each([
    ["ANTHROPIC", "anthropic/m", "/v1/messages/count_tokens", { input_tokens: 7 }],
    ["GOOGLE", "google/gemini-2.5-flash", "/v1beta/models/gemini-2.5-flash:countTokens", { totalTokens: 7 }],
    ["OPENAI", "openai/gpt-test", "/v1/responses/input_tokens", { input_tokens: 7 }],
  ])("%s counts for a client of Messages", async (name, model, path, counted) => {
    await using provider = standIn(() => json(counted));
    await using gateway = await startUnified({ credentials: [at(name, provider.origin)] });
    const response = await post(gateway.origin, "/v1/messages/count_tokens", { model, ...MESSAGES });
    expect([response.status, await response.json()]).toEqual([200, { input_tokens: 7 }]);
    expect(provider.received[0]!.path).toBe(path);
    const sent = provider.received[0]!.text;
    expect(sent).toContain("hello there");
    expect(sent).toContain("be brief");
    for (const word of ["max_tokens", "max_output_tokens", "maxOutputTokens", '"stream"', '"store"'])
      expect(sent).not.toContain(word);
    expect(response.headers.get("gateway-warning")).toBeNull();
  });

  test("Claude counts for a client of Responses", async () => {
    await using provider = standIn(() => json({ input_tokens: 9 }));
    await using gateway = await startUnified({ credentials: [at("ANTHROPIC", provider.origin)] });
    const response = await post(gateway.origin, "/v1/responses/input_tokens", { model: "anthropic/m", input: "hi" });
    expect(await response.json()).toEqual({ object: "response.input_tokens", input_tokens: 9 });
    expect(provider.received[0]!.json).not.toHaveProperty("max_tokens");
  });

  test("if no provider counts, all of it is estimated, tools and system text too", async () => {
    await using provider = standIn(() => json({}));
    await using gateway = await startUnified({ credentials: [at("GROQ", provider.origin)] });
    const count = async (more: object) => {
      const response = await post(gateway.origin, "/v1/messages/count_tokens", { model: "groq/m", ...more });
      expect([response.status, response.headers.get("gateway-warning")]).toEqual([200, "estimated usage"]);
      expect(response.headers.get("gateway-provider")).toBe("GROQ");
      return (await response.json()).input_tokens as number;
    };
    const { messages } = MESSAGES;
    const plain = await count({ messages });
    expect(plain).toBeGreaterThanOrEqual(4);
    expect(await count(MESSAGES)).toBeGreaterThan(plain);
    const tools = [{ name: "look", description: "looks a thing up", input_schema: { type: "object" } }];
    expect(await count({ messages, tools })).toBeGreaterThan(plain + 10);
    expect(provider.received).toEqual([]);
  });

  test.each([
    ["/v1/messages/count_tokens", MESSAGES, { system: "be brief" }],
    ["/v1/responses/input_tokens", { input: "hello there", instructions: "be brief" }, {}],
  ])("Claude at Bedrock counts a whole invocation, requested at %s", async (path, body, same) => {
    await using provider = standIn(() => json({ inputTokens: 7 }));
    const model = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
    await using gateway = await startUnified({
      credentials: [at("AWS", provider.origin, { settings: { region: "eu-west-1" } })],
    });
    const response = await post(gateway.origin, path, { model: `aws/${model}`, ...body });
    expect([response.status, await response.json()]).toMatchObject([200, { input_tokens: 7 }]);
    expect(response.headers.get("gateway-warning")).toBeNull();
    const [request] = provider.received;
    expect(request!.path).toBe(`/model/${encodeURIComponent(model)}/count-tokens`);
    const sent = JSON.parse(Buffer.from(request!.json.input.invokeModel.body, "base64").toString());
    expect(sent).toMatchObject({ anthropic_version: "bedrock-2023-05-31", max_tokens: expect.any(Number), ...same });
    expect(JSON.stringify(sent)).toContain("hello there");
    expect(JSON.stringify(sent)).toContain("be brief");
    expect(sent).not.toHaveProperty("model");
  });

  test.each<[number, object]>([
    [400, { message: "The provided model doesn't support counting tokens." }],
    [405, {}],
    [501, {}],
    [404, { detail: "Not Found" }],
  ])("a provider that counts, but not for this model, with %p: the estimate is returned", async (status, body) => {
    await using provider = standIn(() => json(body, status));
    await using gateway = await startUnified({
      credentials: [at("AWS", provider.origin, { settings: { region: "eu-west-1" } })],
    });
    const request = { model: "aws/us.anthropic.claude-sonnet-4-6", ...MESSAGES };
    const response = await post(gateway.origin, "/v1/messages/count_tokens", request);
    expect([response.status, response.headers.get("gateway-warning")]).toEqual([200, "estimated usage"]);
    expect((await response.json()).input_tokens).toBeWithin(4, 40);
    expect(response.headers.get("gateway-attempts")).toBe("1");
    const failed = [...gateway.spool.exchanges.values()].filter(({ begin }) => begin.attemptOf !== undefined);
    expect(failed.map(({ head }) => head!.status)).toEqual([status]);
    // Other failures are the client's.
    await using refusing = standIn(() => json({ message: "max_tokens: too large" }, 400));
    await using other = await startUnified({
      credentials: [at("AWS", refusing.origin, { settings: { region: "eu-west-1" } })],
    });
    expect((await post(other.origin, "/v1/messages/count_tokens", request)).status).toBe(400);
  });

  test("a count that cannot be read is an error, and one that fails leads on", async () => {
    await using odd = standIn(() => json({ nothing: true }));
    await using works = standIn(() => json({ input_tokens: 3 }));
    await using gateway = await startUnified({
      credentials: [at("GOOGLE", odd.origin), at("ANTHROPIC", works.origin)],
    });
    const path = "/v1/messages/count_tokens";
    const alone = await post(gateway.origin, path, { model: "google/gemini-2.5-flash", ...MESSAGES });
    expect([alone.status, (await alone.json()).error.code]).toEqual([502, "upstream_malformed"]);
    const both = await post(gateway.origin, path, { model: "google/gemini-2.5-flash,anthropic/m", ...MESSAGES });
    expect(await both.json()).toEqual({ input_tokens: 3 });
  });
});

describe("embeddings", () => {
  test("OpenAI's form passes as it is", async () => {
    await using provider = standIn(() => json({ object: "list", data: [] }));
    await using gateway = await startUnified({ credentials: [at("OPENAI", provider.origin)] });
    await post(gateway.origin, "/v1/embeddings", { model: "openai/e", input: [[1, 2]], user: "u" });
    expect(provider.received[0]).toMatchObject({
      path: "/v1/embeddings",
      json: { model: "e", input: [[1, 2]], user: "u" },
    });
  });

  test.each([
    ["GOOGLE", "google/e", "/v1beta/models/e:batchEmbedContents", { embeddings: [{ values: [0.5, 1] }] }],
    [
      "COHERE",
      "cohere/e",
      "/v2/embed",
      { embeddings: { float: [[0.5, 1]] }, meta: { billed_units: { input_tokens: 4 } } },
    ],
    ["OLLAMA", "ollama/e", "/api/embed", { embeddings: [[0.5, 1]], prompt_eval_count: 4 }],
  ])("%s is called in its own form", async (name, model, path, counted) => {
    await using provider = standIn(() => json(counted));
    await using gateway = await startUnified({ credentials: [at(name, provider.origin)] });
    const response = await post(gateway.origin, "/v1/embeddings", { model, input: "hello", user: "u" });
    expect(response.status).toBe(200);
    const body = await response.json();
    expect(body).toMatchObject({ object: "list", model: "e", data: [{ index: 0, embedding: [0.5, 1] }] });
    expect(body.usage.prompt_tokens).toBeGreaterThan(0);
    expect(provider.received[0]!.path).toBe(path);
    expect(response.headers.get("gateway-warning")).toStartWith("dropped user");
    const recorded = await gateway.spool.ended(response.headers.get("gateway-id")!);
    expect(JSON.parse(recorded.provider.response!.toString())).toEqual(counted as never);
    expect(recorded.head!.routing!.mapping).toBe("OPENAI");
  });

  test("tokens as input mean nothing elsewhere, and an error has the client's form", async () => {
    await using provider = standIn(() => json({ message: "no such model" }, 404));
    await using gateway = await startUnified({ credentials: [at("COHERE", provider.origin)] });
    const ask = async (more: object) => {
      const response = await post(gateway.origin, "/v1/embeddings", { model: "cohere/e", ...more });
      return { status: response.status, body: await response.json() };
    };
    expect(await ask({ input: [1, 2] })).toMatchObject({
      status: 400,
      body: { error: { code: "untranslatable", param: "input" } },
    });
    expect(await ask({ input: "x" })).toMatchObject({ status: 404, body: { error: { message: "no such model" } } });
    expect(await ask({ input: {} })).toMatchObject({ status: 400, body: { error: { code: "invalid_body" } } });
  });
});
