import { type Static, Type } from "@sinclair/typebox";

/**
 * The neutral schema into which every provider's bodies are translated. No member is required: missing values are omitted.
 * Names and enumerations are the public contract. A provider's value outside an enumeration is kept in lower case, so
 * enumerated members are plain strings here; `LLM_VALUES` lists the known values.
 */
const text = Type.Optional(Type.String());
const number = Type.Optional(Type.Number());
const boolean = Type.Optional(Type.Boolean());
const object = <T extends Parameters<typeof Type.Object>[0]>(members: T) =>
  Type.Object(members, { additionalProperties: false });
const stamp = Type.Optional(object({ timestamp: text }));

const ToolCall = object({ name: text, arguments: Type.Optional(Type.Object({})), id: text });

const Annotation = object({ title: text, url: text, type: text, content: text });

/** Members common to messages and response items. */
const PART = {
  _type: text,
  type: text,
  role: text,
  detail: text,
  filename: text,
  file_id: text,
  file_data: text,
  audio_data: text,
  image_url: text,
  timestamp: text,
  tool_call_id: text,
  name: text,
  id: text,
  idx: number,
  contentArray: Type.Optional(Type.Array(Type.Unknown())),
  tool_calls: Type.Optional(Type.Array(ToolCall)),
} as const;

const Message = object({
  ...PART,
  ending_event_id: text,
  trigger_event_id: text,
  start_timestamp: text,
  reasoning: text,
  mime_type: text,
  content: text,
  instruction: text,
  deleted: boolean,
  annotations: Type.Optional(Type.Array(Annotation)),
});

const ResponseItem = object({ ...PART, text });

const Tool = object({ name: text, description: text, parameters: Type.Optional(Type.Object({})) });

const Request = object({
  llm_type: text,
  provider: text,
  model: text,
  messages: Type.Optional(Type.Array(Message)),
  prompt: text,
  instructions: text,
  max_tokens: number,
  temperature: number,
  top_p: number,
  seed: number,
  stream: boolean,
  presence_penalty: number,
  frequency_penalty: number,
  stop: Type.Optional(Type.Array(Type.String())),
  reasoning_effort: text,
  verbosity: text,
  tools: Type.Optional(Type.Array(Tool)),
  parallel_tool_calls: boolean,
  tool_choice: Type.Optional(object({ type: text, name: text })),
  response_format: Type.Optional(object({ type: text, json_schema: Type.Optional(Type.Unknown()) })),
  toolDetails: Type.Optional(object({ _type: text, toolName: text, input: Type.Optional(Type.Unknown()) })),
  vectorDBDetails: Type.Optional(
    object({
      _type: text,
      operation: text,
      text,
      vector: Type.Optional(Type.Array(Type.Number())),
      topK: number,
      filter: Type.Optional(Type.Object({})),
      databaseName: text,
    }),
  ),
  dataDetails: Type.Optional(object({ _type: text, name: text, meta: Type.Optional(Type.Object({})) })),
  input: text,
  n: number,
  size: text,
  quality: text,
});

const Response = object({
  dataDetailsResponse: Type.Optional(object({ name: text, _type: text, metadata: stamp, message: text, status: text })),
  vectorDBDetailsResponse: Type.Optional(
    object({
      _type: text,
      metadata: Type.Optional(object({ timestamp: text, destination_parsed: boolean, destination: text })),
      message: text,
      status: text,
      actualSimilarity: number,
      similarityThreshold: number,
    }),
  ),
  toolDetailsResponse: Type.Optional(
    object({
      toolName: text,
      _type: text,
      metadata: stamp,
      tips: Type.Optional(Type.Array(Type.String())),
      message: text,
      status: text,
    }),
  ),
  error: Type.Optional(object({ gatewayMessage: Type.Unknown() })),
  model: text,
  instructions: text,
  responses: Type.Optional(Type.Array(ResponseItem)),
  messages: Type.Optional(Type.Array(Message)),
});

export const LlmSchema = object({ request: Request, response: Response });

export type LlmSchema = Static<typeof LlmSchema>;
export type LlmRequest = Static<typeof Request>;
export type LlmResponse = Static<typeof Response>;
export type LlmMessage = Static<typeof Message>;
export type LlmResponseItem = Static<typeof ResponseItem>;
export type LlmToolCall = Static<typeof ToolCall>;
export type LlmAnnotation = Static<typeof Annotation>;
