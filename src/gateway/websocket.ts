import type { Socket } from "node:net";
import type { Outcome, RawHeaders } from "../spool/frame.ts";
import type { Recording } from "./recording.ts";

export interface Joint {
  readonly client: Socket;
  readonly clientEarly: Uint8Array;
  readonly provider: Socket;
  readonly providerEarly: Uint8Array;
  /** Of the 101. */
  readonly headers: RawHeaders;
  readonly recording: Recording;
  /** Called exactly once. */
  readonly onEnd: (outcome: Outcome) => void;
}

export function joinSockets(_joint: Joint): () => void {
  return () => {};
}
