import type { ProviderPlugin } from "../../plugin-host/contract.ts";
import type { RawHeaders } from "../../spool/frame.ts";
import { readResponseHeaders } from "../headers/response-headers.ts";
import { maskOf, maskResponseHeaders } from "../headers/secrets.ts";
import { STREAM_TYPE } from "../recording.ts";
import type { Responder } from "../unified/call/responder.ts";

/** A complete response as the cache keeps it. */
export interface StoredResponse {
  readonly status: number;
  readonly reason: string;
  /** Raw pairs without connection headers and without secrets. */
  readonly headers: RawHeaders;
  /** The body in the pieces in which it arrived. */
  readonly chunks: readonly Uint8Array[];
  /** Who responded, for a request of the unified address. */
  readonly answerer?: Responder | undefined;
}

/** Metadata of a stored response; written into its file for `DELETE /v1/cache`. */
export interface ResponseOrigin {
  readonly organizationId: string;
  /** The original request. */
  readonly requestId: string;
  readonly model: string | undefined;
  readonly properties: Readonly<Record<string, string>>;
}

/** Whether a response of this status may be reused: successes, except for partial content. */
export function isShareable(status: number): boolean {
  return status >= 200 && status < 300 && status !== 206;
}

/** The codings of a stream, "" if none; undefined if the response is not a stream. */
export function codingOfStream(raw: RawHeaders): string | undefined {
  if (!STREAM_TYPE.test(readResponseHeaders(raw).contentType)) return undefined;
  const values = raw.filter((_, at) => at % 2 === 1 && raw[at - 1]!.toLowerCase() === "content-encoding");
  const codings = values.flatMap((value) => value.toLowerCase().split(",")).map((coding) => coding.trim());
  return codings.filter((coding) => coding !== "" && coding !== "identity").join(",");
}

/** A provider's headers as another request may see them: without cookies and other secrets of the original request. */
export function shareableHeaders(raw: RawHeaders, provider: ProviderPlugin | undefined): string[] {
  const { forward } = readResponseHeaders(raw);
  const masked = maskResponseHeaders(forward, maskOf(provider).headers);
  return forward.filter((_, at) => masked[at | 1] === forward[at | 1]);
}

/** A stored response without its body. */
export interface ResponseHead extends ResponseOrigin {
  readonly status: number;
  readonly reason: string;
  readonly headers: RawHeaders;
  readonly answerer?: Responder | undefined;
  /** Byte length of each piece of the body. */
  readonly lengths: readonly number[];
  /** CRC-32 of each piece, in a file. */
  readonly sums?: readonly number[];
}

/** A stored response during replay: from a file, or from memory while its file is being written. */
export interface ResponseSource {
  readonly head: ResponseHead;
  /** The next `length` bytes, if they are already in memory. */
  takeNow(length: number): Uint8Array | undefined;
  /** The next `length` bytes. @throws if they cannot be read. */
  take(length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

export function memorySource(response: StoredResponse, origin: ResponseOrigin): ResponseSource {
  const { status, reason, headers, chunks, answerer } = response;
  let at = 0;
  return {
    head: { ...origin, status, reason, headers, answerer, lengths: chunks.map(({ byteLength }) => byteLength) },
    takeNow: () => chunks[at++],
    take: () => Promise.reject(new Error("the response has no more pieces")),
    close: () => Promise.resolve(),
  };
}
