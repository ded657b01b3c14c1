import type { Json, Reading, Usage } from "../plugin-host/contract.ts";
import type { LlmMessage, LlmRequest, LlmResponse, LlmToolCall } from "../record/llm-schema.ts";
import { foldMapped, withoutDeltas } from "./fold-mapped.ts";
import { booleanOf, countOf, filledText, isObject, isText, numberOf, pickDefined, scalarText, textOf } from "./json.ts";
import { messagesOf, responseOf, roleOf } from "./llm/messages.ts";
import { plainText } from "./llm/parts.ts";
import { toolCall } from "./llm/tools.ts";
import {
  isWireSchema,
  type Mapping,
  type MessagePlaces,
  type ReadingPlaces,
  type RequestPlaces,
  type StreamPlaces,
  type ToolCallPlaces,
} from "./mapping.ts";
import { type Pointer, valueAt, valuesAt } from "./pointer.ts";
import { WIRE_SCHEMAS } from "./wire/index.ts";
import type { WireSchema } from "./wire-schema.ts";

/** The value of a record's `wire_schema` if a mapping read it. */
export const MAPPED = "mapped";

/** A wire format without its name and its paths. */
export type MappedSchema = Omit<WireSchema, "name" | "path">;

const schemas = new WeakMap<Mapping, MappedSchema>();

/** The reader described by a mapping. Pure; its functions never throw, for any body. */
export function mappedSchema(mapping: Mapping): MappedSchema {
  const known = schemas.get(mapping);
  if (known !== undefined) return known;
  const { wire_schema: name } = mapping;
  const schema = name !== undefined && isWireSchema(name) ? WIRE_SCHEMAS[name] : describedSchema(mapping);
  schemas.set(mapping, schema);
  return schema;
}

function describedSchema({ request = {}, response = {}, stream = {} }: Mapping): MappedSchema {
  const { messages, prompt } = request;
  const readers = responseReaders(response, stream);
  return {
    llmType: messages === undefined ? "completion" : "chat",
    fits: (body, response) =>
      (messages !== undefined && valuesAt(body, messages.list).length > 0) ||
      promptAt(body, prompt) !== undefined ||
      (body === undefined && readers.completionText(response) !== undefined),
    ...requestReaders(request),
    ...readers,
  };
}

function requestReaders(request: RequestPlaces): Pick<MappedSchema, "promptText" | "llmRequest"> {
  const { messages, prompt } = request;
  const messagesIn = (body: Json): LlmMessage[] => {
    const system = joined(body, request.system);
    const newest = messages === undefined ? undefined : joined(body, prompt);
    return [
      ...(system === undefined ? [] : messagesOf("system", system)),
      ...(messages === undefined ? [] : conversation(body, messages)),
      ...(newest === undefined ? [] : messagesOf("user", newest)),
    ];
  };
  return {
    promptText: (body) => joined(body, prompt) ?? lastOfUser(messagesIn(body)) ?? promptAt(body, prompt),
    llmRequest: (body): LlmRequest => {
      const before = messagesIn(body);
      return pickDefined({
        ...settingsAt(body, request.settings ?? {}),
        prompt: messages === undefined ? promptAt(body, prompt) : undefined,
        messages: before.length > 0 ? before : undefined,
        tools: toolsAt(body, request.tools),
      });
    },
  };
}

/** A response is first read as a complete one; if that yields nothing, as a folded stream. */
function responseReaders(
  response: ReadingPlaces,
  stream: StreamPlaces,
): Pick<MappedSchema, "fold" | "readResponse" | "completionText" | "llmResponse"> {
  const readers = [response, withoutDeltas(stream, response)];
  const first = <T>(read: (places: ReadingPlaces) => T | undefined): T | undefined => {
    for (const places of readers) {
      const found = read(places);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const completionText = (response: Json) => first(({ text }) => joined(response, text));
  const calls = (response: Json) => first(({ tool_calls }) => filledList(callsAt(response, tool_calls))) ?? [];
  return {
    completionText,
    fold: (events) => foldMapped(events, stream, response),
    readResponse: (body): Reading =>
      pickDefined({
        id: first(({ id }) => textAt(body, id)),
        model: first(({ model }) => textAt(body, model)),
        usage: usageAt(body, readers),
        usageRaw: first(({ usage }) => usageBlock(body, usage)),
        cost: first(({ cost }) => numberOf(valueAt(body, cost))),
        error: first(({ error }) => errorAt(body, error)),
      }) as Reading,
    llmResponse: (response): LlmResponse => {
      const text = completionText(response);
      const called = calls(response);
      const reasoning = first((places) => joined(response, places.reasoning));
      if (text === undefined && called.length === 0) return {};
      const beside = {
        reasoning,
        id: first(({ id }) => textAt(response, id)),
        ...(called.length > 0 && { calls: called }),
      };
      return { messages: [responseOf("assistant", text, beside)] };
    },
  };
}

function conversation(body: Json, places: MessagePlaces): LlmMessage[] {
  const list = valuesAt(body, places.list);
  return list.flatMap((message, index) => {
    const { role, text } = roleAndText(message, places, list.length - 1 - index);
    const calls = callsAt(message, places.tool_calls);
    return messagesOf(role, text, calls.length > 0 ? { calls } : {});
  });
}

function roleAndText(message: Json, places: MessagePlaces, fromEnd: number): { role: string | undefined; text: Json } {
  const { role, text, role_is_name: isName } = places;
  if (isName && isObject(message)) {
    const [name, said] = Object.entries(message)[0] ?? [];
    return { role: meaningOf(name, places), text: said };
  }
  const content = text === undefined ? message : contentOf(valuesAt(message, text));
  if (role === undefined) return { role: fromEnd % 2 === 0 ? "user" : "assistant", text: content };
  return { role: meaningOf(scalarText(valueAt(message, role)), places), text: content };
}

/** One text, or content parts of a known type, unchanged; several texts are joined. */
function contentOf(values: readonly Json[]): Json {
  if (values.length === 1) return values[0];
  return values.every(isText) ? values.join("") : values;
}

function meaningOf(role: Json, { roles = {} }: MessagePlaces): string | undefined {
  const name = textOf(role);
  return name !== undefined && Object.hasOwn(roles, name) ? roles[name] : roleOf(name);
}

function lastOfUser(messages: readonly LlmMessage[]): string | undefined {
  return messages.findLast(({ role, content }) => role === "user" && content)?.content;
}

/** The text at a place; several texts are joined. */
function joined(body: Json, at: Pointer | undefined): string | undefined {
  if (at === undefined) return undefined;
  return filledText(
    valuesAt(body, at)
      .map((value) => plainText(value) ?? "")
      .join(""),
  );
}

/** The prompt, even if empty, because it was sent. */
function promptAt(body: Json, at: Pointer | undefined): string | undefined {
  return joined(body, at) ?? (at !== undefined && valuesAt(body, at).some(isText) ? "" : undefined);
}

function textAt(body: Json, at: Pointer | undefined): string | undefined {
  const value = valueAt(body, at);
  return typeof value === "number" ? `${value}` : filledText(value);
}

function callsAt(body: Json, places: ToolCallPlaces | undefined): LlmToolCall[] {
  if (places === undefined) return [];
  return valuesAt(body, places.list)
    .flat()
    .filter(isObject)
    .filter((call) => filledText(valueAt(call, places.name)) !== undefined)
    .map((call) => toolCall(valueAt(call, places.name), valueAt(call, places.arguments), textAt(call, places.id)));
}

const filledList = <T>(list: readonly T[]) => (list.length > 0 ? list : undefined);

/**
 * Counts come from complete responses and from streams: each is read where it is present. A part never exceeds its total.
 */
function usageAt(body: Json, readers: readonly ReadingPlaces[]): Usage | undefined {
  const usage: Record<string, number> = {};
  for (const { usage: places } of readers) {
    for (const [name, at] of Object.entries(places ?? {})) {
      const count = countOf(valueAt(body, at as Pointer));
      if (count !== undefined) usage[name] ??= count;
    }
  }
  return Object.keys(usage).length === 0 ? undefined : usage;
}

/** The object that contains the counts. */
function usageBlock(body: Json, places: ReadingPlaces["usage"]): Json {
  const at = places?.prompt_tokens ?? places?.completion_tokens ?? places?.total_tokens;
  const block = at === undefined ? undefined : valueAt(body, at.slice(0, at.lastIndexOf("/")));
  return isObject(block) && block !== body ? block : undefined;
}

function errorAt(body: Json, places: ReadingPlaces["error"]): Reading["error"] {
  const message = textAt(body, places?.message);
  if (message === undefined) return undefined;
  return pickDefined({ message, type: textAt(body, places?.type) }) as NonNullable<Reading["error"]>;
}

type SettingPlaces = { readonly [name: string]: Pointer | undefined };

function settingsAt(body: Json, places: SettingPlaces): LlmRequest {
  const read = ([name, at]: [string, Pointer | undefined]) => {
    const value = valueAt(body, at);
    return [name, name === "stream" ? booleanOf(value) : numberOf(value)] as const;
  };
  return pickDefined(Object.fromEntries(Object.entries(places).map(read)));
}

function toolsAt(body: Json, places: NonNullable<Mapping["request"]>["tools"]): LlmRequest["tools"] {
  if (places === undefined) return undefined;
  const tools = valuesAt(body, places.list)
    .filter(isObject)
    .map((tool) => {
      const parameters = valueAt(tool, places.parameters);
      return pickDefined({
        name: textAt(tool, places.name),
        description: textAt(tool, places.description),
        parameters: isObject(parameters) ? parameters : undefined,
      });
    });
  return tools.length > 0 ? tools : undefined;
}
