/**
 * `refused` is what the gateway refused for what the request was; what it could not serve is `failed` from now on. Blocks
 * made so far lack the column `outcome`: they are made again, in steps, and metrics come from the records meanwhile.
 */
export const OUTCOMES = [
  "delete from block_columns",
  "delete from block_parts",
  "delete from blocks",
  "delete from block_changes",
  "update block_watch set seq = 0, token = '' where id = 1",
  "update requests set outcome = 'failed' where outcome = 'refused' and response_status >= 500",
];
