import { isObject, type JsonObject, textOf } from "../mapping/json.ts";
import type { Json } from "../plugin-host/contract.ts";

/** What a model reads of a request: its texts, and the tokens of its other content. */
export interface CountedContent {
  readonly texts: string[];
  tokens: number;
}

/** Tokens that the format of a conversation adds per turn. */
const TURN_TOKENS = 4;
/** A picture or recording of usual size, and a page of a file. */
const MEDIA_TOKENS = 1_600;
/** Usual bytes of a PDF per page. */
const PAGE_BYTES = 50_000;
/** Bytes per token of a text that is sent as a file. */
const TEXT_FILE_BYTES = 4;

/**
 * The content of a request in any API's format. A picture or a recording counts as 1,600 tokens, another file as 1,600 per
 * started 50 kB and as 1,600 if its size is unknown; a text file counts as text. Names, ids, settings and encrypted state
 * count as nothing.
 */
export function contentOf(body: JsonObject): CountedContent {
  const content: CountedContent = { texts: [], tokens: 0 };
  for (const name of Object.keys(body)) if (!SETTINGS.has(name)) add(body[name], name, content);
  return content;
}

/** Top-level members with text that no model reads. */
const SETTINGS: ReadonlySet<string> = new Set([
  "metadata",
  "user",
  "safety_identifier",
  "prompt_cache_key",
  "previous_response_id",
  "conversation",
]);

/** Members that name something, or carry state. */
const SILENT: ReadonlySet<string> = new Set([
  "type",
  "role",
  "id",
  "call_id",
  "item_id",
  "tool_use_id",
  "tool_call_id",
  "model",
  "status",
  "cache_control",
  "signature",
  "thought_signature",
  "thoughtSignature",
  "encrypted_content",
  "data",
]);

/** Members with JSON that the model reads as text, whatever its names. */
const AS_JSON: ReadonlySet<string> = new Set([
  "tools",
  "functions",
  "input",
  "args",
  "response",
  "parameters",
  "schema",
  "responseSchema",
  "responseJsonSchema",
  "data",
]);

function add(value: Json, name: string, content: CountedContent): void {
  // Only text is bytes or state: in Cohere's documents `data` is an object that the model reads.
  if (SILENT.has(name) && !(name === "data" && isObject(value))) return;
  if (typeof value === "string") addText(value, content);
  else if (Array.isArray(value)) {
    if (name === "tools" || name === "functions") content.texts.push(JSON.stringify(value));
    else for (const each of value) addItem(each, name, content);
  } else if (isObject(value)) {
    if (AS_JSON.has(name)) content.texts.push(JSON.stringify(value));
    else addObject(value, content);
  }
}

/** A number in a list is a token: embeddings take them as input. */
function addItem(value: Json, name: string, content: CountedContent): void {
  if (typeof value === "number") content.tokens++;
  else if (isObject(value)) addObject(value, content);
  else add(value, name, content);
}

function addText(text: string, content: CountedContent): void {
  if (text.startsWith("data:") && ADDRESS.test(text)) addFile({ data: text }, false, content);
  else content.texts.push(text);
}

function addObject(value: JsonObject, content: CountedContent): void {
  if (value["role"] !== undefined) content.tokens += TURN_TOKENS;
  const type = textOf(value["type"]) ?? "";
  const isCohere = isObject(value["document"]);
  const place = isCohere
    ? undefined
    : Object.hasOwn(MEDIA, type)
      ? MEDIA[type]!
      : GEMINI.find((name) => isObject(value[name]));
  for (const name of Object.keys(value)) if (name !== place && name !== "file_data") add(value[name], name, content);
  if (place === undefined) return;
  const holder = isObject(value[place]) ? value[place] : { ...value, url: value[place] };
  addFile(holder, PICTURES.has(type), content);
}

/** The member that holds the content of a part, by the part's type. */
const MEDIA: Readonly<Record<string, string>> = {
  image: "source",
  document: "source",
  image_url: "image_url",
  input_image: "image_url",
  input_audio: "input_audio",
  file: "file",
  input_file: "file_url",
  image_generation_call: "result",
};
/** Members that hold the content of Gemini's parts, which have no type. */
const GEMINI = ["inlineData", "inline_data", "fileData", "file_data"];
/** Parts that count the same whatever their bytes. */
const PICTURES: ReadonlySet<string> = new Set([
  "image",
  "image_url",
  "input_image",
  "input_audio",
  "image_generation_call",
]);

const ADDRESS = /^data:([\w.+-]+\/[\w.+-]+)?[;,]/;

function addFile(holder: JsonObject, isPicture: boolean, content: CountedContent): void {
  const { type } = holder;
  const data = textOf(holder["data"] ?? holder["file_data"] ?? holder["url"]) ?? "";
  if (type === "content" || type === "text") {
    add(type === "content" ? holder["content"] : data, "content", content);
    return;
  }
  const mediaType =
    textOf(holder["media_type"] ?? holder["mimeType"] ?? holder["mime_type"]) ?? ADDRESS.exec(data)?.[1] ?? "";
  // Of base64.
  const bytes = /^https?:/.test(data) ? 0 : Math.floor(data.length * 0.75);
  if (mediaType.startsWith("text/")) content.tokens += Math.ceil(bytes / TEXT_FILE_BYTES);
  else if (isPicture || /^(?:image|audio)\//.test(mediaType)) content.tokens += MEDIA_TOKENS;
  else content.tokens += MEDIA_TOKENS * Math.max(1, Math.ceil(bytes / PAGE_BYTES));
}
