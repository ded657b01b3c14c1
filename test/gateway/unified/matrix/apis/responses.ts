import { z } from "zod";
import type { Answer, Json, Part } from "../../../../../src/plugin-host/contract.ts";
import { callLine, cut, mediaLine, reasoningLine, resultLine, textLine } from "../../../../mapping/shapes/oracle.ts";
import { type Api, first, isSignedBy, namedEvent, problemIn } from "./api.ts";
import { strictProblems } from "./chat.ts";

const name = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const ids = { id: z.string().max(64).nullable().optional(), status: z.string().optional() };
const inputText = z.strictObject({ type: z.literal("input_text"), text: z.string() });
const inputImage = z.strictObject({
  type: z.literal("input_image"),
  image_url: z
    .string()
    .regex(/^(?:https:|data:image\/)/)
    .nullable()
    .optional(),
  file_id: z.string().nullable().optional(),
  detail: z.enum(["auto", "low", "high"]).nullable().optional(),
});
const inputFile = z.strictObject({
  type: z.literal("input_file"),
  filename: z.string().optional(),
  file_data: z.string().startsWith("data:").optional(),
  file_url: z.string().optional(),
  file_id: z.string().optional(),
});
const input = z.discriminatedUnion("type", [inputText, inputImage, inputFile]);
const outputText = z.strictObject({
  type: z.literal("output_text"),
  text: z.string(),
  annotations: z.array(z.any()).optional(),
  logprobs: z.array(z.any()).optional(),
});
const refusal = z.strictObject({ type: z.literal("refusal"), refusal: z.string() });
const result = { call_id: z.string().min(1).max(64), output: z.union([z.string(), z.array(input)]), ...ids };
const item = z.union([
  z.strictObject({
    type: z.literal("message").optional(),
    role: z.enum(["user", "system", "developer"]),
    content: z.union([z.string(), z.array(input).min(1)]),
    ...ids,
  }),
  z.strictObject({
    type: z.literal("message").optional(),
    role: z.literal("assistant"),
    content: z.union([z.string(), z.array(z.discriminatedUnion("type", [outputText, refusal])).min(1)]),
    phase: z.string().optional(),
    ...ids,
  }),
  z.strictObject({
    type: z.literal("function_call"),
    call_id: z.string().min(1).max(64),
    name,
    namespace: z.string().optional(),
    arguments: z.string(),
    ...ids,
  }),
  z.strictObject({ type: z.literal("function_call_output"), ...result }),
  z.strictObject({
    type: z.literal("custom_tool_call"),
    call_id: z.string().min(1).max(64),
    name,
    input: z.string(),
    ...ids,
  }),
  z.strictObject({ type: z.literal("custom_tool_call_output"), ...result }),
  z.strictObject({
    type: z.literal("reasoning"),
    summary: z.array(z.strictObject({ type: z.literal("summary_text"), text: z.string() })),
    content: z.array(z.any()).nullable().optional(),
    encrypted_content: z.string().nullable().optional(),
    ...ids,
  }),
  z.strictObject({
    type: z.literal("local_shell_call"),
    call_id: z.string(),
    action: z.any(),
    ...ids,
  }),
  z.strictObject({ type: z.literal("local_shell_call_output"), call_id: z.string(), output: z.string(), ...ids }),
]);
const functionTool = z.strictObject({
  type: z.literal("function"),
  name,
  description: z.string().nullable().optional(),
  parameters: z.looseObject({ type: z.literal("object") }).nullable(),
  strict: z.boolean().nullable().optional(),
});
const tool = z.union([
  functionTool,
  z.strictObject({
    type: z.literal("custom"),
    name,
    description: z.string().optional(),
    format: z
      .union([
        z.strictObject({ type: z.literal("text") }),
        z.strictObject({ type: z.literal("grammar"), syntax: z.enum(["lark", "regex"]), definition: z.string() }),
      ])
      .optional(),
  }),
  z.strictObject({
    type: z.literal("namespace"),
    name,
    description: z.string(),
    tools: z.array(functionTool).min(1),
  }),
  z.strictObject({ type: z.literal("local_shell") }),
  z.strictObject({
    type: z.enum(["web_search", "web_search_preview"]),
    external_web_access: z.boolean().optional(),
    search_context_size: z.enum(["low", "medium", "high"]).optional(),
    user_location: z.looseObject({ type: z.literal("approximate") }).optional(),
    filters: z.strictObject({ allowed_domains: z.array(z.string()) }).optional(),
  }),
]);
const format = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text") }),
  z.strictObject({ type: z.literal("json_object") }),
  z.strictObject({
    type: z.literal("json_schema"),
    name,
    description: z.string().nullable().optional(),
    schema: z.looseObject({}),
    strict: z.boolean().nullable().optional(),
  }),
]);
const request = z.strictObject({
  model: z.string(),
  instructions: z.string().nullable().optional(),
  input: z.union([z.string(), z.array(item)]).optional(),
  tools: z.array(tool).optional(),
  tool_choice: z
    .union([
      z.enum(["none", "auto", "required"]),
      z.strictObject({ type: z.enum(["function", "custom"]), name }),
      z.strictObject({ type: z.literal("allowed_tools"), mode: z.enum(["auto", "required"]), tools: z.array(z.any()) }),
    ])
    .optional(),
  parallel_tool_calls: z.boolean().nullable().optional(),
  max_output_tokens: z.int().min(16).nullable().optional(),
  temperature: z.number().min(0).max(2).nullable().optional(),
  top_p: z.number().min(0).max(1).nullable().optional(),
  reasoning: z
    .strictObject({
      effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh"]).nullable().optional(),
      summary: z.enum(["auto", "concise", "detailed"]).nullable().optional(),
    })
    .nullable()
    .optional(),
  text: z
    .strictObject({ format: format.optional(), verbosity: z.enum(["low", "medium", "high"]).optional() })
    .optional(),
  include: z
    .array(z.enum(["reasoning.encrypted_content", "message.output_text.logprobs"]))
    .nullable()
    .optional(),
  top_logprobs: z.int().max(20).optional(),
  truncation: z.enum(["auto", "disabled"]).optional(),
  store: z.boolean().nullable().optional(),
  user: z.string().optional(),
  prompt_cache_key: z.string().optional(),
  client_metadata: z.record(z.string(), z.string()).optional(),
  metadata: z.record(z.string(), z.string()).nullable().optional(),
  service_tier: z.string().nullable().optional(),
  stream: z.boolean().nullable().optional(),
});

/** OpenAI's responses. Source: OpenAI's API reference. */
export const responsesApi: Api = {
  refuses: (body) => problemIn(request, body) ?? first(rules(body)),
  lines: ({ instructions, input }) => [
    ...(typeof instructions === "string" && instructions !== "" ? [`system ${textLine(instructions)}`] : []),
    ...(typeof input === "string" ? [{ role: "user", content: input }] : (input ?? [])).flatMap(itemLines),
  ],
  answer: (answer) => responseOf(answer, "completed"),
  events: (answer) =>
    streamed(answer).map(({ type, ...members }, sequence_number) =>
      namedEvent(type, { type, sequence_number, ...members }),
    ),
  streamType: "text/event-stream",
  error: ({ message, code, type }) => ({ error: { message, type: type ?? "x", param: null, code: code ?? null } }),
  streamError: ({ message }) =>
    namedEvent("response.failed", {
      type: "response.failed",
      sequence_number: 99,
      response: {
        id: "resp_1",
        object: "response",
        status: "failed",
        error: { code: "server_error", message },
        output: [],
      },
    }),
};

function* rules(body: Json): Generator<string> {
  const { input, tools = [], tool_choice } = body;
  if (tools.length === 0 && tool_choice !== undefined && tool_choice !== "auto" && tool_choice !== "none")
    yield "tool_choice without tools";
  // A function that does not say `strict` is strict.
  for (const each of tools)
    if (each.type === "function" && each.strict === true) yield* strictProblems(each.parameters);
  if (body.text?.format?.strict === true) yield* strictProblems(body.text.format.schema);
  if (typeof input === "string" || input === undefined) return;
  const open = new Map<string, string>();
  for (const [at, each] of input.entries()) {
    const next = input[at + 1];
    if (each.type === "reasoning") {
      if (each.encrypted_content != null && !isSignedBy("openai", each.encrypted_content))
        yield `input.${at}: the encrypted content could not be verified`;
      if (next === undefined || next.role === "user") yield `input.${at}: reasoning without its following item`;
    } else if (/_call$/.test(each.type ?? "")) {
      open.set(each.call_id, each.type);
      if (each.type === "function_call" && each.arguments === "") yield `input.${at}: a call without arguments`;
    } else if (/_call_output$/.test(each.type ?? "")) {
      if (open.get(each.call_id) !== each.type.replace("_output", ""))
        yield `input.${at}: no tool call found for ${each.type} ${each.call_id}`;
      open.delete(each.call_id);
    }
  }
  if (open.size > 0) yield `no tool output found for call ${[...open.keys()]}`;
}

function itemLines(each: Json): string[] {
  const role = each.role === "developer" ? "system" : each.role;
  switch (each.type ?? "message") {
    case "message": {
      const parts = typeof each.content === "string" ? [{ type: "input_text", text: each.content }] : each.content;
      return parts.map((part: Json) => `${role} ${partLine(part)}`);
    }
    case "function_call":
      return [`assistant ${callLine(each.call_id, each.name, JSON.parse(each.arguments))}`];
    case "custom_tool_call":
      return [`assistant ${callLine(each.call_id, each.name, each.input)}`];
    case "function_call_output":
    case "custom_tool_call_output": {
      const { output, call_id } = each;
      const text = typeof output === "string" ? output : output.map((part: Json) => part.text ?? "").join("\n");
      return [`user ${resultLine(call_id, text, false)}`];
    }
    case "reasoning":
      return [
        `assistant ${reasoningLine(each.summary.map(({ text }: Json) => text).join("\n\n"), each.encrypted_content ?? undefined)}`,
      ];
    default:
      return [`${each.type}`];
  }
}

function partLine(part: Json): string {
  if (part.text !== undefined) return textLine(part.text);
  const found = /^data:([^;]+);base64,(.*)$/.exec(part.image_url ?? part.file_data);
  return mediaLine("media", found![1]!, found![2]!);
}

function responseOf({ id, model, choices, usage }: Answer, status: string, output?: readonly Json[]): Json {
  return {
    id,
    object: "response",
    created_at: 1,
    status,
    error: null,
    incomplete_details: null,
    instructions: null,
    model,
    output: output ?? choices[0]!.parts.map(itemOf),
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    usage:
      status === "completed"
        ? {
            input_tokens: usage!.prompt_tokens,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens: usage!.completion_tokens,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: usage!.prompt_tokens! + usage!.completion_tokens!,
          }
        : null,
  };
}

function itemOf(part: Part, at: number): Json {
  if (part.type === "call" && part.custom === true)
    return {
      id: `ctc_${at}`,
      type: "custom_tool_call",
      status: "completed",
      call_id: part.id,
      name: part.name,
      input: part.arguments,
    };
  if (part.type === "call")
    return {
      id: `fc_${at}`,
      type: "function_call",
      status: "completed",
      call_id: part.id,
      name: part.name,
      arguments: part.arguments,
    };
  const text = "text" in part ? part.text : "";
  if (part.type === "reasoning")
    return {
      id: `rs_${at}`,
      type: "reasoning",
      summary: [{ type: "summary_text", text }],
      ...(part.state !== undefined && { encrypted_content: part.state.value }),
    };
  return {
    id: `msg_${at}`,
    type: "message",
    status: "completed",
    role: "assistant",
    content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
  };
}

function streamed(answer: Answer): Json[] {
  const response = responseOf(answer, "in_progress", []);
  const { parts } = answer.choices[0]!;
  return [
    { type: "response.created", response },
    { type: "response.in_progress", response },
    ...parts.flatMap(itemEvents),
    { type: "response.completed", response: responseOf(answer, "completed") },
  ];
}

function itemEvents(part: Part, output_index: number): Json[] {
  const item = itemOf(part, output_index);
  const at = { item_id: item.id, output_index };
  const text = part.type === "call" ? part.arguments : "text" in part ? part.text : "";
  const deltas = (type: string, more: Json = {}) =>
    cut(text, 4).map((delta) => ({ type: `response.${type}.delta`, ...at, ...more, delta }));
  const added = (empty: Json) => ({ type: "response.output_item.added", output_index, item: { ...item, ...empty } });
  const done = { type: "response.output_item.done", output_index, item };
  if (item.type === "function_call")
    return [
      added({ arguments: "", status: "in_progress" }),
      ...deltas("function_call_arguments"),
      { type: "response.function_call_arguments.done", ...at, arguments: text, name: item.name },
      done,
    ];
  if (item.type === "custom_tool_call")
    return [
      added({ input: "", status: "in_progress" }),
      ...deltas("custom_tool_call_input"),
      { type: "response.custom_tool_call_input.done", ...at, input: text },
      done,
    ];
  if (item.type === "reasoning") {
    const of = { ...at, summary_index: 0 };
    return [
      added({ summary: [] }),
      { type: "response.reasoning_summary_part.added", ...of, part: { type: "summary_text", text: "" } },
      ...deltas("reasoning_summary_text", { summary_index: 0 }),
      { type: "response.reasoning_summary_text.done", ...of, text },
      { type: "response.reasoning_summary_part.done", ...of, part: { type: "summary_text", text } },
      done,
    ];
  }
  const of = { ...at, content_index: 0 };
  const whole = { type: "output_text", text, annotations: [], logprobs: [] };
  return [
    added({ content: [], status: "in_progress" }),
    { type: "response.content_part.added", ...of, part: { ...whole, text: "" } },
    ...deltas("output_text", { content_index: 0, logprobs: [] }),
    { type: "response.output_text.done", ...of, text, logprobs: [] },
    { type: "response.content_part.done", ...of, part: whole },
    done,
  ];
}
