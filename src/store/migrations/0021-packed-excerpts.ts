/** The input and output of small requests are stored in packs. Older records keep theirs in the row. */
export const PACKED_EXCERPTS = ["alter table requests add column excerpts_packed integer"];
