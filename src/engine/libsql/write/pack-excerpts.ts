import { type Excerpts, shownExcerpts } from "../../../record/excerpt.ts";
import type { RequestRow } from "../../../record/written-row.ts";
import type { StoredPart } from "../../../store/packs/request-content.ts";
import type { Storable } from "../../storable.ts";

/**
 * Maximum bytes of both bodies for which a record's input and output are stored in packs. There they take almost no space,
 * because the bodies in the pack contain the same text; in the row they would take as much as the rest of a small record. A
 * pack holds only a few larger records, so a list would have to read as many packs as it has rows.
 */
export const PACKED_SIZE_MAX = 8_192;

/** The row's columns for a record with packed excerpts. */
export const PACKED = { input: null, output: null, excerpts_packed: 1 } as const;

/** Whether an input and output are to be stored in packs with these parts. */
export function arePacked(
  { input, output }: Excerpts,
  { size_bytes: size = 0 }: Pick<RequestRow, "size_bytes">,
  parts: readonly StoredPart[],
): boolean {
  return parts.length > 0 && size <= PACKED_SIZE_MAX && (input !== null || output !== null);
}

/** The input and output of a row. */
export const excerptsOfRow = ({ input = null, output = null }: Partial<RequestRow>): Excerpts => ({ input, output });

/**
 * The record as it is written: with its input and output in the row, masked, or as `excerpts` with its bodies. These are masked
 * when they are read: bodies are not masked either, and far more records are written than listed.
 *
 * @param isNear - whether packs are in the database.
 */
export function withPlacedExcerpts(record: Storable, isNear: boolean): Storable {
  const { row, parts, excerpts } = record;
  const all = excerpts ?? excerptsOfRow(row);
  if (isNear && arePacked(all, row, parts)) return excerpts === undefined ? { ...record, excerpts: all } : record;
  if (excerpts === undefined) return record;
  return { ...record, row: { ...row, ...shownExcerpts(excerpts) }, excerpts: undefined };
}
