import type { BodyContent } from "../body/content.ts";

/** The echo's response: headers as raw pairs, and the body in the pieces in which it is sent. */
export interface EchoResponse {
  readonly status: number;
  readonly headers: readonly string[];
  readonly pieces: readonly Uint8Array[];
}

interface EchoRequest {
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
  readonly contentEncoding: string;
  readonly body: Uint8Array;
}

/** The `Json` of a body; reuses the only alias of `any`. */
type Json = BodyContent["json"];

const CHAT = /\/chat\/completions$/;
const MODELS = /\/models$/;
/** The name of the only listed model; any other name is accepted as well. */
const MODEL = "echo";
/** A constant id: the same request always gets the same response. */
const ID = "chatcmpl-echo";
const WORD = /\S+\s*|\s+/g;

/**
 * The echo's response to a request: a chat completion that repeats the user's last message, the list of its one model, or
 * for anything else the request's own body.
 *
 * @param json - the body, if it is JSON.
 * @param now - milliseconds since 1970.
 */
export function echoResponse(request: EchoRequest, json: Json, now: number): EchoResponse {
  const path = request.path.replace(/[?#].*$/s, "");
  if (request.method === "POST" && CHAT.test(path)) return chat(json, Math.floor(now / 1_000));
  if (request.method === "GET" && MODELS.test(path))
    return ofJson(200, { object: "list", data: [{ id: MODEL, object: "model", created: 0, owned_by: "weir" }] });
  if (request.body.byteLength === 0) return ofJson(200, { method: request.method, path: request.path });
  const type = request.contentType === "" ? "application/octet-stream" : request.contentType;
  const coding = request.contentEncoding === "" ? [] : ["Content-Encoding", request.contentEncoding];
  // A browser that displays the body must not execute it.
  const inert = ["X-Content-Type-Options", "nosniff", "Content-Security-Policy", "sandbox"];
  return { status: 200, headers: ["Content-Type", type, ...coding, ...inert], pieces: [request.body] };
}

/** An error in OpenAI's form. */
export function echoError(status: number, message: string, param: string | null = null): EchoResponse {
  return ofJson(status, { error: { message, type: "invalid_request_error", param, code: null } });
}

function chat(json: Json, created: number): EchoResponse {
  const messages: readonly Json[] | undefined = Array.isArray(json?.messages) ? json.messages : undefined;
  if (messages === undefined)
    return echoError(400, "the body must be a JSON object with the list `messages`", "messages");
  const model = typeof json.model === "string" && json.model !== "" ? json.model : MODEL;
  const said = textOf(messages.findLast((message) => message?.role === "user")?.content);
  const content = said === "" ? "(there is no text of the user to repeat)" : said;
  const prompt_tokens = messages.reduce((sum: number, message) => sum + wordsOf(textOf(message?.content)).length, 0);
  const words = wordsOf(content);
  const usage = { prompt_tokens, completion_tokens: words.length, total_tokens: prompt_tokens + words.length };
  const common = { id: ID, created, model };
  if (json.stream !== true) {
    const choice = { index: 0, message: { role: "assistant", content }, finish_reason: "stop" };
    return ofJson(200, { ...common, object: "chat.completion", choices: [choice], usage });
  }
  const chunk = (delta: Json, finish_reason: string | null = null) =>
    event({ ...common, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] });
  const pieces = [
    chunk({ role: "assistant", content: "" }),
    ...words.map((word) => chunk({ content: word })),
    chunk({}, "stop"),
    ...(json.stream_options?.include_usage === true
      ? [event({ ...common, object: "chat.completion.chunk", choices: [], usage })]
      : []),
    Buffer.from("data: [DONE]\n\n"),
  ];
  return { status: 200, headers: ["Content-Type", "text/event-stream", "Cache-Control", "no-cache"], pieces };
}

/** The text of a message; its content is a text or a list of parts. */
function textOf(content: Json): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap((part: Json) => (typeof part?.text === "string" ? [part.text] : [])).join("\n");
}

/** Words, each with the space after it. */
function wordsOf(text: string): readonly string[] {
  return text.match(WORD) ?? [];
}

const event = (data: Json) => Buffer.from(`data: ${JSON.stringify(data)}\n\n`);

function ofJson(status: number, value: Json): EchoResponse {
  return { status, headers: ["Content-Type", "application/json"], pieces: [Buffer.from(JSON.stringify(value))] };
}
