import { COLON, OPEN_LIST, OPEN_OBJECT, QUOTE, skipSpace, skipString, skipValue } from "../json-text/scan.ts";
import { MASKED, maskPath, maskText } from "../masking/mask.ts";
import { isSecretLabel, isSecretName } from "../masking/names.ts";

const MASKED_JSON = JSON.stringify(MASKED);

/**
 * Masks the credentials in an outgoing body: object members and form fields with a credential's name, values that are
 * themselves keys, and keys in the texts of `error`. Below the top level, names such as `token` and `key` also have other
 * meanings and stay, as do schemas and the text of messages. Everything else is unchanged. Takes linear time.
 *
 * @param json - JSON text: an object, or any other body as a string.
 */
export function maskBody(json: string, contentType: string | null): string {
  const at = skipSpace(json, 0);
  const first = json.charCodeAt(at);
  if (first === OPEN_OBJECT) return maskMembers(json, at);
  if (first === OPEN_LIST) return maskBelow(json);
  const isForm =
    first === QUOTE && contentType !== null && /^(?:multipart\/|application\/x-www-form-)/i.test(contentType);
  if (!isForm) return json;
  const text: string = JSON.parse(json);
  const masked = /^multipart/i.test(contentType) ? maskParts(text) : maskPath(`?${text}`).slice(1);
  return masked === text ? json : JSON.stringify(masked);
}

function maskMembers(json: string, at: number): string {
  let masked = "";
  let done = 0;
  for (let next = skipSpace(json, at + 1); json.charCodeAt(next) === QUOTE; ) {
    const nameEnd = skipString(json, next);
    const from = skipSpace(json, skipSpace(json, nameEnd) + 1);
    const to = skipValue(json, from);
    const value = json.slice(from, to);
    const shown = maskMember(JSON.parse(json.slice(next, nameEnd)), value);
    if (shown !== value) {
      masked += json.slice(done, from) + shown;
      done = to;
    }
    // The value is followed by a comma or the end of the object.
    next = skipSpace(json, skipSpace(json, to) + 1);
  }
  return masked + json.slice(done);
}

function maskMember(name: string, value: string): string {
  if (isCredential(name, value)) return MASKED_JSON;
  // Providers repeat a refused key in their error.
  if (name === "error" && value.length <= ERROR_LENGTH_MAX) return maskTexts(value);
  return value.startsWith("{") || value.startsWith("[") ? maskBelow(value) : value;
}

/** Members with conversation text, at any depth. */
const SAID: ReadonlySet<string> = new Set(["content", "text", "input", "output", "prompt", "arguments", "delta"]);

/** Masks members at any depth. Only a member's name is followed by a colon, so the depth need not be tracked. */
function maskBelow(json: string): string {
  let masked = "";
  let done = 0;
  for (let next = json.indexOf('"'); next !== -1; next = json.indexOf('"', next)) {
    const nameEnd = skipString(json, next);
    const colon = skipSpace(json, nameEnd);
    const [nameAt, from] = [next, skipSpace(json, colon + 1)];
    next = nameEnd;
    if (json.charCodeAt(colon) !== COLON) continue;
    next = from;
    const first = json.charCodeAt(from);
    if (first === OPEN_OBJECT) continue;
    const name: string = JSON.parse(json.slice(nameAt, nameEnd));
    const isSecret = isSecretLabel(name);
    if (first === OPEN_LIST && !isSecret) continue;
    const to = skipValue(json, from);
    const value = json.slice(from, to);
    if (isSecret ? isFilled(value) && (first !== OPEN_LIST || isPlain(value)) : !SAID.has(name) && isKey(value)) {
      masked += json.slice(done, from) + MASKED_JSON;
      done = to;
    }
    if (first !== OPEN_LIST || done === to) next = to;
  }
  return masked + json.slice(done);
}

const ERROR_LENGTH_MAX = 65_536;

/** The value, with every text masked like a header; unchanged if there is nothing to mask. */
function maskTexts(value: string): string {
  let isMasked = false;
  const masked = JSON.stringify(JSON.parse(value), (_name, each: unknown) => {
    if (typeof each !== "string") return each;
    const text = maskText(each);
    isMasked ||= text !== each;
    return text;
  });
  return isMasked ? masked : value;
}

/** Longer texts are prompts. */
const KEY_LENGTH_MAX = 4_096;

function isCredential(name: string, value: string): boolean {
  return isSecretName(name) ? isFilled(value) : isKey(value);
}

/** A switch such as `"auth": true` contains no secret. */
function isFilled(value: string): boolean {
  return !/^(?:null|true|false|""|\[\s*\]|\{\s*\})$/.test(value);
}

/** Whether a list contains only texts and numbers; the description of a credential would be an object. */
function isPlain(list: string): boolean {
  return (JSON.parse(list) as unknown[]).every((each) => typeof each !== "object" || each === null);
}

/** A text that is itself a key. */
function isKey(value: string): boolean {
  return value.startsWith('"') && value.length <= KEY_LENGTH_MAX && maskText(JSON.parse(value)).trim() === MASKED;
}

/** A part of a multipart form: its name, further headers, an empty line, and its content. */
const PART = /(\bname="([^"\r\n]{1,200})"[^\r\n]*\r?\n(?:[^\r\n]+\r?\n)*\r?\n)([\s\S]*?)(?=\r?\n--)/g;

function maskParts(text: string): string {
  return text.replace(PART, (part, head: string, name: string, value: string) =>
    value !== "" && (isSecretName(name) || (value.length <= KEY_LENGTH_MAX && maskText(value).trim() === MASKED))
      ? head + MASKED
      : part,
  );
}
