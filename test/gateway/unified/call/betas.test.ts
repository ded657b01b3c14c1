import { expect, test } from "bun:test";
import type { Json } from "../../../../src/plugin-host/contract.ts";
import { at, json, KEY, messagesResponse, standIn, startUnified } from "../house.ts";

const BETAS =
  "claude-code-20250219,context-1m-2025-08-07, advanced-tool-use-2025-11-20,tool-search-tool-2025-10-19,advisor-tool-2026-03-01";

/** A block of thinking that no vendor signed is left out, which rewrites the body in its own shape. */
const UNSIGNED = [
  { role: "user", content: "hi" },
  { role: "assistant", content: [{ type: "thinking", thinking: "Hm.", signature: "" }] },
  { role: "user", content: "go on" },
];

async function sent(provider: string, model: string, more: object, messages: Json) {
  await using claude = standIn(() => json(messagesResponse("hi")));
  await using gateway = await startUnified({ credentials: [at(provider, claude.origin, more)] });
  const response = await fetch(`${gateway.origin}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": KEY, "content-type": "application/json", "anthropic-beta": BETAS },
    body: JSON.stringify({ model: `${provider}/${model}`, max_tokens: 9, messages, context_management: {} }),
  });
  expect(response.status).toBe(200);
  const [{ headers, json: body }] = claude.received as [(typeof claude.received)[number]];
  return { header: headers.get("anthropic-beta"), inBody: body.anthropic_beta, kept: body.context_management };
}

const region = { settings: { region: "eu-central-1" } };

test.each([
  ["unchanged", [{ role: "user", content: "hi" }], BETAS],
  ["rewritten", UNSIGNED, BETAS.replace(" ", "")],
])("Anthropic gets all betas of a request that is %s", async (_what, messages, header) => {
  const kept = {};
  expect(await sent("ANTHROPIC", "claude-sonnet-4-5", {}, messages)).toEqual({ header, inBody: undefined, kept });
});

test.each([
  ["unchanged", [{ role: "user", content: "hi" }]],
  ["rewritten", UNSIGNED],
])("a platform gets the betas that it takes, by its own names: %s", async (_what, messages) => {
  const kept = {};
  const taken = ["context-1m-2025-08-07", "tool-search-tool-2025-10-19"];
  const bedrock = await sent("AWS", "anthropic.claude-sonnet-4-5-v1:0", region, messages);
  expect(bedrock).toEqual({ header: null, inBody: taken, kept });
  const vertex = { settings: { project: "p", location: "global" } };
  const google = await sent("GOOGLE", "claude-sonnet-4-5", vertex, messages);
  expect(google).toEqual({ header: taken.join(","), inBody: undefined, kept });
});
