/**
 * `refused` is what the gateway refused because of the request; what it could not serve is `failed` from now on. Existing
 * blocks lack the column `outcome`: they are rebuilt in steps, and metrics are computed from the records meanwhile.
 */
export const OUTCOMES = [
  "delete from block_columns",
  "delete from block_parts",
  "delete from blocks",
  "delete from block_changes",
  "update block_watch set seq = 0, token = '' where id = 1",
  "update requests set outcome = 'failed' where outcome = 'refused' and response_status >= 500",
];
