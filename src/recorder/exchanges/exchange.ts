import type { RecordKey } from "../../engine/record-source.ts";
import type { BeginMeta, EndMeta, HeadMeta, Position } from "../../spool/frame.ts";
import type { WithHeaders } from "../../spool/read-meta.ts";
import type { Capture } from "./capture.ts";
import type { ProviderSide } from "./provider-side.ts";

/** One exchange, from its first frame until its record is stored. */
export interface Exchange {
  /** A UUID in lower case. */
  readonly id: string;
  begin: WithHeaders<BeginMeta>;
  readonly request: Capture;
  readonly response: Capture;
  /** WebSocket messages; each part is one message as JSON. Undefined until there is one. */
  messages: Capture | undefined;
  /** What the provider received and sent, if it differs from what the client sent and received. */
  provider: ProviderSide | undefined;
  head: WithHeaders<HeadMeta> | undefined;
  end: EndMeta | undefined;
  /** The earliest position in the spool that it still needs; its earlier frames are known. */
  needs: Position;
  /** Number of the carry file that holds its earlier frames, or 0. */
  carry: number;
  /** When its begin was read, in milliseconds of the monotonic clock. */
  readonly readAt: number;
  /** Whether the database has a row for it. After a restart or a database error this is unknown and must be queried. */
  row: "none" | "stored" | "unknown";
  /** The row's key, if `row` is "stored". */
  key: RecordKey | undefined;
  /** A plugin rejected the row that it has while in flight. */
  dropped: boolean;
  /** Property changes made through the API while in flight; they override the headers. */
  updated: Record<string, string | null> | undefined;
  /** Frames of it were lost because of damage. */
  incomplete: boolean;
}

/** Frees the memory that the exchange's bodies hold. */
export function release(exchange: Exchange): void {
  exchange.request.release();
  exchange.response.release();
  exchange.messages?.release();
  exchange.provider?.release();
}
