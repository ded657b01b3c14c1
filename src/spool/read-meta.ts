import { areEdits } from "../json-text/edits.ts";
import { EndsAlike } from "./ends-alike.ts";
import type {
  BeginMeta,
  EndMeta,
  HeadMeta,
  Outcome,
  ProviderRequestMeta,
  ProviderResponseMeta,
  RawHeaders,
  RoutingMeta,
  StartMeta,
} from "./frame.ts";
import { FramesAlike } from "./frames-alike.ts";
import { HeaderList, isPairs } from "./header-list.ts";

/** The content of a frame, its list of headers as text. */
export type WithHeaders<T extends { readonly headers?: RawHeaders }> = {
  readonly [Name in keyof T]: Name extends "headers" ? HeaderList | Extract<T[Name], undefined> : T[Name];
};

/** A frame with a correct CRC but with content that no writer of this program produces. */
export class UnreadableFrame extends Error {
  constructor(why: string, cause?: unknown) {
    super(why, cause === undefined ? undefined : { cause });
    this.name = "UnreadableFrame";
  }
}

type Test = (value: unknown) => boolean;
/** Required members and the test of each; only a test made by `optional` accepts `undefined`. */
type Form<T> = { readonly [Name in keyof T]-?: Test };

/** The largest valid time of a Date, in milliseconds. */
const TIME_MAX = 8.64e15;
const OUTCOMES: Readonly<Record<Outcome, true>> = {
  complete: true,
  failed: true,
  client_gone: true,
  upstream_failed: true,
  upstream_timeout: true,
  refused: true,
  cut_off: true,
};

const isText: Test = (value) => typeof value === "string";
const isFlag: Test = (value) => typeof value === "boolean";
const isTime: Test = (value) => typeof value === "number" && value >= 0 && value <= TIME_MAX;
const isCount: Test = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isStatus: Test = (value) => isCount(value) && (value as number) <= 999;
const optional =
  (test: Test): Test =>
  (value) =>
    value === undefined || test(value);
export const isPosition: Test = (value) => isObject(value) && isCount(value["segment"]) && isCount(value["offset"]);
const isHeaders: Test = (value) => value instanceof HeaderList;

const START: Form<StartMeta> = {
  run: isText,
  time: isTime,
  gone: optional(isCount),
  previous: optional(isPosition),
};

const ROUTING: Form<RoutingMeta> = {
  session: optional(isText),
  requestModel: optional(isText),
  routedModel: optional(isText),
  path: optional(isText),
  route: optional((value) => value === null || isText(value)),
  reason: optional(isText),
  credential: optional(isText),
  stored: optional(isFlag),
  mapping: optional(isText),
  warnings: optional((value) => Array.isArray(value) && value.every(isText)),
};

const isRouting: Test = (value) => isObject(value) && wrongMember(value, ROUTING) === undefined;

const BEGIN: Form<BeginMeta> = {
  time: isTime,
  method: isText,
  path: isText,
  target: isText,
  provider: isText,
  organization: isText,
  keyId: isText,
  keyName: isText,
  authHash: isText,
  headers: isHeaders,
  gateway: isPairs,
  omitRequest: isFlag,
  omitResponse: isFlag,
  attemptOf: optional(isText),
  attempt: optional(isCount),
  routing: optional(isRouting),
  seal: optional(isText),
  salt: optional(isText),
  writer: optional(isCount),
};

const isEdited: Test = (value) =>
  isObject(value) && isCount(value["of"]) && areEdits(value["edits"], Number(value["of"]));
const isBeside: Test = (value) => Array.isArray(value) && value.every((each) => isText(each) || isCount(each));

const HEAD: Form<HeadMeta> = {
  time: isTime,
  status: isStatus,
  headers: isHeaders,
  cacheReferenceId: optional(isText),
  cacheCreatedAt: optional(isTime),
  attempt: optional(isCount),
  target: optional(isText),
  path: optional(isText),
  provider: optional(isText),
  routing: optional(isRouting),
  sent: optional((value) => isObject(value) && isBeside(value["headers"]) && isEdited(value["edited"])),
};

const PROVIDER_REQUEST: Form<ProviderRequestMeta> = {
  time: isTime,
  headers: optional(isHeaders),
  hasBody: isFlag,
  edited: optional(isEdited),
};
const PROVIDER_RESPONSE: Form<ProviderResponseMeta> = { time: isTime, status: isStatus, headers: isHeaders };

const END: Form<EndMeta> = {
  time: isTime,
  outcome: (value) => typeof value === "string" && Object.hasOwn(OUTCOMES, value),
  forwardedAt: optional(isTime),
  firstByteAt: optional(isTime),
  requestBytes: isCount,
  responseBytes: isCount,
  requestTruncated: optional(isFlag),
  responseTruncated: optional(isFlag),
  mayBeWhole: optional(isFlag),
  status: optional(isStatus),
  error: optional((value) => isObject(value) && isText(value["code"]) && isText(value["message"])),
  callStates: optional((value) => isObject(value) && Object.values(value).every(isObject)),
};

/** Reads the payload `[from, to)` of a frame of its kind. @throws UnreadableFrame that names the wrong member. */
export const readStart = readerOf<StartMeta>(START);
const ends = new EndsAlike(readerOf<EndMeta>(END));
export const readEnd = (buffer: Buffer, from: number, to: number): EndMeta => ends.read(buffer, from, to);
export const readBegin = alike(readerOf<WithHeaders<BeginMeta>>(BEGIN, parseWithHeaders), { hasGateway: true });
export const readHead = alike(readerOf<WithHeaders<HeadMeta>>(HEAD, parseWithHeaders), { hasGateway: false });
export const readProviderRequest = readerOf<WithHeaders<ProviderRequestMeta>>(PROVIDER_REQUEST, parseWithHeaders);
export const readProviderResponse = readerOf<WithHeaders<ProviderResponseMeta>>(PROVIDER_RESPONSE, parseWithHeaders);

function alike<T extends WithHeaders<BeginMeta> | WithHeaders<HeadMeta>>(
  read: (buffer: Buffer, from: number, to: number) => T,
  options: { readonly hasGateway: boolean },
) {
  const frames = new FramesAlike(read, options);
  return (buffer: Buffer, from: number, to: number): T => frames.read(buffer, from, to);
}

function readerOf<T>(form: Form<T>, parsed = parse): (buffer: Buffer, from: number, to: number) => T {
  return (buffer, from, to) => {
    const meta = parsed(buffer, from, to);
    if (!isObject(meta)) throw new UnreadableFrame("the payload is no JSON object");
    const wrong = wrongMember(meta, form);
    if (wrong !== undefined) throw new UnreadableFrame(`the member "${wrong}" is not as it is written`);
    return meta as T;
  };
}

/** What precedes the list of headers. Within a string, or in the list itself, these quotes would be escaped. */
const HEADERS = Buffer.from(',"headers":');
const CLOSING = 0x7d;

/** As `parse`, with the list of headers as bytes, which is not parsed if it is the last member. */
function parseWithHeaders(buffer: Buffer, from: number, to: number): unknown {
  const at = from + buffer.subarray(from, to).indexOf(HEADERS);
  const isLast = at >= from && buffer[to - 1] === CLOSING;
  const last = isLast ? HeaderList.read(buffer, at + HEADERS.byteLength, to - 1) : undefined;
  const meta = last === undefined ? parse(buffer, from, to) : parseText(`${buffer.toString("utf8", from, at)}}`);
  if (!isObject(meta)) return meta;
  const pairs = meta["headers"];
  return Object.assign(meta, { headers: last ?? (isPairs(pairs) ? HeaderList.of(pairs) : pairs) });
}

/** Name of the first invalid member. */
function wrongMember(
  meta: Readonly<Record<string, unknown>>,
  form: Readonly<Record<string, Test>>,
): string | undefined {
  // Not `Object.hasOwn`: none of these names is inherited by objects.
  for (const name in form) if (!form[name]!(meta[name])) return name;
  return undefined;
}

function parse(buffer: Buffer, from: number, to: number): unknown {
  return parseText(buffer.toString("utf8", from, to));
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UnreadableFrame("the payload is no JSON", error);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
