import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Json, ModelFacts } from "../../../src/plugin-host/contract.ts";
import { assertProperty } from "../../chance.ts";
import { CALLS, MODELS, PLAIN, recorder, SHAPES, type Shape } from "./ai-sdk.ts";
import { comparable, heard } from "./ai-sdk-alike.ts";
import { conversations, hello, PROMPTS, tool } from "./ai-sdk-prompts.ts";
import { send } from "./translation.ts";

/**
 * The Vercel AI SDK as an oracle that is not ours. It has a provider for each API: the same prompt through its own provider and
 * through our shapes must ask the same thing, and the same answer must be understood alike.
 */

const FACTS: Readonly<Record<string, ModelFacts>> = {
  "chat-completions": {},
  responses: { reasoning: "none" },
  messages: { jsonSchema: true, maxOutput: 64_000 },
};

/** The body that the SDK's own provider writes. */
async function requestOf(shape: Shape, options: Json): Promise<Json> {
  const { seen, fetch } = recorder(PLAIN[shape]);
  await MODELS[shape](fetch).doGenerate(options);
  return seen.body;
}

/** What the SDK understands of an answer. */
async function understood(shape: Shape, response: Json): Promise<Json> {
  const { fetch } = recorder(response);
  return heard(await MODELS[shape](fetch).doGenerate({ prompt: [hello] }));
}

describe.each(SHAPES.flatMap((from) => SHAPES.filter((to) => to !== from).map((to) => [from, to] as const)))(
  "%s → %s",
  (from, to) => {
    const asksTheSame = async (options: Json) => {
      const [client, wanted] = [await requestOf(from, options), await requestOf(to, options)];
      // A limit that the client did not choose is the SDK's own.
      if (options.maxOutputTokens === undefined) delete client.max_tokens;
      const sent = send(client, { from, to, facts: FACTS[to]!, issuer: "x" });
      expect(comparable(to, sent.body, from)).toEqual(comparable(to, wanted, from));
      expect(sent.losses).toEqual([]);
    };

    test.each(PROMPTS)("asks the same as the SDK's own provider: %s", (_name, options) => asksTheSame(options));

    test("asks the same as the SDK's own provider in any conversation", () =>
      assertProperty(fc.asyncProperty(conversations, asksTheSame), { numRuns: 40 }));

    test.each([
      ["text", PLAIN],
      ["calls", CALLS],
    ])("a response is understood alike: %s", async (_name, responses) => {
      const options = { prompt: [hello], tools: [tool] };
      const translated = send(await requestOf(from, options), { from, to, facts: FACTS[to]!, issuer: "x" }).answer(
        responses[to],
      );
      expect(await understood(from, translated)).toEqual(await understood(to, responses[to]));
    });
  },
);
