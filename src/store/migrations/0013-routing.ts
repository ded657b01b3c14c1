/**
 * How a request of the unified address was routed, and how its bodies were changed. Existing blocks lack the columns `route`
 * and `credential`: they are rebuilt in steps, and metrics are computed from the records meanwhile.
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
