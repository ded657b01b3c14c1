import type { EventFraming } from "../mapping/events/event-reader.ts";
import { utf8Of } from "../mapping/json.ts";
import { ToolNames } from "../mapping/translate/tool-names.ts";
import { SHAPES } from "../mapping/wire/shapes.ts";
import { expose } from "../runtime/rpc.ts";
import { threadStart } from "../runtime/thread.ts";
import {
  type ConvertedResponse,
  type CountRequest,
  countedBody,
  type EmbeddingsRequest,
  type Reading,
  readConverted,
  type WrittenEmbeddings,
  writeEmbeddings,
} from "./converted.ts";
import { estimateTokens } from "./count-estimate.ts";
import { type Description, describe } from "./describe.ts";
import { type OutboundRequest, writeOutbound } from "./outbound.ts";
import { keepParsed, NumberedBodies } from "./parsed-bodies.ts";
import { type PlainContext, type PlainOutbound, toPlain } from "./plain-outbound.ts";
import { type WithItems, withItems } from "./references.ts";
import { translateWhole, type WholeResponse } from "./response.ts";
import { type SameOnlyRequest, sameOnlyBody } from "./same-only.ts";

/** The thread that translates large requests and responses, and counts tokens. */
export type TranslatorFunctions = {
  /** @param number - the same for each call with this body, which is then parsed once. */
  describe(bytes: Uint8Array, number: number): Description | undefined;
  outbound(request: OutboundRequest, number: number): PlainOutbound;
  whole(bytes: Uint8Array, context: PlainContext, framing: EventFraming | undefined): WholeResponse;
  embeddings(request: EmbeddingsRequest, number: number): WrittenEmbeddings;
  sameOnly(request: SameOnlyRequest): Uint8Array | undefined;
  withItems(bytes: Uint8Array, recorded: readonly string[]): WithItems;
  counted(bytes: Uint8Array, request: CountRequest): Uint8Array | undefined;
  converted(bytes: Uint8Array, headers: readonly string[], reading: Reading): ConvertedResponse | undefined;
  count(bytes: Uint8Array): Promise<number>;
};

const FORGET_MS = 5_000;
const numbered = new NumberedBodies();
setInterval(() => numbered.forgetOld(performance.now()), FORGET_MS);

/** With its JSON, if that was kept. */
function known<T extends { readonly body: Uint8Array }>(request: T, number: number): T {
  const body = numbered.take(number);
  if (body !== undefined) keepParsed(request.body, body);
  return request;
}

/** The bodies in a result, each in a buffer of its own. */
function bodiesIn(result: unknown): ArrayBuffer[] {
  if (typeof result !== "object" || result === null) return [];
  const found = result instanceof Uint8Array ? [result] : Object.values(result).flat();
  const own = found.flatMap((each) =>
    each instanceof Uint8Array && isWhole(each) ? [each.buffer as ArrayBuffer] : [],
  );
  return [...new Set(own)];
}

const isWhole = ({ buffer, byteLength }: Uint8Array) =>
  buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;

const { port } = threadStart<null>();
const functions: TranslatorFunctions = {
  describe: (bytes, number) => describe(utf8Of(bytes), (body) => numbered.keep(number, body, bytes.byteLength)),
  outbound: (request, number) => toPlain(writeOutbound(known(request, number)), request),
  whole: (bytes, context, framing) => {
    const { shape, prompt, names } = context.outbound;
    const outbound = { shape: SHAPES[shape]!, prompt, names: ToolNames.from(names) };
    return translateWhole(bytes, { ...context, outbound }, framing);
  },
  embeddings: (request, number) => writeEmbeddings(known(request, number)),
  sameOnly: sameOnlyBody,
  withItems,
  counted: countedBody,
  converted: readConverted,
  count: (bytes) => estimateTokens(utf8Of(bytes)),
};
expose(port, functions, bodiesIn);
