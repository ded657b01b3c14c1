/**
 * How a request of the unified address was routed, and what was done to its bodies. Blocks made so far lack the columns
 * `route` and `credential`: they are made again, in steps, and metrics come from the records meanwhile.
 */
export const ROUTING = [
  "alter table requests add column route text",
  "alter table requests add column route_reason text",
  "alter table requests add column credential text",
  "alter table requests add column routed_model text",
  "alter table requests add column gateway_warnings text default '[]' not null",
  "alter table requests add column ai_gateway_body_mapping text default 'NO_MAPPING' not null",
  "delete from block_columns",
  "delete from block_parts",
  "delete from blocks",
  "delete from block_changes",
  "update block_watch set seq = 0, token = '' where id = 1",
];
