import { JsonEnd } from "../../json-text/json-end.ts";
import type { Finish, Piece } from "../../plugin-host/contract.ts";

type PartPiece = Extract<Piece, { readonly part: number }>;

/** A choice's parts while they arrive. */
interface Choice {
  /** The open part, whose pieces are passed on immediately. */
  open: number | undefined;
  readonly ends: Map<number, Pick<JsonEnd, "reached" | "read">>;
  readonly closed: Set<number>;
  /** Pieces of parts that began while another part was open; by part, in the order of their beginning. */
  readonly waiting: Map<number, PartPiece[]>;
  called: boolean;
  /** Some providers send the end of a response twice; the second is ignored. */
  finished: boolean;
}

/**
 * Serializes the parts of a response: all pieces of a part, then its `close`, then the next part.
 *
 * Pieces are passed on as they arrive. A part waits only while an earlier call is incomplete; a call is complete when its
 * arguments are one complete JSON value, or at its `close`. Text and reasoning end when another part begins; citations of an
 * ended text are passed on, because some providers send all sources at the end. A response with a call ends with `calls`, regardless of the provider's reason, unless it ended for a special reason.
 */
export class Sequence {
  readonly #choices = new Map<number, Choice>();

  take(piece: Piece): readonly Piece[] {
    if ("part" in piece) {
      const out: Piece[] = [];
      const choice = this.#choice(piece.choice ?? 0);
      if (!choice.finished) this.#takePart(choice, piece, out);
      return out;
    }
    if (piece.type !== "finish") return [piece];
    const choice = this.#choice(piece.choice ?? 0);
    if (choice.finished) return [];
    choice.finished = true;
    const out: Piece[] = [];
    this.#drain(choice, piece.choice, out);
    out.push({ ...piece, finish: finishWith(piece.finish, choice.called) });
    return out;
  }

  #choice(index: number): Choice {
    let choice = this.#choices.get(index);
    if (choice === undefined) {
      choice = {
        open: undefined,
        ends: new Map(),
        closed: new Set(),
        waiting: new Map(),
        called: false,
        finished: false,
      };
      this.#choices.set(index, choice);
    }
    return choice;
  }

  #takePart(choice: Choice, piece: PartPiece, out: Piece[]): void {
    const { part } = piece;
    if (choice.closed.has(part)) {
      if (piece.type === "citation") out.push(piece);
      return;
    }
    const waiting = choice.waiting.get(part);
    if (waiting !== undefined) waiting.push(piece);
    else if (choice.open === part) this.#emit(choice, piece, out);
    // If no part is open, none is waiting.
    else if (choice.open === undefined) this.#begin(choice, piece, out);
    else choice.waiting.set(part, [piece]);
    this.#advance(choice, piece.choice, out);
  }

  /** Whether the open part is complete: everything except a call ends once another part begins. */
  #isComplete({ open, ends }: Choice): boolean {
    const end = ends.get(open!);
    return end === undefined || end.reached;
  }

  #begin(choice: Choice, piece: PartPiece, out: Piece[]): void {
    choice.open = piece.part;
    this.#emit(choice, piece, out);
  }

  #emit(choice: Choice, piece: PartPiece, out: Piece[]): void {
    if (piece.type === "close") {
      this.#close(choice, piece.choice, out);
      return;
    }
    if (piece.type === "call") {
      choice.called = true;
      // Free text has no recognizable end: it ends at its `close`.
      choice.ends.set(piece.part, piece.call.custom === true ? NEVER : new JsonEnd());
    } else if (piece.type === "arguments") {
      const end = choice.ends.get(piece.part);
      // The event with the call's name is missing: no client can use the arguments alone.
      if (end === undefined) return;
      end.read(piece.text);
    }
    out.push(piece);
  }

  #close(choice: Choice, index: number | undefined, out: Piece[]): void {
    const part = choice.open!;
    out.push(index === undefined ? { type: "close", part } : { type: "close", part, choice: index });
    choice.closed.add(part);
    choice.ends.delete(part);
    choice.open = undefined;
  }

  /** Releases waiting parts as far as earlier parts are complete. */
  #advance(choice: Choice, index: number | undefined, out: Piece[]): void {
    while (choice.waiting.size > 0 && (choice.open === undefined || this.#isComplete(choice))) {
      if (choice.open !== undefined) this.#close(choice, index, out);
      this.#release(choice, out);
    }
  }

  #release(choice: Choice, out: Piece[]): void {
    const [part, pieces] = choice.waiting.entries().next().value!;
    choice.waiting.delete(part);
    choice.open = part;
    for (const piece of pieces) this.#emit(choice, piece, out);
  }

  /** At the end all parts are complete. */
  #drain(choice: Choice, index: number | undefined, out: Piece[]): void {
    if (choice.open !== undefined) this.#close(choice, index, out);
    while (choice.waiting.size > 0) {
      this.#release(choice, out);
      if (choice.open !== undefined) this.#close(choice, index, out);
    }
  }
}

const NEVER = { reached: false, read: () => {} };

/** The finish reason of a response with or without a tool call. */
export function finishWith(finish: Finish, called: boolean): Finish {
  if (called) return finish === "end" || finish === "stop" ? "calls" : finish;
  return finish === "calls" ? "end" : finish;
}
