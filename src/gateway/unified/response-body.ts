import type { ApiError } from "../../plugin-host/contract.ts";
import type { UnframedEvents, UsageStripper } from "../../unified/response.ts";
import type { ResponseOptions } from "./outcome.ts";

/** What is done with the body of an attempt's response. */
export interface ResponseBody {
  onData(bytes: Uint8Array): void;
  onEnd(): void;
  /** It has been held back for as long as it may. */
  release(): void;
  /** The provider failed after the head had left. */
  onBroken(error: ApiError): void;
  /** Whether the client wants a sign of life now. */
  keepAlive?(): void;
}

/** The response that a body belongs to. */
export interface BodyHost {
  readonly options: ResponseOptions;
  /**
   * The head leaves: the response is the client's.
   *
   * @param headers - of a translated response; undefined where the provider's pass.
   */
  sendHead(headers: readonly string[] | undefined, filter?: UnframedEvents | UsageStripper, estimated?: boolean): void;
  /** Whether it must be notified of a stream's first content. */
  readonly awaitsContent: boolean;
  noteContent(): void;
  /** Notes the head of the provider's own response beside the client's. */
  noteHead(): void;
  /** What came before the head left, unpacked; undefined where it cannot be. */
  heldBytes(): Promise<Uint8Array | undefined>;
  /** Whether nothing more is sent, such as after the client has left. */
  readonly isOver: boolean;
  /** Runs what translates, and counts its time. */
  translating<T>(work: () => T): T;
  /** The response has ended. */
  finish(outputTokens?: number): void;
  /** An error inside a success, before any content. */
  failInStream(error: ApiError): void;
  failMalformed(): void;
  /** Ends the client's connection. */
  cutOff(error: ApiError): void;
}

export const STREAM_HEADERS: readonly string[] = [
  ...["Content-Type", "text/event-stream; charset=utf-8"],
  ...["Cache-Control", "no-cache"],
];
