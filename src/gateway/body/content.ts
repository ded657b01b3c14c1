import { canonicalJson } from "../../json-text/canonical.ts";
import { objectOf, parseJson, textOf } from "../../mapping/json.ts";
import { userIdIn } from "../../mapping/user-id.ts";
import type { Json } from "../../plugin-host/contract.ts";
import { decodeBody } from "../../runtime/content-coding.ts";

/** A request's body and the headers that describe it. */
export interface CodedBody {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** Value of `Content-Encoding`; "" if missing. */
  readonly coding: string;
}

/** What was read from a body. Members are undefined if the body lacks them or has an unsupported type. */
export interface BodyContent {
  /** The end user named in the body. */
  readonly user?: string | undefined;
  /** The model named in the body: a member of a JSON object or a form field. */
  readonly model?: string | undefined;
  /** The parsed body, if it is JSON. */
  readonly json?: Json;
}

/** Maximum decompressed size of a body, in bytes. */
const DECODED_BYTES_MAX = 256 * 1_024 * 1_024;

/** Reads an uncompressed body. Never throws. */
export function plainContent({ bytes, contentType }: Omit<CodedBody, "coding">): BodyContent {
  if (/^\s*multipart\/form-data/i.test(contentType)) return { model: formField(bytes, contentType, "model") };
  const json = parseJson(textOfBytes(bytes));
  return { user: userIdIn(json), model: textOf(objectOf(json)?.["model"]), json };
}

/** Reads a body, compressed or not. The result is empty if it cannot be decompressed. */
export async function bodyContent({ bytes, contentType, coding }: CodedBody): Promise<BodyContent> {
  const plain = await decoded({ bytes, coding });
  return plain === undefined ? {} : plainContent({ bytes: plain, contentType });
}

/** Decodes a body; undefined if its coding is unsupported or broken. */
async function decoded({ bytes, coding }: Omit<CodedBody, "contentType">): Promise<Uint8Array | undefined> {
  if (coding === "") return bytes;
  const coded = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = await decodeBody(coded, coding, DECODED_BYTES_MAX);
  return found.incomplete ? undefined : found.bytes;
}

/** Changes to the top level of a JSON object. */
export interface Members {
  readonly set: Readonly<Record<string, Json>>;
  /** Names of members to remove. */
  readonly removed: readonly string[];
}

/**
 * Replaces top-level members of a JSON object; the result is uncompressed. It edits the text: unchanged members stay as the
 * client wrote them, in the same order, which for a schema determines the order in the response.
 *
 * @returns undefined if `body` is not a JSON object in UTF-8.
 */
export async function replaceMembers(body: CodedBody, { set, removed }: Members): Promise<Uint8Array | undefined> {
  const bytes = await decoded(body);
  const own = bytes && canonicalJson(textOfBytes(bytes))?.members;
  if (own === undefined) return undefined;
  const kept = own.filter(({ name }) => !Object.hasOwn(set, name) && !removed.includes(name)).map(({ text }) => text);
  const others = Object.entries(set).map((member) => member.map((each) => JSON.stringify(each)).join(":"));
  return Buffer.from(`{${[...kept, ...others].join(",")}}`);
}

/**
 * Where providers put the model in the path: `/models/m:generate`, `/model/m/converse`, `/deployments/m/chat`, and for
 * WebSockets `/realtime?model=m`.
 */
export function modelOfPath(url: string): string | undefined {
  const found =
    /^[^?#]*?\/(?:models|model|deployments|engines)\/([^/:?#]+)/.exec(url) ??
    /^[^?#]*\/realtime\?(?:[^#]*&)?(?:model|deployment)=([^&#]+)/.exec(url);
  if (found === null) return undefined;
  try {
    return decodeURIComponent(found[1]!);
  } catch {
    return found[1];
  }
}

/** The text of a form field; undefined if the form has none with this name, or several with different values. */
function formField(bytes: Uint8Array, contentType: string, name: string): string | undefined {
  const boundary = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType);
  if (boundary === null) return undefined;
  const form = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const delimiter = `--${boundary[1] ?? boundary[2]}`;
  const isNamed = new RegExp(`^content-disposition:[^\\r\\n]*;\\s*name="?${name}"?\\s*(?:;|\\r?$)`, "im");
  const found = new Set<string>();
  for (let at = form.indexOf(delimiter); at >= 0; ) {
    const next = form.indexOf(`\r\n${delimiter}`, at + delimiter.length);
    const headEnd = form.indexOf("\r\n\r\n", at);
    if (next < 0 || headEnd < 0) break;
    if (headEnd < next && isNamed.test(form.toString("latin1", at, headEnd)))
      found.add(form.toString("utf8", headEnd + 4, next));
    at = next + 2;
  }
  return found.size === 1 ? [...found][0] : undefined;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** "" if the bytes are not UTF-8: editing such a text would change unrelated bytes. */
function textOfBytes(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return "";
  }
}
