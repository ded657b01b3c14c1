import type { Json } from "../../plugin/contract.ts";
import { textOf } from "../json.ts";

/** What came so far with the piece that continues it; what is no text counts as empty. */
export const grown = (kept: Json, piece: Json): string => (textOf(kept) ?? "") + (textOf(piece) ?? "");

/** The entries by their index, whatever order they came in. */
export const inOrder = <T>(entries: ReadonlyMap<number, T>): T[] =>
  [...entries].sort(([a], [b]) => a - b).map(([, entry]) => entry);
