/**
 * Blocks are made from the newest records first and may have gaps between them. Older versions assume that blocks hold
 * everything below the highest one, so they must not read this database; the index finds whether a block holds a record.
 */
export const BLOCKS_APART = ["create index blocks_held on blocks (last_seq, first_seq)", "drop index blocks_last"];
