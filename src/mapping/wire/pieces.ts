import type { Json } from "../../plugin-host/contract.ts";
import { textOf } from "../json.ts";

/** Appends the next piece to the text; a value that is not text counts as empty. */
export const grown = (kept: Json, piece: Json): string => (textOf(kept) ?? "") + (textOf(piece) ?? "");

/** The entries sorted by index, in any order of arrival. */
export const inOrder = <T>(entries: ReadonlyMap<number, T>): T[] =>
  [...entries].sort(([a], [b]) => a - b).map(([, entry]) => entry);
