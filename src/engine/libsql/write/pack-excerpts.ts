import type { RequestRow } from "../../../record/written-row.ts";
import type { Excerpts, StoredPart } from "../../../store/packs/request-content.ts";
import type { Storable } from "../../storable.ts";

/**
 * Bytes of both bodies up to which a record's input and output stand in the packs. They take nearly nothing there, because
 * the bodies beside them say the same; in the row they would take as much as all else of a small record. Of larger
 * records a pack holds only a few, so that a list would have to read as many packs as it has rows.
 */
export const PACKED_SIZE_MAX = 8_192;

/** What the row holds in their place. */
export const PACKED = { input: null, output: null, excerpts_packed: 1 } as const;

/** Input and output of a row where they are to stand in the packs, beside these parts. */
export function packedExcerpts(
  { input = null, output = null, size_bytes: size = 0 }: Pick<RequestRow, "input" | "output" | "size_bytes">,
  parts: readonly StoredPart[],
): Excerpts | undefined {
  if (parts.length === 0 || size > PACKED_SIZE_MAX || (input === null && output === null)) return undefined;
  return { input, output };
}

/** The record as it is written: with its input and output in the row, or beside its bodies. */
export function withPackedExcerpts<Each extends Storable>(record: Each): Each & { readonly excerpts?: Excerpts } {
  const excerpts = packedExcerpts(record.row, record.parts);
  return excerpts === undefined ? record : { ...record, row: { ...record.row, ...PACKED }, excerpts };
}
