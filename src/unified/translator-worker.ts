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
import { type PlainContext, type PlainOutbound, toPlain } from "./plain-outbound.ts";
import { type WithItems, withItems } from "./references.ts";
import { translateWhole, type WholeResponse } from "./response.ts";
import { type SameOnlyRequest, sameOnlyBody } from "./same-only.ts";

/** The thread that translates large requests and responses, and counts tokens. */
export type TranslatorFunctions = {
  describe(bytes: Uint8Array): Description | undefined;
  outbound(request: OutboundRequest): PlainOutbound;
  whole(bytes: Uint8Array, context: PlainContext, framing: EventFraming | undefined): WholeResponse;
  embeddings(request: EmbeddingsRequest): WrittenEmbeddings;
  sameOnly(request: SameOnlyRequest): Uint8Array | undefined;
  withItems(bytes: Uint8Array, recorded: readonly string[]): WithItems;
  counted(bytes: Uint8Array, request: CountRequest): Uint8Array | undefined;
  converted(bytes: Uint8Array, headers: readonly string[], reading: Reading): ConvertedResponse | undefined;
  count(bytes: Uint8Array): Promise<number>;
};

const { port } = threadStart<null>();
expose(port, {
  describe: (bytes) => describe(utf8Of(bytes)),
  outbound: (request) => toPlain(writeOutbound(request), request),
  whole: (bytes, context, framing) => {
    const { shape, prompt, names } = context.outbound;
    const outbound = { shape: SHAPES[shape]!, prompt, names: ToolNames.from(names) };
    return translateWhole(bytes, { ...context, outbound }, framing);
  },
  embeddings: writeEmbeddings,
  sameOnly: sameOnlyBody,
  withItems,
  counted: countedBody,
  converted: readConverted,
  count: (bytes) => estimateTokens(utf8Of(bytes)),
} satisfies TranslatorFunctions);
