import type { ByteSocket, Sockets } from "./sockets.ts";

/**
 * The client side towards providers. It passes a request on byte for byte, which `fetch` cannot: that one rewrites
 * paths, merges and sorts headers, turns unknown methods into GET and loses early heads.
 */
export interface Upstream {
  /**
   * Sends a request. Never throws: what goes wrong arrives at `events.onError`, at the earliest after this has returned.
   *
   * At most one of `onEnd`, `onError` and `onUpgrade` is called, once, and nothing after it; nothing after `abort`.
   */
  open(request: UpstreamRequest, events: UpstreamEvents): UpstreamCall;
  /** Closes idle connections and, once they are done, the others. */
  close(): void;
}

/** The same upstream held to its word: what its `open` throws arrives at `events.onError`, in a later turn of the event loop. */
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
  /** Sent as it is; the caller has made sure that it holds no space and no control byte. */
  readonly path: string;
  /**
   * All header lines as raw pairs, Latin-1, `Host` and the framing of the body included: `Content-Length` with
   * `framing: "length"`, `Transfer-Encoding: chunked` with `"chunked"`, neither with `"none"`.
   */
  readonly headers: readonly string[];
  readonly framing: "none" | "length" | "chunked";
  /** The whole body as it is framed, where it is in memory. It goes out with the head, and `end` is not called. */
  readonly body?: Uint8Array;
  /** Whether the headers ask for another protocol, so that a 101 is a response and not a fault. */
  readonly upgrade?: boolean;
}

/** Header lists are raw pairs, spelled as on the wire. */
export interface UpstreamEvents {
  /** A 1xx other than 101. */
  onInformation?(status: number, headers: string[]): void;
  onHead(status: number, reason: string, headers: readonly string[]): void;
  /** `bytes` are not touched again by the upstream. */
  onData(bytes: Uint8Array): void;
  onEnd(): void;
  onError(error: UpstreamError): void;
  /** After `write` answered false: there is room again. */
  onDrain?(): void;
  /** A 101: `socket` now belongs to the receiver, paused; `early` was read with the head. */
  onUpgrade?(status: number, reason: string, headers: string[], socket: ByteSocket, early: Uint8Array): void;
}

export interface UpstreamCall {
  /** @returns false where the caller should wait for `onDrain` before it writes more. */
  write(bytes: Uint8Array): boolean;
  end(): void;
  /** No `onData` and no `onEnd` comes between `pause` and `resume`; the provider is held back by TCP. */
  pause(): void;
  resume(): void;
  abort(): void;
}

/**
 * `unreachable`: name, connection or TLS failed; `forbidden`: the address is one that must not be called;
 * `broken`: closed or reset before the response was whole; `protocol`: the response is not well-formed HTTP.
 */
type UpstreamErrorKind = "unreachable" | "forbidden" | "broken" | "protocol";

/** A failure of the provider's side. `message` names no credential and can be shown to the client. */
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
   * Turns an origin into the addresses that may be connected to, in the order in which they are tried; literal
   * addresses are asked as well. It throws an UpstreamError to refuse. Nothing else looks a name up.
   */
  readonly resolve: (origin: UpstreamOrigin) => Promise<readonly ResolvedAddress[]>;
  /** PEM certificates of every authority that is trusted; undefined means the system's. */
  readonly ca?: readonly string[];
  /** Unused connections are closed after this; providers close theirs after 15 s and more. */
  readonly idleMs?: number;
  readonly headBytesMax?: number;
  /** What connections without TLS are opened with. */
  readonly sockets?: Sockets;
  /** For so long after it was sent, a request whose kept connection closes counts as not read. */
  readonly unreadMs?: number;
}

export const UPSTREAM_DEFAULTS = {
  idleMs: 12_000,
  headBytesMax: 256 * 1_024,
  connectMs: 10_000,
  unreadMs: 1_000,
} as const;

/** RFC 9110, 9.2.2: asking twice does what asking once does. */
const IDEMPOTENT: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]);

/**
 * Whether a request may be sent again after its kept connection was lost without a byte of a response. One that the
 * provider closed while it lay idle fails within a round trip: after that the request may have been read, and a model
 * be at work on it.
 *
 * @param sentAt - of `performance.now()`.
 */
export function mayResend(method: string, sentAt: number, unreadMs: number = UPSTREAM_DEFAULTS.unreadMs): boolean {
  return IDEMPOTENT.has(method) || performance.now() - sentAt < unreadMs;
}
