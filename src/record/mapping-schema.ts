import { type Static, Type } from "@sinclair/typebox";
import type { ValueError } from "@sinclair/typebox/errors";
import { Value } from "@sinclair/typebox/value";

/**
 * How to read the bodies of a model whose path has no known wire format: either the known format that they have, or the
 * places of all values. Plain data, so that it can be stored, shown, edited and checked.
 */
const text = (description: string) => Type.Optional(Type.String({ maxLength: 500, description }));
const pointer = (description: string) => Type.String({ pattern: "^(/.*)?$", maxLength: 500, description });
const place = (description: string) => Type.Optional(pointer(description));
const object = <T extends Parameters<typeof Type.Object>[0]>(members: T, description: string) =>
  Type.Object(members, { additionalProperties: false, description });
const part = <T extends Parameters<typeof Type.Object>[0]>(members: T, description: string) =>
  Type.Optional(object(members, description));

const ToolCalls = part(
  {
    list: pointer("The calls."),
    name: pointer("Of the tool, from the call."),
    arguments: place("From the call."),
    id: place("From the call."),
  },
  "Calls of tools.",
);

const Messages = part(
  {
    list: pointer("The messages, with `*` for each of them."),
    role: place("From the message; missing where users and the assistant take turns, or the role is its only member."),
    role_is_name: Type.Optional(Type.Boolean({ description: 'A message is { "<role>": "<text>" }.' })),
    text: place("From the message."),
    roles: Type.Optional(
      Type.Record(Type.String({ maxLength: 200 }), Type.String({ maxLength: 50 }), {
        description: "Role names of the wire to user, assistant, system, developer or tool.",
      }),
    ),
    tool_calls: ToolCalls,
  },
  "The conversation.",
);

const TOKENS = {
  prompt_tokens: place("All input, or the part that is in no other count."),
  completion_tokens: place("All output."),
  total_tokens: place("Both."),
  prompt_cache_read_tokens: place("The part that came from a cache."),
  reasoning_tokens: place("The reasoning part of the output."),
};

const READING = {
  text: place("The response's text; several values are joined."),
  reasoning: place("The reasoning text."),
  model: place("The responding model."),
  id: place("The provider's id of the response."),
  usage: part(TOKENS, "Token counts."),
  cost: place("US dollars, as the provider states them."),
  tool_calls: ToolCalls,
  error: part({ message: pointer("The error message."), type: place("The kind of failure.") }, "A failure."),
};

const Delta = part(
  {
    path: pointer("From the event's data."),
    mode: Type.Union([Type.Literal("append"), Type.Literal("replace")], {
      description: "Pieces to join, or each time the complete text so far.",
    }),
    event: text("Only in events of this SSE name."),
    when: part({ path: pointer("From the event's data."), equals: Type.String({ maxLength: 200 }) }, "Only where."),
  },
  "Text that a stream sends in pieces.",
);

const MappingSchema = object(
  {
    format: Type.Literal(1),
    wire_schema: text("A known wire schema; then no other member is needed."),
    request: part(
      {
        model: place("The requested model."),
        messages: Messages,
        prompt: place("The prompt, or the newest message if `messages` holds what came before."),
        system: place("Separate instructions."),
        settings: Type.Optional(
          object(
            {
              max_tokens: place("Limit of the output."),
              temperature: place("As everywhere."),
              top_p: place("As everywhere."),
              seed: place("As everywhere."),
              stream: place("As everywhere."),
            },
            "Sampling settings.",
          ),
        ),
        tools: part(
          {
            list: pointer("The tools, with `*` for each of them."),
            name: pointer("From the tool."),
            description: place("From the tool."),
            parameters: place("From the tool."),
          },
          "Tools that may be called.",
        ),
      },
      "Places of values in requests.",
    ),
    response: part(READING, "Places of values in complete responses."),
    stream: part(
      { ...READING, text: Delta, reasoning: Delta },
      "Places of values in a stream: deltas from each event, everything else from the merged members of all events.",
    ),
  },
  "How to read a model's bodies. Places are JSON Pointers; `*` stands for every element of a list.",
);

export type Mapping = Static<typeof MappingSchema>;
export type RequestPlaces = NonNullable<Mapping["request"]>;
export type MessagePlaces = NonNullable<RequestPlaces["messages"]>;
export type ReadingPlaces = NonNullable<Mapping["response"]>;
export type StreamPlaces = NonNullable<Mapping["stream"]>;
export type ToolCallPlaces = NonNullable<ReadingPlaces["tool_calls"]>;
export type DeltaPlace = NonNullable<StreamPlaces["text"]>;
export type UsagePlaces = NonNullable<ReadingPlaces["usage"]>;

/**
 * The first invalid member with its error; undefined if all are valid. Does not check whether the places suffice.
 *
 * @param inWords - what the error asks for.
 */
export function formFaultOf(value: unknown, inWords: (error: ValueError) => string): MappingFault | undefined {
  const first = Value.Errors(MappingSchema, value).First();
  if (first === undefined) return undefined;
  const path = first.path.slice(1).replaceAll("/", ".");
  const isPointer = first.schema["pattern"] !== undefined && first.value !== undefined;
  return { path, message: isPointer ? "must be a JSON Pointer such as /choices/0/text" : inWords(first) };
}

export interface MappingFault {
  readonly path: string;
  readonly message: string;
}

/** Whether the places suffice: where the request's text is, and where the response's text is. */
export function placesFaultOf({ request, response, stream }: Mapping): MappingFault | undefined {
  if (request?.messages === undefined && request?.prompt === undefined) {
    return { path: "request", message: "say where the messages or the prompt are" };
  }
  const isRead = [response?.text, response?.tool_calls, stream?.text, stream?.tool_calls].some(
    (at) => at !== undefined,
  );
  return isRead ? undefined : { path: "response", message: "say where the response's text is, or its tool calls" };
}
