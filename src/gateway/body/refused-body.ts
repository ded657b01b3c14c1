import type { IncomingRequest } from "../../runtime/http/server.ts";
import type { Exchange } from "../exchange.ts";

/** How many bytes of a refused request's body a record keeps, and how long the refusal waits for them. */
const KEPT_BYTES_MAX = 1_024 * 1_024;
const WAIT_MS = 100;

/**
 * Reads the body of a refused request for its record, then calls `refuse`. Most bodies arrive with the head and cost no
 * time; of a larger or slower one the record has the beginning and is marked as truncated.
 */
export function recordRefusedBody(exchange: Exchange, incoming: IncomingRequest, refuse: () => void): void {
  const { recording } = exchange;
  let bytesSoFar = 0;
  let over = false;
  const end = (whole: boolean) => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    // The server discards the rest once the refusal is sent.
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
