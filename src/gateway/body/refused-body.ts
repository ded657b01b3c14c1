import type { IncomingRequest } from "../../runtime/http/server.ts";
import type { Exchange } from "../exchange.ts";

/** What a record keeps of a refused request's body at most, and how long the refusal waits for it. */
const KEPT_BYTES_MAX = 1_024 * 1_024;
const WAIT_MS = 100;

/**
 * Reads the body of a request that is refused, for its record, and then calls `refuse`. Most bodies came with the head
 * and cost no time; of a larger or slower one the record has the beginning, and says that it is cut off.
 */
export function recordRefusedBody(exchange: Exchange, incoming: IncomingRequest, refuse: () => void): void {
  const { recording } = exchange;
  let bytesSoFar = 0;
  let over = false;
  const end = (whole: boolean) => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    // The rest is read away by the server, once the refusal is out.
    if (!whole) recording.cutRequest();
    refuse();
  };
  const timer = setTimeout(() => end(false), WAIT_MS);
  incoming.read({
    onData(bytes) {
      if (over) return;
      bytesSoFar += bytes.byteLength;
      recording.requestBody(bytes);
      if (bytesSoFar > KEPT_BYTES_MAX) end(false);
    },
    onEnd: () => end(true),
    onBroken() {
      end(false);
      return true;
    },
  });
}
