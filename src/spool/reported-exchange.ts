import { Buffer } from "node:buffer";
import type { BeginMeta, SpoolWriter } from "./frame.ts";

/** An exchange that did not pass through the gateway: a client reports it after its end. */
export interface WholeExchange {
  readonly id: string;
  readonly begin: BeginMeta;
  /** JSON text. */
  readonly requestBody: string;
  /** JSON text; null where there is no response. */
  readonly responseBody: string | null;
  readonly status: number;
  /** Milliseconds since 1970. */
  readonly endedAt: number;
}

const JSON_TYPE = ["content-type", "application/json"] as const;

/** Puts all of it into the journal at once. @returns false where nothing can be recorded now. */
export function appendWhole(spool: SpoolWriter, exchange: WholeExchange): boolean {
  const { id, begin, status, endedAt: time } = exchange;
  if (!spool.begin(id, begin)) return false;
  const request = Buffer.from(exchange.requestBody);
  const response = Buffer.from(exchange.responseBody ?? "");
  spool.requestChunk(id, request);
  spool.head(id, { time, status, headers: JSON_TYPE });
  if (response.byteLength > 0) spool.responseChunk(id, response);
  spool.end(id, { time, outcome: "complete", requestBytes: request.byteLength, responseBytes: response.byteLength });
  spool.flush();
  return true;
}
