import type { IncomingMessage } from "node:http";
import type { Exchange } from "./exchange.ts";
import { discardBody } from "./upload.ts";

/** What a record keeps of a refused request's body at most, and how long the refusal waits for it. */
const KEPT_BYTES_MAX = 1_024 * 1_024;
const WAIT_MS = 100;

/**
 * Reads the body of a request that is refused, for its record, and then calls `refuse`. Most bodies came with the head
 * and cost no time; of a larger or slower one the record has the beginning, and says that it is cut off.
 */
export function recordRefusedBody(exchange: Exchange, incoming: IncomingMessage, refuse: () => void): void {
  const { recording } = exchange;
  let bytesSoFar = 0;
  const take = (bytes: Uint8Array) => {
    bytesSoFar += bytes.byteLength;
    recording.requestBody(bytes);
    if (bytesSoFar > KEPT_BYTES_MAX) end();
  };
  const end = () => {
    clearTimeout(timer);
    incoming.off("data", take).off("end", end).off("close", end).off("error", end);
    // What breaks off later breaks off while it is read away.
    if (!incoming.complete) {
      recording.cutRequest();
      discardBody(incoming);
    }
    refuse();
  };
  const timer = setTimeout(end, WAIT_MS);
  incoming.on("data", take).on("end", end).on("close", end).on("error", end);
}
