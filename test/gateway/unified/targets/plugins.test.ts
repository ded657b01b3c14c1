import { expect, test } from "bun:test";
import models from "../../../../plugins/models.ts";
import redact from "../../../../plugins/redact.ts";
import { keySnapshot } from "../../harness.ts";
import { at, chatResponse, hooksOf, json, KEY, messagesResponse, standIn, startUnified } from "../house.ts";

const send = (origin: string, model: string, content = "I am ann@example.com") =>
  fetch(`${origin}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content }] }),
  });

test.each([
  ["on the same shape", "OPENAI", "openai/gpt-test", () => json(chatResponse("hi"))],
  ["translated", "ANTHROPIC", "anthropic/claude-test", () => json(messagesResponse("hi"))],
])(
  "a member that a plugin removes from the body does not reach the provider, %s",
  async (_name, name, model, respond) => {
    await using provider = standIn(respond);
    const hooks = await hooksOf(redact, { in: ["send"] });
    await using gateway = await startUnified({ credentials: [at(name, provider.origin)], hooks });
    const response = await send(gateway.origin, model);
    expect(response.status).toBe(200);
    expect(provider.received[0]!.text).toContain("I am [email]");
    expect(provider.received[0]!.text).not.toContain("ann@");
    const record = await gateway.spool.ended(response.headers.get("gateway-id")!);
    expect(record.requestBody.toString()).toContain("ann@example.com");
    expect(record.provider.request?.toString()).toContain("I am [email]");
  },
);

test("a plugin refuses what a body holds", async () => {
  await using provider = standIn(() => json(chatResponse("hi")));
  const hooks = await hooksOf(redact, { in: ["refuse"] });
  await using gateway = await startUnified({ credentials: [at("OPENAI", provider.origin)], hooks });
  expect((await send(gateway.origin, "openai/gpt-test")).status).toBe(400);
  expect((await send(gateway.origin, "openai/gpt-test", "hello")).status).toBe(200);
  expect(provider.received.length).toBe(1);
});

test("a rule about models is about the one that is called, and a key's list about the name that was written", async () => {
  await using provider = standIn(() => json(chatResponse("hi")));
  const hooks = await hooksOf(models, { deny: ["openai/*-preview"] });
  const keys = [keySnapshot(KEY, { models: ["openai/*"] })];
  await using gateway = await startUnified({ credentials: [at("OPENAI", provider.origin)], hooks, keys });
  expect((await send(gateway.origin, "openai/gpt-test")).status).toBe(200);
  expect((await send(gateway.origin, "openai/gpt-preview")).status).toBe(403);
  expect(provider.received.length).toBe(1);
});
