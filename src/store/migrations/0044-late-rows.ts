/**
 * Inserted records that a block covers already are noted by the statement that follows them. This trigger ran for each record,
 * although nearly all are newer than every block.
 */
export const LATE_ROWS = ["drop trigger block_inserted"];
