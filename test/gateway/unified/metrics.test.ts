import { expect, test } from "bun:test";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { AttemptMetrics } from "../../../src/gateway/unified/attempt-metrics.ts";
import type { Candidate } from "../../../src/routing/walk.ts";
import { provider, route } from "../../routing/things.ts";
import { at, chatResponse, json, KEY, messagesResponse, type Respond, standIn, startUnified } from "./house.ts";

/** The lines of the unified address, by name and labels; comments and time left out. */
async function shown(gateway: { metrics(): string | Promise<string> }) {
  const lines = (await gateway.metrics()).split("\n").filter((line) => /^weir_gateway_(?:att|rest|trans)/.test(line));
  return Object.fromEntries(
    lines.map((line) => [line.slice("weir_gateway_".length, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
  );
}

test("attempts, failures, rests and translation are counted by provider, model and route", async () => {
  const respond: Respond = ({ path }) =>
    path.endsWith("/messages") ? json(messagesResponse("a")) : json({ error: { message: "busy" } }, 429);
  await using stand = standIn(respond);
  await using later = standIn((_, place) => (place === 0 ? json(chatResponse("b")) : json({}, 503)));
  await using gateway = await startUnified({
    credentials: [at("OPENAI", stand.origin), at("ANTHROPIC", stand.origin), at("GROQ", later.origin)],
    routes: [route('fa"st', ["openai/gpt-a", "anthropic/claude-a"])],
  });
  const send = async (model: string) => {
    const body = JSON.stringify({ model, max_tokens: 9, messages: [{ role: "user", content: "x" }] });
    const headers = { authorization: `Bearer ${KEY}` };
    const response = await fetch(`${gateway.origin}/v1/chat/completions`, { method: "POST", body, headers });
    await response.arrayBuffer();
    return response.status;
  };
  for (const model of ['fa"st', 'fa"st', "groq/b", "groq/b", "groq/never-heard-of"]) await send(model);
  const { 'translation_seconds_sum{provider="ANTHROPIC",model="claude-a",route="fa\\"st"}': seconds, ...rest } =
    await shown(gateway);
  expect(seconds).toBeGreaterThan(0);
  expect(rest).toEqual({
    // Its model has not responded yet.
    'attempts_total{provider="OPENAI",model="other",route="fa\\"st"}': 1,
    'attempts_total{provider="ANTHROPIC",model="claude-a",route="fa\\"st"}': 2,
    'attempts_total{provider="GROQ",model="b",route=""}': 2,
    'attempts_total{provider="GROQ",model="other",route=""}': 1,
    'attempt_failures_total{provider="OPENAI",model="other",route="fa\\"st",reason="429"}': 1,
    'attempt_failures_total{provider="GROQ",model="b",route="",reason="5xx"}': 1,
    'attempt_failures_total{provider="GROQ",model="other",route="",reason="5xx"}': 1,
    'rests_total{provider="OPENAI",model="other"}': 1,
    'resting{provider="OPENAI",model="other"}': 1,
    'translation_seconds_count{provider="ANTHROPIC",model="claude-a",route="fa\\"st"}': 2,
  });
});

test("a response that breaks off is one attempt and one failure", async () => {
  let cut = () => {};
  const broken = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "x" } }] })}\n\n`);
    cut = () => response.destroy();
  }).listen(0, "127.0.0.1");
  await once(broken, "listening");
  const origin = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
  await using gateway = await startUnified({ credentials: [at("OPENAI", origin)] });
  const body = JSON.stringify({ model: "openai/a", stream: true, messages: [{ role: "user", content: "x" }] });
  const headers = { authorization: `Bearer ${KEY}` };
  const response = await fetch(`${gateway.origin}/v1/chat/completions`, { method: "POST", body, headers });
  cut();
  await response.text().catch(() => undefined);
  await gateway.spool.ended(response.headers.get("gateway-id")!);
  expect(await shown(gateway)).toEqual({
    'attempts_total{provider="OPENAI",model="a",route=""}': 1,
    'attempt_failures_total{provider="OPENAI",model="a",route="",reason="network"}': 1,
  });
  broken.close();
});

test("models that clients make up do not fill the metrics", () => {
  const metrics = new AttemptMetrics();
  const call = (model: string, succeeds: boolean) => {
    const candidate = { target: { provider: provider("OPENAI"), route: null }, model } as unknown as Candidate;
    if (succeeds) metrics.responded(candidate);
    else metrics.failed(candidate, "404");
    metrics.translated(candidate, 1);
  };
  const sets = () =>
    metrics
      .translationText()
      .split("\n")
      .filter((line) => line.includes("_count{"));
  for (let at = 0; at < 3_000; at++) call(`junk-${at}`, false);
  expect(sets()).toEqual([expect.stringMatching(/model="other".* 3000$/)]);
  for (let at = 0; at < 3_000; at++) call(`real-${at}`, true);
  expect(sets().length).toBeLessThanOrEqual(1_001);
  expect(sets().reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0)).toBe(6_000);
});
