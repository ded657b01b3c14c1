import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import type { Json } from "../../../../src/plugin-host/contract.ts";
import { CALLS, PLAIN, SHAPES, type Shape } from "../../../mapping/shapes/ai-sdk.ts";
import { comparable, heard } from "../../../mapping/shapes/ai-sdk-alike.ts";
import { hello, PROMPTS, tool } from "../../../mapping/shapes/ai-sdk-prompts.ts";
import { at, json, KEY, standIn, startUnified } from "../house.ts";

/**
 * The Vercel AI SDK as an oracle over the wire: its own provider calls the provider, and its other providers call Weir, which
 * calls the same provider. Both must send it the same request, and read its response alike.
 */

type Target = Shape | "generate-content";

const GOOGLE_USAGE = { promptTokenCount: 11, candidatesTokenCount: 5, totalTokenCount: 16 };
const weather = { functionCall: { name: "weather", args: { city: "Oslo" } } };
const ofGoogle = (parts: readonly Json[]): Json => ({
  candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }],
  usageMetadata: GOOGLE_USAGE,
  modelVersion: "m",
  responseId: "g",
});
const ANSWERS: Readonly<Record<"text" | "calls", Readonly<Record<Target, Json>>>> = {
  text: { ...PLAIN, "generate-content": ofGoogle([{ text: "Hi" }]) },
  calls: { ...CALLS, "generate-content": ofGoogle([{ text: "Let me see." }, weather, weather]) },
};

/** The SDK's model of a shape at an address. */
const MODELS: Readonly<Record<Target, (origin: string, key: string, model: string) => { doGenerate(o: Json): Json }>> =
  {
    "chat-completions": (origin, apiKey, model) => createOpenAI({ baseURL: `${origin}/v1`, apiKey }).chat(model),
    responses: (origin, apiKey, model) => createOpenAI({ baseURL: `${origin}/v1`, apiKey }).responses(model),
    messages: (origin, apiKey, model) => createAnthropic({ baseURL: `${origin}/v1`, apiKey })(model),
    "generate-content": (origin, apiKey, model) =>
      createGoogleGenerativeAI({ baseURL: `${origin}/v1beta`, apiKey })(model),
  };

const TARGETS: Readonly<
  Record<Target, { readonly provider: string; readonly model: string; readonly settings?: Json }>
> = {
  "chat-completions": { provider: "TOGETHER", model: "llama-test" },
  responses: { provider: "CUSTOM", model: "any-test", settings: { shape: "responses" } },
  messages: { provider: "ANTHROPIC", model: "claude-sonnet-4-5" },
  "generate-content": { provider: "GOOGLE", model: "gemini-2.5-flash" },
};

/** Anthropic's own member for a schema: the SDK uses a tool for models that it does not know. */
const FORMAT = { anthropic: { structuredOutputMode: "outputFormat" } };

/** The target that a path is of. */
const targetOf = (path: string): Target =>
  path.includes("generateContent") ? "generate-content" : SHAPES.find((shape) => path.includes(PATHS[shape]))!;
const PATHS: Readonly<Record<Shape, string>> = {
  "chat-completions": "/chat/completions",
  responses: "/responses",
  messages: "/messages",
};

let responses = ANSWERS.text;
const provider = standIn(({ path }) => json(responses[targetOf(path)]));
let it: Awaited<ReturnType<typeof startUnified>>;
beforeAll(async () => {
  const credentials = Object.values(TARGETS).map(({ provider: name, settings }) =>
    at(name, provider.origin, settings === undefined ? {} : { settings }),
  );
  it = await startUnified({ credentials });
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

/** What the provider receives, and what the SDK reads from its response. */
async function calledWith(model: { doGenerate(o: Json): Json }, options: Json) {
  provider.received.length = 0;
  const response = await model.doGenerate(options);
  expect(provider.received).toHaveLength(1);
  return { path: provider.received[0]!.path, body: provider.received[0]!.json, heard: heard(response) };
}

const own = (to: Target, options: Json) => calledWith(MODELS[to](provider.origin, "k", TARGETS[to].model), options);
const through = (from: Shape, to: Target, options: Json) =>
  calledWith(MODELS[from](it.origin, KEY, `${TARGETS[to].provider.toLowerCase()}/${TARGETS[to].model}`), options);

describe.each(SHAPES.flatMap((from) => (Object.keys(TARGETS) as Target[]).map((to) => [from, to] as const)))(
  "%s → %s",
  (from, to) => {
    // Google's API takes no address of a picture: Weir would fetch this one.
    const prompts = PROMPTS.filter(([name]) => to !== "generate-content" || name !== "an image by address");
    test.each(prompts)("the provider gets the same request: %s", async (_name, options) => {
      const given = { maxOutputTokens: 300, providerOptions: FORMAT, ...options };
      const [wanted, sent] = [await own(to, given), await through(from, to, given)];
      expect(sent.path.replace(/\?beta=true$/, "")).toBe(wanted.path);
      expect(alike(to, sent.body, from)).toEqual(alike(to, wanted.body, from));
      expect(sent.heard).toEqual(wanted.heard);
    });

    test("calls in the response are understood alike", async () => {
      responses = ANSWERS.calls;
      const options = { prompt: [hello], tools: [tool], maxOutputTokens: 300 };
      const [wanted, sent] = [await own(to, options), await through(from, to, options)];
      responses = ANSWERS.text;
      expect(nameless(to, sent.heard)).toEqual(nameless(to, wanted.heard));
    });
  },
);

/** Google's API has two ways to write a schema, and gives the results of calls no form. */
function ofGoogleAlike(body: Json): Json {
  const { tools, contents, generationConfig, ...rest } = body;
  const { responseSchema, responseJsonSchema, ...config } = generationConfig ?? {};
  return {
    ...rest,
    generationConfig: { ...config, schema: looseSchema(responseJsonSchema ?? responseSchema) },
    tools: tools?.map(({ functionDeclarations }: Json) =>
      functionDeclarations.map(({ parameters, parametersJsonSchema, ...declared }: Json) => ({
        ...declared,
        schema: looseSchema(parametersJsonSchema ?? parameters),
      })),
    ),
    contents: contents.map(({ role, parts }: Json) => ({ role, parts: parts.map(looseResult) })),
  };
}

/** OpenAPI's schemas lack this member. */
const looseSchema = (schema: Json): Json => schema && { ...schema, additionalProperties: undefined };

function looseResult(part: Json): Json {
  if (part.functionResponse === undefined) return part;
  const { name, response } = part.functionResponse;
  const said = response.output ?? response.content;
  return { result: name, said: typeof said === "string" ? said : JSON.stringify(said) };
}

const alike = (to: Target, body: Json, from: Shape): Json =>
  to === "generate-content" ? JSON.parse(JSON.stringify(ofGoogleAlike(body))) : comparable(to, body, from);

/** Google's calls have no ids: each side makes its own. */
const nameless = (to: Target, said: Json): Json =>
  to === "generate-content" ? { ...said, content: said.content.map(({ toolCallId: _, ...part }: Json) => part) } : said;
