import { expect, test } from "bun:test";
import { at, chatResponse, json, KEY, standIn, startUnified } from "../house.ts";

/** A setting that a provider refuses in a 400 is left out once, and for a day from then on. */

const said = (message: string) => json({ error: { code: 400, message, status: "INVALID_ARGUMENT" } }, 400);
const gemini = {
  candidates: [{ index: 0, content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
};

test.each([
  ["Gemini's penalties", "Penalty is not enabled for models/gemini-2.5-flash", ["presencePenalty", "frequencyPenalty"]],
  ["a member of its settings", 'Unknown name "seed" at "generation_config": Cannot find field.', ["seed"]],
])("%s", async (_name, message, members) => {
  await using provider = standIn(({ json: body }) =>
    members.some((member) => body.generationConfig[member] !== undefined) ? said(message) : json(gemini),
  );
  await using it = await startUnified({ credentials: [at("GOOGLE", provider.origin)] });
  const ask = () =>
    fetch(`${it.origin}/v1/chat/completions`, {
      method: "POST",
      headers: { Authorization: `Bearer ${KEY}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "google/gemini-2.5-flash",
        messages: [{ role: "user", content: "x" }],
        presence_penalty: 0.5,
        frequency_penalty: 0.25,
        seed: 7,
        temperature: 0.5,
      }),
    });
  const first = await ask();
  expect(first.status).toBe(200);
  const warning = first.headers.get("gateway-warning");
  for (const member of members) expect(warning).toContain(`dropped ${member.replace(/P/, "_p")}`);
  expect(provider.received).toHaveLength(2);
  const kept = ["presencePenalty", "frequencyPenalty", "seed", "temperature"].filter((name) => !members.includes(name));
  expect(Object.keys(provider.received[1]!.json.generationConfig).toSorted()).toEqual(kept.toSorted());

  expect((await ask()).status).toBe(200);
  expect(provider.received).toHaveLength(3);
});

test("a provider is not called again with the same request", async () => {
  const message = 'Invalid JSON payload received. Unknown name "responseJsonSchema": Cannot find field.';
  await using provider = standIn(() => said(message));
  await using it = await startUnified({ credentials: [at("GOOGLE", provider.origin)] });
  const response_format = { type: "json_schema", json_schema: { name: "r", schema: { type: "object" } } };
  const ask = () =>
    fetch(`${it.origin}/v1/chat/completions`, {
      method: "POST",
      headers: { Authorization: `Bearer ${KEY}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "google/gemini-2.5-flash",
        messages: [{ role: "user", content: "x" }],
        response_format,
      }),
    });
  for (const calls of [1, 2]) {
    const failed = await ask();
    expect([failed.status, await failed.text()]).toEqual([400, expect.stringContaining("responseJsonSchema")]);
    expect(provider.received).toHaveLength(calls);
  }
  expect(provider.received[0]!.json.generationConfig).toHaveProperty("responseJsonSchema");
});

const extra = (...place: (string | number)[]) => ({
  type: "extra_forbidden",
  loc: ["body", ...place],
  msg: "Extra inputs are not permitted",
  input: true,
});

test.each([
  ["as Mistral sends it", (detail: object[]) => ({ object: "error", message: { detail } })],
  ["with its message as text", (detail: object[]) => ({ object: "error", message: JSON.stringify({ detail }) })],
  ["without a message", (detail: object[]) => ({ detail })],
])("members that a 422 lists are left out at once, %s", async (_name, body) => {
  await using provider = standIn(({ json: sent }) => {
    const faults = ["metadata", "user"].filter((name) => sent[name] !== undefined).map((name) => extra(name));
    return faults.length > 0 ? json(body(faults), 422) : json(chatResponse("Hi"));
  });
  await using it = await startUnified({ credentials: [at("TOGETHER", provider.origin)] });
  const response = await fetch(`${it.origin}/v1/responses`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "together/m", input: "x", metadata: { a: "b" }, user: "u", temperature: 0.5 }),
  });
  expect([response.status, response.headers.get("gateway-warning")]).toEqual([200, "dropped user, dropped metadata"]);
  expect(provider.received.map(({ json: sent }) => [sent.metadata, sent.user, sent.temperature])).toEqual([
    [{ a: "b" }, "u", 0.5],
    [undefined, undefined, 0.5],
  ]);
});

test("a 422 about a member inside another one leaves nothing out", async () => {
  await using provider = standIn(() =>
    json({ detail: [extra("messages", 0, "user", "name"), extra("user", "id")] }, 422),
  );
  await using it = await startUnified({ credentials: [at("TOGETHER", provider.origin)] });
  const response = await fetch(`${it.origin}/v1/responses`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "together/m", input: "x", user: "u" }),
  });
  expect([response.status, provider.received.length]).toEqual([422, 1]);
});

test.each([
  "Model grok-4 does not support parameter reasoningEffort.",
  "Argument not supported on this model: reasoningEffort",
])("Grok's refusals name a member without quotes, in camel case: %s", async (error) => {
  const refusal = { code: "Client specified an invalid argument", error };
  await using provider = standIn(({ json: { reasoning_effort } }) =>
    reasoning_effort === undefined ? json(chatResponse("hi")) : json(refusal, 400),
  );
  await using it = await startUnified({ credentials: [at("TOGETHER", provider.origin)] });
  const response = await fetch(`${it.origin}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": KEY, "content-type": "application/json" },
    body: JSON.stringify({
      model: "together/grok-4",
      max_tokens: 9,
      messages: [{ role: "user", content: "x" }],
      output_config: { effort: "low" },
    }),
  });
  expect(response.status).toBe(200);
  expect(provider.received).toHaveLength(2);
});
