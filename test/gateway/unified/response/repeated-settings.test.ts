import { describe, expect, test } from "bun:test";
import type { Json } from "../../../../src/plugin-host/contract.ts";
import { at, json, KEY, standIn, startUnified } from "../house.ts";

/** A response repeats the tools, the choice among them and the format of the text as the client wrote them. */

const FUNCTION = { type: "function", name: "f", parameters: { type: "object", properties: {} }, strict: true };
const CUSTOM = { type: "custom", name: "apply_patch", description: "Edits files", format: { type: "text" } };
const SPACE = { type: "namespace", name: "mcp", description: "Notes", tools: [{ ...FUNCTION, name: "read" }] };
const SERVER = { type: "mcp", server_label: "notes", server_url: "https://notes.test" };
const FORMAT = { type: "json_schema", name: "n", schema: { type: "object", properties: {} }, strict: true };

interface Repeated {
  readonly tools: readonly object[];
  readonly tool_choice: unknown;
  readonly text: object;
}

const CASES: readonly (readonly [string, Partial<Repeated>, Repeated])[] = [
  ["nothing", {}, { tools: [], tool_choice: "auto", text: { format: { type: "text" } } }],
  [
    "a function that must be called",
    { tools: [FUNCTION], tool_choice: { type: "function", name: "f" } },
    { tools: [FUNCTION], tool_choice: { type: "function", name: "f" }, text: { format: { type: "text" } } },
  ],
  [
    "tools of every kind, and a format",
    { tools: [FUNCTION, CUSTOM, SPACE], tool_choice: "none", text: { format: FORMAT } },
    { tools: [FUNCTION, CUSTOM, SPACE], tool_choice: "none", text: { format: FORMAT } },
  ],
  [
    "allowed tools, and a verbosity",
    {
      tools: [FUNCTION, CUSTOM],
      tool_choice: { type: "allowed_tools", mode: "required", tools: [{ type: "custom", name: "apply_patch" }] },
      text: { verbosity: "low" },
    },
    {
      tools: [FUNCTION, CUSTOM],
      tool_choice: { type: "allowed_tools", mode: "required", tools: [{ type: "custom", name: "apply_patch" }] },
      text: { format: { type: "text" }, verbosity: "low" },
    },
  ],
  [
    "a hosted tool, but for its access",
    { tools: [FUNCTION, { ...SERVER, authorization: "token-1", headers: { "x-key": "token-2" } }] },
    { tools: [FUNCTION, SERVER], tool_choice: "auto", text: { format: { type: "text" } } },
  ],
];

test("a response repeats the instructions and the cache key", async () => {
  await using there = standIn(() => json({ choices: [{ index: 0, message: { role: "assistant", content: "hi" } }] }));
  await using gateway = await startUnified({ credentials: [at("MISTRAL", there.origin)] });
  const ask = async (members: object) => {
    const response = await fetch(`${gateway.origin}/v1/responses`, {
      method: "POST",
      headers: { Authorization: `Bearer ${KEY}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "mistral/m",
        input: [
          { role: "developer", content: "no" },
          { role: "user", content: "hi" },
        ],
        ...members,
      }),
    });
    const { instructions, prompt_cache_key } = (await response.json()) as Json;
    return [instructions, prompt_cache_key];
  };
  expect(await ask({ instructions: "Be brief.", prompt_cache_key: "k-1" })).toEqual(["Be brief.", "k-1"]);
  expect(await ask({})).toEqual([null, null]);
});

const repeatedIn = ({ tools, tool_choice, text }: Json): Repeated => ({ tools, tool_choice, text });

describe.each(CASES)("a client of Responses that asks for %s", (_name, settings, repeated) => {
  // Large bodies are translated in another thread.
  test.each([1, 200_000])("reads it in the response, whole and as a stream, %d bytes", async (size) => {
    await using there = standIn(() => json({ choices: [{ index: 0, message: { role: "assistant", content: "hi" } }] }));
    await using gateway = await startUnified({ credentials: [at("MISTRAL", there.origin)] });
    const ask = async (stream: boolean) => {
      const response = await fetch(`${gateway.origin}/v1/responses`, {
        method: "POST",
        headers: { Authorization: `Bearer ${KEY}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "mistral/m", input: "x".repeat(size), stream, ...settings }),
      });
      return response.text();
    };
    expect(repeatedIn(JSON.parse(await ask(false)))).toEqual(repeated);
    const events = [...(await ask(true)).matchAll(/^data: (\{.*\})$/gm)].map(([, data]) => JSON.parse(data!) as Json);
    const responses = events.filter(({ response }) => response !== undefined);
    expect(responses.map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.completed",
    ]);
    for (const { response } of responses) expect(repeatedIn(response)).toEqual(repeated);
  });
});
