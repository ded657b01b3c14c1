import { z } from "zod";
import type { Answer, Json, Part } from "../../../../../src/plugin-host/contract.ts";
import { callLine, cut, mediaLine, reasoningLine, resultLine, textLine } from "../../../../mapping/shapes/oracle.ts";
import { encodeEventStream } from "../../../../providers/eventstream.ts";
import { type Api, first, isSignedBy, namedEvent, problemIn } from "./api.ts";

const cache = {
  cache_control: z
    .strictObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() })
    .nullable()
    .optional(),
};
const filled = z.string().regex(/\S/, "text content blocks must contain non-whitespace text");
const text = z.strictObject({ type: z.literal("text"), text: filled, citations: z.any().optional(), ...cache });
const source = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("base64"), media_type: z.string(), data: z.base64() }),
  z.strictObject({ type: z.literal("url"), url: z.string() }),
  z.strictObject({ type: z.literal("text"), media_type: z.literal("text/plain"), data: z.string() }),
]);
const image = z.strictObject({ type: z.literal("image"), source, ...cache });
const document = z.strictObject({
  type: z.literal("document"),
  source,
  title: z.string().nullable().optional(),
  ...cache,
});
const toolId = z.string().regex(/^[A-Za-z0-9_-]+$/);
const toolName = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/);
const block = z.discriminatedUnion("type", [
  text,
  image,
  document,
  z.strictObject({ type: z.literal("tool_use"), id: toolId, name: toolName, input: z.looseObject({}), ...cache }),
  z.strictObject({
    type: z.literal("tool_result"),
    tool_use_id: toolId,
    content: z.union([z.string(), z.array(z.discriminatedUnion("type", [text, image, document]))]).optional(),
    is_error: z.boolean().optional(),
    ...cache,
  }),
  z.strictObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() }),
  z.strictObject({ type: z.literal("redacted_thinking"), data: z.string() }),
]);
const schema = z.looseObject({ type: z.literal("object") });
const tool = z.union([
  z.strictObject({
    type: z.literal("custom").optional(),
    name: toolName,
    description: z.string().optional(),
    input_schema: schema,
    strict: z.boolean().optional(),
    eager_input_streaming: z.boolean().optional(),
    ...cache,
  }),
  z.strictObject({
    type: z.literal("web_search_20250305"),
    name: z.literal("web_search"),
    max_uses: z.int().positive().optional(),
    allowed_domains: z.array(z.string()).optional(),
    blocked_domains: z.array(z.string()).optional(),
    user_location: z.looseObject({ type: z.literal("approximate") }).optional(),
    ...cache,
  }),
  z.strictObject({ type: z.enum(["bash_20250124", "text_editor_20250728"]), name: z.string(), ...cache }),
]);
const single = { disable_parallel_tool_use: z.boolean().optional() };
const display = { display: z.enum(["summarized", "omitted"]).optional() };
const body = {
  max_tokens: z.int().positive(),
  messages: z
    .array(
      z.strictObject({
        role: z.enum(["user", "assistant"]),
        content: z.union([filled, z.array(block).min(1)]),
      }),
    )
    .min(1),
  system: z.union([filled, z.array(text)]).optional(),
  tools: z.array(tool).optional(),
  tool_choice: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("auto"), ...single }),
      z.strictObject({ type: z.literal("any"), ...single }),
      z.strictObject({ type: z.literal("tool"), name: z.string(), ...single }),
      z.strictObject({ type: z.literal("none") }),
    ])
    .optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().optional(),
  stop_sequences: z.array(filled).optional(),
  thinking: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("enabled"), budget_tokens: z.int().min(1024), ...display }),
      z.strictObject({ type: z.literal("adaptive"), ...display }),
      z.strictObject({ type: z.literal("disabled") }),
    ])
    .optional(),
  output_config: z
    .strictObject({
      effort: z.enum(["low", "medium", "high", "xhigh", "max"]).optional(),
      format: z.strictObject({ type: z.literal("json_schema"), schema }).optional(),
    })
    .optional(),
  service_tier: z.enum(["auto", "standard_only"]).optional(),
  metadata: z.strictObject({ user_id: z.string() }).optional(),
  context_management: z.any().optional(),
};
const REQUESTS = {
  anthropic: z.strictObject({ model: z.string(), stream: z.boolean().optional(), ...body }),
  vertex: z.strictObject({
    anthropic_version: z.literal("vertex-2023-10-16"),
    stream: z.boolean().optional(),
    ...body,
  }),
  bedrock: z.strictObject({
    anthropic_version: z.literal("bedrock-2023-05-31"),
    anthropic_beta: z.array(z.string()).optional(),
    ...body,
  }),
} as const;

const sse = ({ type, ...members }: Json) => namedEvent(type, { type, ...members });
/** Bedrock wraps the bytes of each event. */
const framed = (event: Json) =>
  new Uint8Array(
    encodeEventStream([{ event: "chunk", payload: { bytes: Buffer.from(JSON.stringify(event)).toString("base64") } }]),
  );

/** Anthropic's messages where they are served. Source: Anthropic's API reference and the pages of both platforms. */
export function messagesApi(platform: keyof typeof REQUESTS): Api {
  const event = platform === "bedrock" ? framed : sse;
  return {
    refuses: (body) => problemIn(REQUESTS[platform], body) ?? first(rules(body)),
    lines: ({ system, messages }) => [
      ...(typeof system === "string" ? [{ type: "text", text: system }] : (system ?? [])).map(
        (each: Json) => `system ${blockLine(each)}`,
      ),
      ...messages.flatMap(({ role, content }: Json) =>
        (typeof content === "string" ? [{ type: "text", text: content }] : content).map(
          (each: Json) => `${role} ${blockLine(each)}`,
        ),
      ),
    ],
    answer: messageOf,
    events: (answer) => streamed(answer).map(event),
    streamType: platform === "bedrock" ? "application/vnd.amazon.eventstream" : "text/event-stream",
    error: ({ message, type }) =>
      platform === "bedrock"
        ? { message }
        : { type: "error", error: { type: type ?? "x", message }, request_id: "req_1" },
    streamError: ({ message }) =>
      platform === "bedrock"
        ? new Uint8Array(encodeEventStream([{ exception: "modelStreamErrorException", payload: { message } }]))
        : sse({ type: "error", error: { type: "overloaded_error", message } }),
  };
}

function* rules(body: Json): Generator<string> {
  const { messages, thinking, max_tokens, tool_choice, temperature, tools } = body;
  if (messages[0].role !== "user") yield "messages.0: first message must use the user role";
  if (tool_choice !== undefined && tools === undefined) yield "tool_choice may only be specified with tools";
  const thinks = thinking !== undefined && thinking.type !== "disabled";
  if (thinking?.type === "enabled" && thinking.budget_tokens >= max_tokens) yield "max_tokens must exceed the budget";
  if (thinks && temperature !== undefined && temperature !== 1) yield "temperature may only be 1 beside thinking";
  if (thinks && /^(?:any|tool)$/.test(tool_choice?.type)) yield "thinking may not be enabled where tool_choice forces";
  const marks = JSON.stringify(body).match(/"cache_control":\{/g)?.length ?? 0;
  if (marks > 4) yield `at most 4 blocks with cache_control, found ${marks}`;
  let open = new Set<string>();
  for (const [at, { role, content }] of messages.entries()) {
    const blocks: Json[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
    if (open.size > 0) {
      const results = blocks.filter(({ type }) => type === "tool_result").map(({ tool_use_id }) => tool_use_id);
      for (const id of open)
        if (!results.includes(id)) yield `messages.${at}: tool_use ${id} without tool_result right after it`;
      if (blocks.slice(0, open.size).some(({ type }) => type !== "tool_result"))
        yield `messages.${at}: tool_result must come first`;
    }
    for (const each of blocks) {
      if (each.type === "tool_result" && !open.has(each.tool_use_id)) yield `messages.${at}: unexpected tool_use_id`;
      if (each.type === "thinking" && !isSignedBy("anthropic", each.signature))
        yield `messages.${at}: invalid signature in thinking block`;
    }
    open = new Set(role === "assistant" ? blocks.flatMap(({ type, id }) => (type === "tool_use" ? [id] : [])) : []);
  }
  if (open.size > 0) yield "tool_use without tool_result";
  const last = messages.findLast(({ role }: Json) => role === "assistant")?.content;
  const loops = messages.at(-1).content?.[0]?.type === "tool_result";
  if (thinking?.type === "enabled" && loops && !/thinking/.test(last[0].type))
    yield "a final assistant message must start with a thinking block";
}

function blockLine(each: Json): string {
  switch (each.type) {
    case "text":
      return textLine(each.text);
    case "image":
    case "document":
      return mediaLine("media", each.source.media_type, each.source.data);
    case "tool_use":
      return callLine(each.id, each.name, each.input);
    case "tool_result": {
      const { content = "" } = each;
      const said = typeof content === "string" ? content : content.map((part: Json) => part.text ?? "").join("\n");
      return resultLine(each.tool_use_id, said, each.is_error === true);
    }
    default:
      return reasoningLine(each.thinking ?? "", each.signature);
  }
}

const usageOf = (usage: Answer["usage"]) => ({
  input_tokens: usage!.prompt_tokens,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: usage!.completion_tokens,
});

const stopReason = (parts: readonly Part[]) => (parts.some(({ type }) => type === "call") ? "tool_use" : "end_turn");

function messageOf({ id, model, choices, usage }: Answer): Json {
  const { parts } = choices[0]!;
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content: parts.map(blockOf),
    stop_reason: stopReason(parts),
    stop_sequence: null,
    usage: usageOf(usage),
  };
}

function blockOf(part: Part): Json {
  if (part.type === "call")
    return { type: "tool_use", id: part.id, name: part.name, input: JSON.parse(part.arguments || "{}") };
  const said = "text" in part ? part.text : "";
  if (part.type === "reasoning") return { type: "thinking", thinking: said, signature: part.state?.value ?? "" };
  return { type: "text", text: said };
}

function streamed(answer: Answer): Json[] {
  const { parts } = answer.choices[0]!;
  const start = { ...messageOf(answer), content: [], stop_reason: null, usage: { input_tokens: 11, output_tokens: 1 } };
  return [
    { type: "message_start", message: start },
    { type: "ping" },
    ...parts.flatMap(blockEvents),
    {
      type: "message_delta",
      delta: { stop_reason: stopReason(parts), stop_sequence: null },
      usage: { output_tokens: answer.usage!.completion_tokens },
    },
    { type: "message_stop" },
  ];
}

function blockEvents(part: Part, index: number): Json[] {
  const delta = (of: Json) => ({ type: "content_block_delta", index, delta: of });
  const empty = { text: "", thinking: "", signature: "", input: {} };
  const whole = blockOf(part);
  const content_block = Object.fromEntries(
    Object.entries(whole).map(([name, value]) => [name, Object.hasOwn(empty, name) ? empty[name as "text"] : value]),
  );
  const deltas =
    whole.type === "tool_use"
      ? ["", ...cut(part.type === "call" ? part.arguments : "", 5)].map((partial_json) =>
          delta({ type: "input_json_delta", partial_json }),
        )
      : whole.type === "thinking"
        ? [
            ...cut(whole.thinking, 4).map((thinking) => delta({ type: "thinking_delta", thinking })),
            delta({ type: "signature_delta", signature: whole.signature }),
          ]
        : cut(whole.text, 4).map((said) => delta({ type: "text_delta", text: said }));
  return [{ type: "content_block_start", index, content_block }, ...deltas, { type: "content_block_stop", index }];
}
