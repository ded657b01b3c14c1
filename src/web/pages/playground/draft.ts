import { jsonObject, jsonValue } from "../../parts/json-text.ts";

/** The API shapes in which the playground writes requests. */
export const SHAPES = { "chat-completions": "Chat completions", responses: "Responses", messages: "Messages" } as const;
export type Shape = keyof typeof SHAPES;

export type Body = Readonly<Record<string, unknown>>;

/** A message with only a role and a text is edited in fields; any other as JSON. */
export type DraftMessage = { readonly role: string; readonly text: string } | { readonly json: string };

export const ROLES = ["system", "user", "assistant"] as const;

/** Settings with a field of their own, and the typed values. */
const SETTINGS = ["max_tokens", "temperature", "top_p", "reasoning_effort", "seed", "stop"] as const;
export type Setting = (typeof SETTINGS)[number];

/** A chat request in fields. */
export interface FormPrompt {
  readonly messages: readonly DraftMessage[];
  readonly settings: Readonly<Record<Setting, string>>;
  /** JSON of a list. */
  readonly tools: string;
  /** JSON of an object: the members without a field. */
  readonly rest: string;
}

/** A request of any of the APIs as JSON, without its model and `stream`. */
interface JsonPrompt {
  readonly shape: Shape;
  readonly json: string;
}

export type Prompt = FormPrompt | JsonPrompt;

/** The contents of the playground's form. */
export interface Draft {
  readonly models: readonly string[];
  readonly prompt: Prompt;
  readonly stream: boolean;
  /** Refuse the request rather than lose a member in translation. */
  readonly refuseLosses: boolean;
}

const NO_SETTINGS = Object.fromEntries(SETTINGS.map((name) => [name, ""])) as FormPrompt["settings"];

export const EMPTY: Draft = {
  models: [""],
  prompt: {
    messages: [
      { role: "system", text: "" },
      { role: "user", text: "" },
    ],
    settings: NO_SETTINGS,
    tools: "",
    rest: "",
  },
  stream: true,
  refuseLosses: false,
};

/** A member of a draft that cannot be sent, and its field. */
export class DraftError extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

export const shapeOf = (prompt: Prompt): Shape => ("json" in prompt ? prompt.shape : "chat-completions");

/** The body without model and stream. @throws DraftError. */
export function promptBody(prompt: Prompt): Body {
  if ("json" in prompt) {
    const body = jsonObject(prompt.json) ?? "give a JSON object";
    if (typeof body === "string") throw new DraftError("json", body);
    return body;
  }
  const messages = prompt.messages.flatMap(messageOf);
  if (messages.length === 0) throw new DraftError("messages", "write a message");
  const rest = jsonObject(prompt.rest) ?? {};
  if (typeof rest === "string") throw new DraftError("rest", rest);
  const tools = toolsOf(prompt.tools);
  return { messages, ...(tools.length > 0 && { tools }), ...settingsOf(prompt.settings), ...rest };
}

function messageOf(message: DraftMessage, at: number): readonly unknown[] {
  if ("json" in message) {
    const read = jsonObject(message.json) ?? "give a JSON object";
    if (typeof read === "string") throw new DraftError(`messages.${at}`, read);
    return [read];
  }
  return message.text.trim() === "" ? [] : [{ role: message.role, content: message.text }];
}

function toolsOf(text: string): readonly unknown[] {
  if (text.trim() === "") return [];
  const value = jsonValue(text);
  if (value instanceof Error) throw new DraftError("tools", value.message);
  if (!Array.isArray(value)) throw new DraftError("tools", "give a JSON list of tools");
  return value.map(asTool);
}

/** A tool may be given as its function alone. */
function asTool(tool: unknown): unknown {
  const isFunction = typeof tool === "object" && tool !== null && "name" in tool && !("type" in tool);
  return isFunction ? { type: "function", function: tool } : tool;
}

function settingsOf(settings: FormPrompt["settings"]): Body {
  const given = SETTINGS.filter((name) => settings[name].trim() !== "");
  return Object.fromEntries(given.map((name) => [name, settingOf(name, settings[name].trim())]));
}

function settingOf(name: Setting, text: string): unknown {
  if (name === "reasoning_effort") return text;
  if (name === "stop") return text.split("\n");
  const number = Number(text);
  if (Number.isNaN(number)) throw new DraftError(name, "give a number");
  return number;
}

/** A chat body in fields; members without a field stay as JSON. Undefined if it has no list of messages. */
export function formPrompt(body: Body): FormPrompt | undefined {
  const { messages, tools, model: _model, stream: _stream, max_completion_tokens, ...more } = body;
  if (!Array.isArray(messages)) return undefined;
  const members: Record<string, unknown> = { ...more };
  if (max_completion_tokens !== undefined) members["max_tokens"] = max_completion_tokens;
  const settings: Record<string, string> = { ...NO_SETTINGS };
  for (const name of SETTINGS) {
    const text = settingText(name, members[name]);
    if (text === undefined) continue;
    settings[name] = text;
    delete members[name];
  }
  return {
    messages: messages.map(draftMessage),
    settings: settings as FormPrompt["settings"],
    tools: tools === undefined ? "" : pretty(tools),
    rest: Object.keys(members).length === 0 ? "" : pretty(members),
  };
}

/** Undefined if the value does not fit the field. */
function settingText(name: Setting, value: unknown): string | undefined {
  if (name === "stop") {
    const all = typeof value === "string" ? [value] : value;
    const fits = Array.isArray(all) && all.every((each) => typeof each === "string" && !each.includes("\n"));
    return fits ? all.join("\n") : undefined;
  }
  if (name === "reasoning_effort") return typeof value === "string" ? value : undefined;
  return typeof value === "number" ? String(value) : undefined;
}

function draftMessage(message: unknown): DraftMessage {
  const { role, content, ...more } = (message ?? {}) as Body;
  const isPlain = typeof content === "string" && (ROLES as readonly unknown[]).includes(role);
  if (isPlain && Object.keys(more).length === 0) return { role: role as string, text: content };
  return { json: pretty(message) };
}

export function jsonPrompt(shape: Shape, { model: _model, stream: _stream, ...body }: Body): JsonPrompt {
  return { shape, json: pretty(body) };
}

const pretty = (value: unknown) => JSON.stringify(value, undefined, 2);
