import type { RequestRow } from "../../../record/written-row.ts";
import type { Excerpts, StoredPart } from "../../../store/packs/request-content.ts";
import type { Storable } from "../../storable.ts";

/**
 * Maximum bytes of both bodies for which a record's input and output are stored in packs. There they take almost no space,
 * because the bodies in the pack contain the same text; in the row they would take as much as the rest of a small record. A
 * pack holds only a few larger records, so a list would have to read as many packs as it has rows.
 */
export const PACKED_SIZE_MAX = 8_192;

/** The row's columns for a record with packed excerpts. */
export const PACKED = { input: null, output: null, excerpts_packed: 1 } as const;

/** The input and output of a row, if they are to be stored in packs with these parts. */
export function packedExcerpts(
  { input = null, output = null, size_bytes: size = 0 }: Pick<RequestRow, "input" | "output" | "size_bytes">,
  parts: readonly StoredPart[],
): Excerpts | undefined {
  if (parts.length === 0 || size > PACKED_SIZE_MAX || (input === null && output === null)) return undefined;
  return { input, output };
}

/** The record as it is written: with its input and output in the row, or as `excerpts` with its bodies. */
export function withPackedExcerpts(record: Storable): Storable {
  const excerpts = packedExcerpts(record.row, record.parts);
  return excerpts === undefined ? record : { ...record, excerpts };
}
