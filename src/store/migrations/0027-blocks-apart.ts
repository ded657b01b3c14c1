/**
 * Blocks are made of the newest records first, with gaps between them. An older Weir takes all below the highest block as
 * held, and must not read this; the index tells whether a block holds a record.
 */
export const BLOCKS_APART = ["create index blocks_held on blocks (last_seq, first_seq)", "drop index blocks_last"];
