import { type EventFraming, type EventReader, eventReader } from "../mapping/events/event-reader.ts";
import type { ApiError, Json, Piece, Shape, StreamEvent } from "../plugin-host/contract.ts";

const CONTENT: ReadonlySet<Piece["type"]> = new Set(["text", "refusal", "reasoning", "call", "image", "hosted"]);

/** Checks the beginning of an unchanged stream: whether content has arrived, or an error before it. */
export class StreamWatch {
  readonly #reader: EventReader;
  readonly #shape: Shape | undefined;
  readonly #state: Json = {};
  hasContent = false;
  begun = false;
  error: ApiError | undefined;

  /** @param shape - undefined if the API is not translated. */
  constructor(framing: EventFraming, shape: Shape | undefined) {
    this.#reader = eventReader(framing);
    this.#shape = shape;
    if (this.#shape === undefined) this.hasContent = true;
  }

  push(bytes: Uint8Array): void {
    for (const event of this.#eventsIn(bytes)) {
      this.begun = true;
      for (const piece of this.#piecesOf(event)) {
        if (CONTENT.has(piece.type) || piece.type === "finish") this.hasContent = true;
        if (piece.type === "error" && !this.hasContent) this.error ??= piece.error;
      }
      if (this.hasContent) return;
    }
  }

  /** An event that a drop-in's shape cannot read counts as content. */
  #piecesOf(event: StreamEvent): readonly Piece[] {
    try {
      return this.#shape?.readEvent(this.#state, event) ?? [];
    } catch {
      this.hasContent = true;
      return [];
    }
  }

  /** An event larger than any that begins a stream counts as content. */
  #eventsIn(bytes: Uint8Array): readonly StreamEvent[] {
    try {
      return this.#reader.push(bytes);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.hasContent = true;
      return [];
    }
  }
}
