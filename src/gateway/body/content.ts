import { canonicalJson } from "../../json-text/canonical.ts";
import { objectOf, parseJson, textOf } from "../../mapping/json.ts";
import { userIdIn } from "../../mapping/user-id.ts";
import type { Json } from "../../plugin-host/contract.ts";
import { decodeBody } from "../../runtime/content-coding.ts";

/** A request's body, and what its headers say about it. */
export interface CodedBody {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** Value of `Content-Encoding`; "" where there is none. */
  readonly coding: string;
}

/** What a body says. Members are undefined where it does not say them, or is of a kind that is not read. */
export interface BodyContent {
  /** The end user that it names. */
  readonly user?: string | undefined;
  /** The model that it names: a member of a JSON object, or a field of a form. */
  readonly model?: string | undefined;
  /** The value that it is, where it is JSON. */
  readonly json?: Json;
}

/** Bytes that a body may unpack to. */
const DECODED_BYTES_MAX = 256 * 1_024 * 1_024;

/** Reads a body that is not compressed. Never throws. */
export function plainContent({ bytes, contentType }: Omit<CodedBody, "coding">): BodyContent {
  if (/^\s*multipart\/form-data/i.test(contentType)) return { model: formField(bytes, contentType, "model") };
  const json = parseJson(textOfBytes(bytes));
  return { user: userIdIn(json), model: textOf(objectOf(json)?.["model"]), json };
}

/** Reads a body, compressed or not. One that cannot be unpacked says nothing. */
export async function bodyContent({ bytes, contentType, coding }: CodedBody): Promise<BodyContent> {
  const plain = await decoded({ bytes, coding });
  return plain === undefined ? {} : plainContent({ bytes: plain, contentType });
}

/** A body without its codings; undefined where they cannot be undone. */
async function decoded({ bytes, coding }: Omit<CodedBody, "contentType">): Promise<Uint8Array | undefined> {
  if (coding === "") return bytes;
  const coded = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = await decodeBody(coded, coding, DECODED_BYTES_MAX);
  return found.incomplete ? undefined : found.bytes;
}

/** What a JSON object gets at its top level. */
export interface Members {
  readonly set: Readonly<Record<string, Json>>;
  /** Names of members that are left out. */
  readonly removed: readonly string[];
}

/**
 * A JSON object with other members at its top level, uncompressed. It works on the text: what stays is as the client wrote it, its
 * order too, which is that of the response where it is a schema's.
 *
 * @returns undefined where `body` is not a JSON object in UTF-8.
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
 * Where providers put the model into the address: `/models/m:generate`, `/model/m/converse`, `/deployments/m/chat`, and for
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

/** The text of a form's field; undefined where the form has none with this name, or several that differ. */
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

/** "" where the bytes are not UTF-8: changing such a text would change bytes that were not meant. */
function textOfBytes(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return "";
  }
}
