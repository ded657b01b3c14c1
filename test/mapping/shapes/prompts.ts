import fc from "fast-check";
import type { Message, Part, Prompt, Settings, Tool } from "../../../src/plugin-host/contract.ts";

/** Prompts as clients write them: every kind of part, tool and setting, in orders that a conversation may have. */

const word = fc.constantFrom("a", "Hello", "naïve ✓", "<x>", '"quoted"', "line\nline", "Error: no");
const name = fc.constantFrom("get_weather", "search", "run", "a-b", "x9");
const type = fc.constantFrom("image/png", "image/jpeg");
const bytes = fc.constantFrom("aGVsbG8=", "AAAA", "/+8=");

const textPart = fc.record({ type: fc.constant("text" as const), text: word });
const imagePart = fc.record(
  {
    type: fc.constant("image" as const),
    source: fc.oneof(fc.record({ bytes, mediaType: type }), fc.record({ url: fc.constant("https://x.test/a.png") })),
    detail: fc.constantFrom("low", "high", "auto"),
  },
  { requiredKeys: ["type", "source"] },
);
const filePart = fc.record(
  {
    type: fc.constant("file" as const),
    source: fc.record({ bytes, mediaType: fc.constant("application/pdf") }),
    name: fc.constantFrom("a.pdf", "b c.pdf"),
  },
  { requiredKeys: ["type", "source", "name"] },
);
const audioPart = fc.record({
  type: fc.constant("audio" as const),
  source: fc.record({ bytes, mediaType: fc.constantFrom("audio/wav", "audio/mp3") }),
});
const reasoningPart = fc
  .record(
    {
      type: fc.constant("reasoning" as const),
      text: word,
      state: fc.record({
        issuer: fc.constantFrom("anthropic", "google", "openai:main", "acme"),
        kind: fc.constantFrom("signature" as const, "encrypted" as const, "redacted" as const),
        value: fc.constantFrom("c2ln", "EqRk+/=", "x.y"),
      }),
    },
    { requiredKeys: ["type", "text"] },
  )
  // What is redacted has no text.
  .map((part) => (part.state?.kind === "redacted" ? { ...part, text: "" } : part));

const userParts = fc.array(
  fc.oneof(
    { arbitrary: textPart, weight: 8 },
    { arbitrary: imagePart, weight: 4 },
    { arbitrary: filePart, weight: 3 },
    { arbitrary: audioPart, weight: 1 },
  ),
  { minLength: 1, maxLength: 3 },
);

/** A turn of the assistant, and where it calls tools the user's turn with all results. */
const exchange = fc
  .record({
    reasoning: fc.option(reasoningPart, { nil: undefined }),
    said: fc.option(textPart, { nil: undefined }),
    calls: fc.array(fc.record({ name, arguments: fc.constantFrom("{}", '{"city":"Oslo"}', '{"a":[1,null]}') }), {
      maxLength: 3,
    }),
    results: fc.array(
      fc.record({ parts: fc.array(fc.oneof(textPart, imagePart), { maxLength: 2 }), error: fc.boolean() }),
      {
        minLength: 3,
        maxLength: 3,
      },
    ),
    user: userParts,
  })
  .filter(({ said, calls }) => said !== undefined || calls.length > 0);

const schema = fc.constantFrom(
  { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false },
  { type: "object", properties: {}, additionalProperties: false },
);
const tool = fc.record(
  { type: fc.constant("function" as const), name, description: word, parameters: schema, strict: fc.boolean() },
  { requiredKeys: ["type", "name", "parameters"] },
);

const settings: fc.Arbitrary<Settings> = fc.record(
  {
    maxTokens: fc.integer({ min: 1, max: 100_000 }),
    temperature: fc.constantFrom(0, 0.5, 1, 1.7),
    topP: fc.constantFrom(0.1, 1),
    topK: fc.constantFrom(1, 40),
    stop: fc.array(word, { minLength: 1, maxLength: 6 }),
    seed: fc.integer({ min: 0, max: 9 }),
    presencePenalty: fc.constantFrom(-1, 0.5),
    frequencyPenalty: fc.constantFrom(-1, 0.5),
    logitBias: fc.constant({ "50256": -100 }),
    logprobs: fc.boolean(),
    topLogprobs: fc.constantFrom(1, 5),
    format: fc.oneof(
      fc.constant({ type: "text" as const }),
      fc.constant({ type: "json" as const }),
      fc.record({ type: fc.constant("schema" as const), schema, name: fc.constant("reply"), strict: fc.boolean() }),
    ),
    thinking: fc.oneof(
      fc.record({ effort: fc.constantFrom("none", "minimal", "low", "medium", "high", "xhigh", "max") }),
      fc.record({ budgetTokens: fc.constantFrom(1024, 8000) }),
    ) as fc.Arbitrary<NonNullable<Settings["thinking"]>>,
    verbosity: fc.constantFrom("low", "high"),
    parallelCalls: fc.boolean(),
    user: fc.constant("user-1"),
    cacheKey: fc.constant("key"),
    metadata: fc.constant({ a: "b" }),
    store: fc.boolean(),
    serviceTier: fc.constantFrom("auto", "flex"),
  },
  { requiredKeys: [] },
);

export const prompts: fc.Arbitrary<Prompt> = fc
  .record({
    system: fc.array(word, { maxLength: 2 }),
    first: userParts,
    turns: fc.array(exchange, { maxLength: 3 }),
    tools: fc.uniqueArray(tool, { maxLength: 3, selector: (tool) => ("name" in tool ? tool.name : "") }),
    choice: fc.constantFrom(undefined, "auto", "none", "any", "one"),
    settings,
    stream: fc.boolean(),
  })
  .map(({ system, first, turns, tools, choice, settings, stream }) => {
    const messages: Message[] = system.map((text) => ({ role: "system", parts: [{ type: "text", text }] }));
    messages.push({ role: "user", parts: first });
    for (const [at, turn] of turns.entries()) messages.push(...turnsOf(turn, at));
    const named = tools[0] !== undefined && "name" in tools[0] ? tools[0].name : undefined;
    const toolChoice =
      choice === undefined || named === undefined
        ? undefined
        : choice === "one"
          ? ({ mode: "one", name: named } as const)
          : ({ mode: choice } as { mode: "auto" | "none" | "any" });
    return {
      stream,
      messages,
      tools: tools as readonly Tool[],
      ...(toolChoice === undefined ? {} : { toolChoice }),
      settings,
      wants: {},
      paths: Object.fromEntries(Object.keys(settings).map((key) => [key, key])),
      losses: [],
      shape: "test",
      extra: {},
    };
  });

type Exchange = typeof exchange extends fc.Arbitrary<infer T> ? T : never;

function turnsOf({ reasoning, said, calls, results, user }: Exchange, at: number): Message[] {
  const ids = calls.map((_, index) => `call_${at}_${index}`);
  const parts: Part[] = [];
  if (reasoning !== undefined) parts.push(defined(reasoning) as Part);
  if (said !== undefined) parts.push(said);
  for (const [index, call] of calls.entries()) parts.push({ type: "call", id: ids[index]!, ...call });
  const toolResults: Part[] = calls.map((_, index) => ({
    type: "result",
    id: ids[index]!,
    parts: results[index]!.parts as Part[],
    ...(results[index]!.error ? { error: true as const } : {}),
  }));
  const turns: Message[] = [{ role: "assistant", parts }];
  if (toolResults.length > 0) turns.push({ role: "user", parts: toolResults });
  else turns.push({ role: "user", parts: user });
  return turns;
}

const defined = (value: object) =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));

/** A prompt without what is only of the body that it was read from. */
export function essence(prompt: Prompt): unknown {
  const { stream, messages, tools, toolChoice, settings } = prompt;
  return JSON.parse(
    JSON.stringify({ stream, messages, tools, toolChoice, settings }, (key, value) =>
      key === "at" ? undefined : value,
    ),
  );
}
