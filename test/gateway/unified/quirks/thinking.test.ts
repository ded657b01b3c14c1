import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { at, chatResponse, json, KEY, standIn, startUnified } from "../house.ts";

const GEMINI = {
  candidates: [{ content: { role: "model", parts: [{ text: "hi" }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
};
const RESPONSE = {
  id: "r",
  status: "completed",
  output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "hi" }] }],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
};

describe("quirk 21: how much to think", () => {
  const provider = standIn(({ path }) =>
    json(path.includes("generateContent") ? GEMINI : path.endsWith("/responses") ? RESPONSE : chatResponse("hi")),
  );
  let gateway: Awaited<ReturnType<typeof startUnified>>;
  beforeAll(async () => {
    gateway = await startUnified({ credentials: ["GOOGLE", "OPENAI"].map((name) => at(name, provider.origin)) });
  });
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });

  /** Sends a request. @returns what the provider received, and the warning that the client got. */
  async function ask(path: string, body: object) {
    provider.received.length = 0;
    const response = await fetch(`${gateway.origin}/v1/${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ max_tokens: 4_000, messages: [{ role: "user", content: "go" }], ...body }),
    });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    expect(provider.received).toHaveLength(1);
    return { sent: provider.received[0]!.json, warning: response.headers.get("gateway-warning") };
  }

  test.each([
    // No setting, nothing sent: a missing effort is not "off".
    ["gemini-2.5-flash", {}, undefined, null],
    ["gemini-2.5-pro", {}, undefined, null],
    ["gemini-3-flash", {}, undefined, null],
    // Off, where the model can be.
    ["gemini-2.5-flash", { reasoning_effort: "none" }, { thinkingBudget: 0 }, null],
    ["gemini-3-flash", { reasoning_effort: "none" }, { thinkingLevel: "minimal" }, null],
    // The least that a model has which cannot stop thinking.
    [
      "gemini-2.5-pro",
      { reasoning_effort: "none" },
      { thinkingBudget: 1_024, includeThoughts: true },
      "approximated reasoning_effort",
    ],
    [
      "gemini-3-pro-preview",
      { reasoning_effort: "none" },
      { thinkingLevel: "low", includeThoughts: true },
      "approximated reasoning_effort",
    ],
    // A level that it does not have becomes the nearest below.
    [
      "gemini-3-pro-preview",
      { reasoning_effort: "minimal" },
      { thinkingLevel: "low", includeThoughts: true },
      "approximated reasoning_effort",
    ],
    ["gemini-3-pro-preview", { reasoning_effort: "high" }, { thinkingLevel: "high", includeThoughts: true }, null],
  ] as const)("%s of %j gets %j", async (model, settings, expected, warning) => {
    const { sent, warning: said } = await ask("chat/completions", { model: `google/${model}`, ...settings });
    expect(sent.generationConfig.thinkingConfig).toEqual(expected);
    expect(said).toBe(warning);
  });

  test.each([
    ["gpt-5", {}, undefined, null],
    ["gpt-5", { thinking: { type: "disabled" } }, "minimal", "approximated thinking"],
    ["o3", { thinking: { type: "disabled" } }, "low", "approximated thinking"],
    ["gpt-5.5", { thinking: { type: "disabled" } }, "none", null],
    ["gpt-5.5", {}, undefined, null],
  ] as const)("%s of a client of Messages with %j gets %j", async (model, settings, expected, warning) => {
    const { sent, warning: said } = await ask("messages", { model: `openai/${model}`, ...settings });
    expect(sent.reasoning_effort ?? sent.reasoning?.effort).toBe(expected);
    expect(said).toBe(warning);
  });
});
