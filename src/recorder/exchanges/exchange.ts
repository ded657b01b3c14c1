import type { RecordKey } from "../../engine/record-source.ts";
import type { BeginMeta, EndMeta, HeadMeta, Position } from "../../spool/frame.ts";
import type { Capture } from "./capture.ts";
import type { ProviderSide } from "./provider-side.ts";

/** One exchange while its frames come in, and until its record is stored. */
export interface Exchange {
  /** A UUID in lower case. */
  readonly id: string;
  begin: BeginMeta;
  readonly request: Capture;
  readonly response: Capture;
  /** WebSocket messages, each part one of them as JSON. */
  readonly messages: Capture;
  /** What went to the provider and came from it, where that is not what the client sent and gets. */
  provider: ProviderSide | undefined;
  head: HeadMeta | undefined;
  end: EndMeta | undefined;
  /** The earliest place in the spool that it still needs; its frames before it are known already. */
  needs: Position;
  /** Number of the carry file that keeps its earlier frames, or 0. */
  carry: number;
  /** When its begin was read, by the monotonic clock, in milliseconds. */
  readonly readAt: number;
  /** Whether the database has a row of it: it may after a restart or a database error, and then must be asked. */
  row: "none" | "stored" | "unknown";
  /** The row's, where `row` is "stored". */
  key: RecordKey | undefined;
  /** A row that is in flight was not wanted by a plugin. */
  dropped: boolean;
  /** Property changes made through the API while in flight; they go on top of what the headers said. */
  updated: Record<string, string | null> | undefined;
  /** Frames of it were lost to damage. */
  incomplete: boolean;
}

/** Gives back the memory that the exchange's bodies hold. */
export function release(exchange: Exchange): void {
  exchange.request.release();
  exchange.response.release();
  exchange.messages.release();
  exchange.provider?.release();
}
