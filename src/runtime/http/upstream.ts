import type { ByteSocket, Sockets } from "./sockets.ts";

/**
 * The client side towards providers. It passes a request on byte for byte, which `fetch` cannot do: `fetch` rewrites paths,
 * merges and sorts headers, turns unknown methods into GET and loses early heads.
 */
export interface Upstream {
  /**
   * Sends a request. Never throws: failures are reported to `events.onError`, never before this call has returned.
   *
   * At most one of `onEnd`, `onError` and `onUpgrade` is called, once, and nothing after it; nothing after `abort`.
   */
  open(request: UpstreamRequest, events: UpstreamEvents): UpstreamCall;
  /** Closes idle connections immediately, the others when they are done. */
  close(): void;
}

/** Enforces that `open` never throws: its errors go to `events.onError` in a later turn of the event loop. */
export function neverThrowing(upstream: Upstream): Upstream {
  return {
    open(request, events) {
      try {
        return upstream.open(request, events);
      } catch (cause) {
        return failedCall(events, new UpstreamError("unreachable", "the request could not be sent", { cause }));
      }
    },
    close: () => upstream.close(),
  };
}

function failedCall(events: UpstreamEvents, error: UpstreamError): UpstreamCall {
  let timer: ReturnType<typeof setImmediate> | undefined = setImmediate(() => {
    timer = undefined;
    events.onError(error);
  });
  return {
    write: () => true,
    end() {},
    pause() {},
    resume() {},
    abort: () => clearImmediate(timer),
  };
}

export interface UpstreamOrigin {
  readonly secure: boolean;
  /** Host name or address, without brackets. */
  readonly host: string;
  readonly port: number;
}

export interface UpstreamRequest {
  readonly origin: UpstreamOrigin;
  readonly method: string;
  /** Sent unchanged; the caller guarantees that it contains no space and no control byte. */
  readonly path: string;
  /**
   * All header lines as raw pairs, Latin-1, `Host` and the framing of the body included: `Content-Length` with
   * `framing: "length"`, `Transfer-Encoding: chunked` with `"chunked"`, neither with `"none"`.
   */
  readonly headers: readonly string[];
  readonly framing: "none" | "length" | "chunked";
  /** The complete body with its framing, if it is in memory. It is sent with the head, and `end` is not called. */
  readonly body?: Uint8Array | undefined;
  /** Whether the headers ask for another protocol, so that a 101 is a response and not a fault. */
  readonly upgrade?: boolean;
}

/** Header lists are raw pairs, spelled as on the wire. */
export interface UpstreamEvents {
  /** A 1xx other than 101. */
  onInformation?(status: number, headers: string[]): void;
  onHead(status: number, reason: string, headers: readonly string[]): void;
  /** The upstream does not reuse `bytes`. */
  onData(bytes: Uint8Array): void;
  onEnd(): void;
  onError(error: UpstreamError): void;
  /** There is room again, after `write` returned false. */
  onDrain?(): void;
  /** A 101: the receiver now owns `socket`, which is paused; `early` was read with the head. */
  onUpgrade?(status: number, reason: string, headers: string[], socket: ByteSocket, early: Uint8Array): void;
}

export interface UpstreamCall {
  /** When it was sent, of `performance.now()`, if known. */
  readonly sentMs?: number | undefined;
  /** @returns false if the caller should wait for `onDrain` before it writes more. */
  write(bytes: Uint8Array): boolean;
  end(): void;
  /** Neither `onData` nor `onEnd` is called between `pause` and `resume`; TCP holds the provider back. */
  pause(): void;
  resume(): void;
  abort(): void;
}

/**
 * `unreachable`: name resolution, connection or TLS failed; `forbidden`: the address must not be called; `broken`: closed or
 * reset before the response was complete; `protocol`: the response is not well-formed HTTP.
 */
type UpstreamErrorKind = "unreachable" | "forbidden" | "broken" | "protocol";

/** A failure on the provider's side. `message` contains no credential and can be shown to the client. */
export class UpstreamError extends Error {
  readonly kind: UpstreamErrorKind;

  constructor(kind: UpstreamErrorKind, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "UpstreamError";
    this.kind = kind;
  }
}

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

export interface UpstreamOptions {
  /**
   * Resolves an origin to the addresses that may be connected to, in the order in which they are tried; literal addresses
   * are passed as well. It throws an UpstreamError to refuse. Nothing else resolves names.
   */
  readonly resolve: (origin: UpstreamOrigin) => Promise<readonly ResolvedAddress[]>;
  /** PEM certificates of all trusted authorities; undefined means the system's. */
  readonly ca?: readonly string[];
  /** Unused connections are closed after this time; providers close theirs after 15 s or more. */
  readonly idleMs?: number;
  readonly headBytesMax?: number;
  /** Opens the connections without TLS. */
  readonly sockets?: Sockets;
  /** Calls `work` at the end of this turn of the event loop. Complete requests on kept connections are sent then, together. */
  readonly atTurnEnd?: (work: () => void) => void;
  /** How long after sending, in milliseconds, a request counts as unread if its kept-alive connection closes. */
  readonly unreadMs?: number;
}

export const UPSTREAM_DEFAULTS = {
  idleMs: 12_000,
  headBytesMax: 256 * 1_024,
  connectMs: 10_000,
  unreadMs: 1_000,
} as const;

/** RFC 9110 §9.2.2: repeating the request has the same effect as sending it once. */
const IDEMPOTENT: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]);

/**
 * Whether a request may be resent after its kept-alive connection was lost without a byte of a response. If the provider
 * closed the idle connection, the request fails within a round trip: later than that it may have been read, and a model may
 * be working on it.
 *
 * @param sentAt - of `performance.now()`.
 */
export function mayResend(method: string, sentAt: number, unreadMs: number = UPSTREAM_DEFAULTS.unreadMs): boolean {
  return IDEMPOTENT.has(method) || performance.now() - sentAt < unreadMs;
}
