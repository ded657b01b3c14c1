import { expect, test } from "bun:test";
import { packState } from "../../../../src/mapping/translate/state.ts";
import type { Json } from "../../../../src/plugin-host/contract.ts";
import { route } from "../../../routing/things.ts";
import { at, chatResponse, json, KEY, messagesResponse, standIn, startUnified } from "../house.ts";

const gemini = {
  candidates: [{ content: { role: "model", parts: [{ text: "hi" }] }, finishReason: "STOP" }],
};
const response = { id: "resp_1", object: "response", status: "completed", model: "m", output: [] };

const respond = ({ path }: { path: string }) => {
  if (path.includes(":generateContent")) return json(gemini);
  if (path.endsWith("/messages")) return json(messagesResponse("hi"));
  return json(path.endsWith("/responses") ? response : chatResponse("hi"));
};

const user = { role: "user", content: "x" };
const signature = (issuer: string) => packState({ issuer, kind: "signature", value: "s" });
const encrypted = (issuer: string) => packState({ issuer, kind: "encrypted", value: "e" });

/** Chat history whose assistant thought, with the state of these issuers in turn. */
const thought = (...states: string[]) => ({
  messages: states.flatMap((state) => [
    user,
    {
      role: "assistant",
      content: "hm",
      reasoning_details: [{ type: "reasoning.text", text: "t", signature: state, index: 0 }],
    },
    user,
  ]),
});
const called = (extra: Json) => ({
  messages: [
    user,
    {
      role: "assistant",
      tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" }, extra_content: extra }],
    },
    { role: "tool", tool_call_id: "c", content: "ok" },
  ],
});
const input = (content: string) => ({
  input: [user, { type: "reasoning", summary: [], encrypted_content: content }, user],
});
const thinking = (text: string) => ({
  max_tokens: 10,
  messages: [user, { role: "assistant", content: [{ type: "thinking", thinking: "t", signature: text }] }, user],
});

const FALLBACKS = ["groq/a", "anthropic/claude-test", "google/gemini-3-pro", "openai/gpt-test"];

test.each<[string, string, Json, string, string]>([
  ["no state", "chat/completions", { messages: [user] }, "GROQ", "order"],
  ["what its first target issued", "chat/completions", thought(signature("groq")), "GROQ", "affinity"],
  ["a later target's", "chat/completions", thought(signature("anthropic")), "ANTHROPIC", "affinity"],
  [
    "the latest of several",
    "chat/completions",
    thought(signature("anthropic"), signature("google")),
    "GOOGLE",
    "affinity",
  ],
  [
    "that of a provider that is not among them, and an older one's",
    "chat/completions",
    thought(signature("google"), signature("acme")),
    "GOOGLE",
    "affinity",
  ],
  ["Gemini's own", "chat/completions", called({ google: { thought_signature: "abc" } }), "GOOGLE", "affinity"],
  [
    "the placeholder for another's",
    "chat/completions",
    called({ google: { thought_signature: "skip_thought_signature_validator" } }),
    "GROQ",
    "order",
  ],
  ["an unmarked one that only its API's maker can have issued", "messages", thinking("abc"), "ANTHROPIC", "affinity"],
  ["a credential's", "responses", input(encrypted("openai:org-1/second")), "OPENAI", "affinity"],
  ["a credential's that is not there", "responses", input(encrypted("openai:org-1/third")), "GROQ", "order"],
])("a request with %s goes to its issuer first", async (_name, path, body, provider, reason) => {
  await using upstream = standIn(respond);
  const { origin } = upstream;
  await using gateway = await startUnified({
    credentials: [
      ...["GROQ", "ANTHROPIC", "GOOGLE"].map((name) => at(name, origin)),
      at("OPENAI", origin, { name: "first", secrets: { api_key: "first" } }),
      at("OPENAI", origin, { name: "second", secrets: { api_key: "second" } }),
    ],
    routes: [route("any", FALLBACKS)],
  });
  const response = await fetch(`${gateway.origin}/v1/${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ model: "any", ...body }),
  });
  expect([response.status, response.headers.get("gateway-provider"), response.headers.get("gateway-attempts")]).toEqual(
    [...[200, provider, "1"]],
  );
  if (provider === "OPENAI") expect(upstream.received[0]!.headers.get("authorization")).toBe("Bearer second");
  const record = await gateway.spool.ended(response.headers.get("gateway-id")!);
  expect(record.head!.routing!.reason).toBe(reason);
});

test("an unmarked signature stays with a first target that speaks the API itself", async () => {
  await using upstream = standIn(respond);
  const { origin } = upstream;
  await using gateway = await startUnified({
    credentials: [at("DEEPSEEK", origin), at("ANTHROPIC", origin)],
    routes: [route("any", ["deepseek/a", "anthropic/claude-test"])],
  });
  const ask = async (text: string) => {
    const response = await fetch(`${gateway.origin}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": KEY },
      body: JSON.stringify({ model: "any", ...thinking(text) }),
    });
    return [response.status, response.headers.get("gateway-provider")];
  };
  expect(await ask("abc")).toEqual([200, "DEEPSEEK"]);
  expect(await ask(signature("anthropic"))).toEqual([200, "ANTHROPIC"]);
});

test("elsewhere the state is left out, with a warning", async () => {
  await using upstream = standIn(({ path }) =>
    path.endsWith("/messages") ? json({ error: { message: "down" } }, 503) : respond({ path }),
  );
  await using gateway = await startUnified({
    credentials: [at("GROQ", upstream.origin), at("ANTHROPIC", upstream.origin)],
  });
  const response = await fetch(`${gateway.origin}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ model: "groq/a,anthropic/claude-test", ...thought(signature("anthropic")) }),
  });
  expect(response.headers.get("gateway-provider")).toBe("GROQ");
  expect(response.headers.get("gateway-warning")).toContain("dropped messages[1]");
  expect(upstream.received.map(({ path }) => path.slice(path.lastIndexOf("/")))).toEqual(["/messages", "/completions"]);
  expect(upstream.received[1]!.text).not.toContain("weir1.");
});

test("encrypted state belongs to its credential, at any provider", async () => {
  const state = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "ENC" };
  const said = { type: "message", role: "assistant", content: [{ type: "output_text", text: "hi" }] };
  await using upstream = standIn(() => json({ ...response, output: [state, said] }));
  const names = ["first", "second"];
  await using gateway = await startUnified({
    credentials: names.map((name) => at("CUSTOM", upstream.origin, { name, settings: { shape: "responses" } })),
    routes: [
      route(
        "both",
        names.map((name) => `custom:${name}/m`),
      ),
    ],
  });
  const chat = async (model: string, messages: Json[]) => {
    const response = await fetch(`${gateway.origin}/v1/chat/completions`, {
      method: "POST",
      headers: { Authorization: `Bearer ${KEY}` },
      body: JSON.stringify({ model, messages }),
    });
    return { warning: response.headers.get("gateway-warning"), json: await response.json() };
  };
  const first = await chat("custom:second/m", [user]);
  const turns = [user, first.json.choices[0].message, user];
  expect((await chat("custom:first/m", turns)).warning).toContain("dropped messages[1]");
  expect(upstream.received.at(-1)!.text).not.toContain("ENC");
  expect((await chat("both", turns)).warning).toBe("estimated usage");
  expect(upstream.received.at(-1)!.text).toContain('"encrypted_content":"ENC"');
});
