/** The input and output of small requests stand in the packs. Records made before keep theirs in the row. */
export const PACKED_EXCERPTS = ["alter table requests add column excerpts_packed integer"];
