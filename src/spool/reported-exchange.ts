import { Buffer } from "node:buffer";
import type { BeginMeta, SpoolWriter } from "./frame.ts";

/** An exchange that did not pass through the gateway: a client reports it afterwards. */
export interface WholeExchange {
  readonly id: string;
  readonly begin: BeginMeta;
  /** JSON text. */
  readonly requestBody: string;
  /** JSON text; null without a response. */
  readonly responseBody: string | null;
  readonly status: number;
  /** Milliseconds since 1970. */
  readonly endedAt: number;
}

const JSON_TYPE = ["content-type", "application/json"] as const;

/** Appends the complete exchange to the journal. @returns false if nothing can be recorded now. */
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
