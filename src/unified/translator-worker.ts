import { expose } from "../runtime/rpc.ts";
import { threadStart } from "../runtime/thread.ts";
import { type Description, describe } from "./describe.ts";
import { type OutboundRequest, writeOutbound } from "./outbound.ts";
import { type PlainOutbound, textOf, toPlain } from "./translator.ts";

/** The thread that translates large requests. */
export type TranslatorFunctions = {
  describe(bytes: Uint8Array): Description | undefined;
  outbound(request: OutboundRequest): PlainOutbound;
};

const { port } = threadStart<null>();
expose(port, {
  describe: (bytes) => describe(textOf(bytes)),
  outbound: (request) => toPlain(writeOutbound(request), request),
} satisfies TranslatorFunctions);
