import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Json } from "../../../src/plugin-host/contract.ts";
import { at, chatResponse, json, KEY, standIn, startUnified } from "./house.ts";

/** What a provider is sent because of the facts in its own file. */

const provider = standIn(() => json(chatResponse("hi")));
const PROVIDERS = ["DEEPSEEK", "MOONSHOT", "ZAI", "TOGETHER"];
let it: Awaited<ReturnType<typeof startUnified>>;
beforeAll(async () => {
  it = await startUnified({ credentials: PROVIDERS.map((name) => at(name, provider.origin)) });
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

/** The provider's body, and the warnings, for a Responses request. */
async function sent(model: string, more: Json): Promise<{ readonly body: Json; readonly warning: string | null }> {
  const before = provider.received.length;
  const response = await fetch(`${it.origin}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model, input: "Hi", ...more }),
  });
  expect([response.status, provider.received.length]).toEqual([200, before + 1]);
  return { body: provider.received.at(-1)!.json, warning: response.headers.get("gateway-warning") };
}

// Sources: https://api-docs.deepseek.com/guides/thinking_mode, https://docs.z.ai/guides/capabilities/thinking-mode,
// https://platform.kimi.ai/docs/guide/use-thinking-effort.
test.each([
  ["deepseek/deepseek-flash", "none", { thinking: { type: "disabled" } }, null],
  ["deepseek/deepseek-flash", "max", { reasoning_effort: "max" }, null],
  ["zai/glm-4.6", "none", { thinking: { type: "disabled" } }, null],
  ["zai/glm-5.3", "none", { reasoning_effort: "low" }, "approximated reasoning"],
  ["zai/glm-5.3", "medium", { reasoning_effort: "low" }, "approximated reasoning"],
  ["moonshot/kimi-k2.6", "none", { thinking: { type: "disabled" } }, null],
  ["moonshot/kimi-k3", "none", { reasoning_effort: "low" }, "approximated reasoning"],
  ["together/any", "none", { reasoning_effort: "none" }, null],
])("%s gets the effort %s as its API takes it", async (model, effort, expected, warning) => {
  const { body, warning: said } = await sent(model, { reasoning: { effort } });
  expect({ thinking: body.thinking, reasoning_effort: body.reasoning_effort }).toEqual({
    thinking: undefined,
    reasoning_effort: undefined,
    ...expected,
  });
  expect(said).toBe(warning);
});
