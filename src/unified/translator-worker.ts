import { expose } from "../runtime/rpc.ts";
import { threadStart } from "../runtime/thread.ts";
import { estimateTokens } from "./count-estimate.ts";
import { type Description, describe } from "./describe.ts";
import { type OutboundRequest, writeOutbound } from "./outbound.ts";
import { type PlainOutbound, textOf, toPlain } from "./translator.ts";

/** The thread that translates large requests, and counts tokens. */
export type TranslatorFunctions = {
  describe(bytes: Uint8Array): Description | undefined;
  outbound(request: OutboundRequest): PlainOutbound;
  count(bytes: Uint8Array): Promise<number>;
};

const { port } = threadStart<null>();
expose(port, {
  describe: (bytes) => describe(textOf(bytes)),
  outbound: (request) => toPlain(writeOutbound(request), request),
  count: (bytes) => estimateTokens(textOf(bytes)),
} satisfies TranslatorFunctions);
