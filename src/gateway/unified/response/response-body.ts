import type { ApiError } from "../../../plugin-host/contract.ts";
import type { Soon } from "../../../runtime/pending.ts";
import type { UnframedEvents, UsageStripper } from "../../../unified/passed-streams.ts";
import type { ResponseOptions } from "../call/outcome.ts";

/** Handles the body of an attempt's response. */
export interface ResponseBody {
  onData(bytes: Uint8Array): void;
  onEnd(): void;
  /** It must not be held back any longer. */
  release(): void;
  /** The provider failed after the head was sent. */
  onBroken(error: ApiError): void;
  /** Sends a keep-alive if the client is due one. */
  keepAlive?(): void;
}

/** The response that a body belongs to. */
export interface BodyHost {
  readonly options: ResponseOptions;
  /**
   * Sends the head: from now on this is the client's response.
   *
   * @param headers - of a translated response; undefined to pass the provider's.
   */
  sendHead(headers: readonly string[] | undefined, filter?: UnframedEvents | UsageStripper, estimated?: boolean): void;
  /** Whether it must report a stream's first content by `noteContent`. */
  readonly awaitsContent: boolean;
  noteContent(): void;
  /** Records the head of the provider's own response next to the client's. */
  noteHead(): void;
  /** The bytes received before the head was sent, decompressed; undefined if they cannot be. */
  heldBytes(): Soon<Uint8Array | undefined>;
  /** Whether nothing more is sent, for example because the client has left. */
  readonly isOver: boolean;
  /** Runs a translation step, and measures its time. */
  translating<T>(work: () => T): T;
  /** The response has ended. */
  finish(outputTokens?: number): void;
  /** An error inside a success, before any content. @param gathered - the response, decompressed; default: what arrived. */
  failInStream(error: ApiError, gathered?: Uint8Array): void;
  failMalformed(): void;
  /** Ends the client's connection, or responds with the error if nothing has been sent. */
  cutOff(error: Pick<ApiError, "code" | "message">): void;
}

export const STREAM_HEADERS: readonly string[] = [
  ...["Content-Type", "text/event-stream; charset=utf-8"],
  ...["Cache-Control", "no-cache"],
];
