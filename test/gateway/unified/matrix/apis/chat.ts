import { z } from "zod";
import type { Answer, Json, Part } from "../../../../../src/plugin-host/contract.ts";
import { callLine, cut, mediaLine, resultLine, textLine } from "../../../../mapping/shapes/oracle.ts";
import { type Api, dataEvent, first, problemIn } from "./api.ts";

const name = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const text = z.strictObject({ type: z.literal("text"), text: z.string() });
const refusal = z.strictObject({ type: z.literal("refusal"), refusal: z.string() });
const texts = z.union([z.string(), z.array(text).min(1)]);
const image = z.strictObject({
  type: z.literal("image_url"),
  image_url: z.strictObject({
    url: z.string().regex(/^(?:https:|data:image\/)/),
    detail: z.enum(["auto", "low", "high"]).optional(),
  }),
});
const file = z.strictObject({
  type: z.literal("file"),
  file: z.strictObject({
    file_data: z
      .string()
      .regex(/^data:[\w./+-]+;base64,/)
      .optional(),
    filename: z.string().optional(),
    file_id: z.string().optional(),
  }),
});
const audio = z.strictObject({ type: z.literal("input_audio"), input_audio: z.any() });
const call = z.strictObject({
  id: z.string().min(1).max(40),
  type: z.literal("function"),
  function: z.strictObject({ name, arguments: z.string() }),
});
const message = z.discriminatedUnion("role", [
  z.strictObject({ role: z.enum(["system", "developer"]), content: texts, name: name.optional() }),
  z.strictObject({
    role: z.literal("user"),
    content: z.union([z.string(), z.array(z.discriminatedUnion("type", [text, image, file, audio])).min(1)]),
    name: name.optional(),
  }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z.union([texts, z.array(z.union([text, refusal])).min(1), z.null()]).optional(),
    refusal: z.string().nullable().optional(),
    annotations: z.array(z.any()).optional(),
    reasoning_content: z.string().optional(),
    tool_calls: z.array(call).min(1).optional(),
    name: name.optional(),
  }),
  z.strictObject({
    role: z.literal("tool"),
    tool_call_id: z.string().min(1).max(40),
    content: texts,
    name: z.string().optional(),
  }),
]);
const tool = z.strictObject({
  type: z.literal("function"),
  function: z.strictObject({
    name,
    description: z.string().optional(),
    parameters: z.looseObject({ type: z.literal("object") }).optional(),
    strict: z.boolean().nullable().optional(),
  }),
});
const format = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text") }),
  z.strictObject({ type: z.literal("json_object") }),
  z.strictObject({
    type: z.literal("json_schema"),
    json_schema: z.strictObject({
      name,
      description: z.string().optional(),
      schema: z.looseObject({}),
      strict: z.boolean().nullable().optional(),
    }),
  }),
]);
const request = z.strictObject({
  model: z.string(),
  messages: z.array(message).min(1),
  tools: z.array(tool).min(1).optional(),
  tool_choice: z
    .union([
      z.enum(["none", "auto", "required"]),
      z.strictObject({ type: z.literal("function"), function: z.strictObject({ name }) }),
    ])
    .optional(),
  parallel_tool_calls: z.boolean().optional(),
  max_tokens: z.int().positive().optional(),
  max_completion_tokens: z.int().positive().optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).optional(),
  seed: z.int().optional(),
  presence_penalty: z.number().min(-2).max(2).optional(),
  frequency_penalty: z.number().min(-2).max(2).optional(),
  logit_bias: z.record(z.string(), z.number()).optional(),
  logprobs: z.boolean().optional(),
  top_logprobs: z.int().max(20).optional(),
  modalities: z.array(z.enum(["text", "audio"])).optional(),
  audio: z.looseObject({}).optional(),
  service_tier: z.enum(["auto", "default", "flex", "priority", "scale"]).optional(),
  verbosity: z.enum(["low", "medium", "high"]).optional(),
  prediction: z.looseObject({}).optional(),
  safety_identifier: z.string().optional(),
  n: z.int().positive().optional(),
  response_format: format.optional(),
  reasoning_effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh"]).optional(),
  user: z.string().optional(),
  prompt_cache_key: z.string().optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  store: z.boolean().nullable().optional(),
  stream: z.boolean().optional(),
  web_search_options: z.looseObject({}).optional(),
  stream_options: z.strictObject({ include_usage: z.boolean().optional() }).optional(),
});

/**
 * OpenAI's chat completions, with the one member for thoughts that many servers have added. Source: OpenAI's API reference.
 */
export const chatApi: Api = {
  refuses: (body) => problemIn(request, body) ?? first(rules(body)),
  lines: ({ messages }) => messages.flatMap(messageLines),
  answer: ({ id, model, choices, usage }) => ({
    id,
    object: "chat.completion",
    created: 1,
    model,
    choices: [
      { index: 0, message: messageOf(choices[0]!.parts), logprobs: null, finish_reason: finishOf(choices[0]!) },
    ],
    usage: counts(usage),
  }),
  events: (answer) => [...chunks(answer).map(dataEvent), dataEvent("[DONE]")],
  streamType: "text/event-stream",
  error: ({ message, code, type }) => ({ error: { message, type: type ?? "x", param: null, code: code ?? null } }),
  streamError: ({ message }) => dataEvent({ error: { message, type: "server_error", param: null, code: null } }),
};

function* rules(body: Json): Generator<string> {
  if (body.tools === undefined && body.tool_choice !== undefined) yield "tool_choice is only allowed with tools";
  if (body.tools === undefined && body.parallel_tool_calls !== undefined)
    yield "parallel_tool_calls is only allowed with tools";
  if (body.stream !== true && body.stream_options !== undefined) yield "stream_options is only allowed with stream";
  if (body.max_tokens !== undefined && body.max_completion_tokens !== undefined) yield "two limits";
  const strict = [body.response_format?.json_schema, ...(body.tools ?? []).map((each: Json) => each.function)];
  for (const each of strict) if (each?.strict === true) yield* strictProblems(each.schema ?? each.parameters);
  let open = new Set<string>();
  for (const [at, { role, tool_calls, tool_call_id, content }] of body.messages.entries()) {
    if (role === "tool") {
      if (!open.delete(tool_call_id)) yield `messages.${at}: a tool message without a call before it`;
      continue;
    }
    if (open.size > 0) yield `messages.${at}: calls ${[...open]} have no tool message`;
    if (role === "assistant" && (content ?? undefined) === undefined && tool_calls === undefined)
      yield `messages.${at}: neither content nor tool_calls`;
    open = new Set((tool_calls ?? []).map(({ id }: Json) => id));
    for (const each of tool_calls ?? [])
      if (each.function.arguments === "") yield `messages.${at}: a call without arguments`;
  }
  if (open.size > 0) yield `calls ${[...open]} have no tool message`;
}

/** What `strict` wants of a schema. */
export function* strictProblems(schema: Json): Generator<string> {
  if (schema?.type !== "object") return;
  if (schema.additionalProperties !== false) yield "strict: additionalProperties must be false";
  for (const [key, inner] of Object.entries(schema.properties ?? {})) {
    if (!schema.required?.includes(key)) yield `strict: ${key} must be required`;
    yield* strictProblems(inner);
  }
}

function messageLines({ role, content, tool_calls, tool_call_id }: Json): string[] {
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
  const sentRole = role === "developer" ? "system" : role;
  if (role === "tool")
    return [`user ${resultLine(tool_call_id, parts.map(({ text }: Json) => text).join("\n"), false)}`];
  return [
    ...parts.flatMap((part: Json) =>
      part.type === "text" && part.text === "" ? [] : [`${sentRole} ${partLine(part)}`],
    ),
    ...(tool_calls ?? []).map(
      ({ id, function: called }: Json) => `${sentRole} ${callLine(id, called.name, JSON.parse(called.arguments))}`,
    ),
  ];
}

function partLine(part: Json): string {
  if (part.type === "text") return textLine(part.text);
  const url = part.image_url?.url ?? part.file.file_data;
  const found = /^data:([^;]+);base64,(.*)$/.exec(url);
  return found === null ? `media ${url}` : mediaLine("media", found[1]!, found[2]!);
}

const textOf = (parts: readonly Part[], type: Part["type"]) =>
  parts.flatMap((part) => (part.type === type && "text" in part ? [part.text] : [])).join("");

const writeCall = ({ id, name, arguments: text }: Part & { type: "call" }) => ({
  id,
  type: "function",
  function: { name, arguments: text },
});

function messageOf(parts: readonly Part[]): Json {
  const thought = textOf(parts, "reasoning");
  const calls = parts.filter((part) => part.type === "call");
  const said = textOf(parts, "text");
  return {
    role: "assistant",
    content: said === "" ? null : said,
    refusal: null,
    ...(thought !== "" && { reasoning_content: thought }),
    ...(calls.length > 0 && { tool_calls: calls.map(writeCall) }),
  };
}

const finishOf = ({ parts }: Answer["choices"][number]) =>
  parts.some(({ type }) => type === "call") ? "tool_calls" : "stop";

const counts = (usage: Answer["usage"]) => ({
  prompt_tokens: usage!.prompt_tokens,
  completion_tokens: usage!.completion_tokens,
  total_tokens: usage!.prompt_tokens! + usage!.completion_tokens!,
});

function chunks({ id, model, choices, usage }: Answer): Json[] {
  const head = { id, object: "chat.completion.chunk", created: 1, model };
  const chunk = (delta: Json, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason }],
    usage: null,
  });
  const { parts } = choices[0]!;
  const calls = parts.filter((part) => part.type === "call");
  const started = calls.map(({ arguments: _, ...part }, index) =>
    chunk({ tool_calls: [{ index, ...writeCall({ ...part, arguments: "" }) }] }),
  );
  // Arguments of parallel calls take turns, as some servers send them.
  const argued = calls.flatMap(({ arguments: text }, index) =>
    cut(text, 5).map((piece, turn) => ({ turn, index, piece })),
  );
  argued.sort((a, b) => a.turn - b.turn || a.index - b.index);
  return [
    chunk({ role: "assistant", content: "" }),
    ...cut(textOf(parts, "reasoning"), 4).flatMap((piece) => (piece ? [chunk({ reasoning_content: piece })] : [])),
    ...cut(textOf(parts, "text"), 4).flatMap((piece) => (piece ? [chunk({ content: piece })] : [])),
    ...started,
    ...argued.map(({ index, piece }) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
    chunk({}, finishOf(choices[0]!)),
    { ...head, choices: [], usage: counts(usage) },
  ];
}
