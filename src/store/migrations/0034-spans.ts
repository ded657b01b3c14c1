/** The place of requests in traces that programs sent. */
export const SPANS = [
  `create table spans (
    request_id text primary key not null,
    organization_id text not null,
    trace_id text not null,
    span_id text,
    parent_span_id text,
    name text not null,
    kind text not null
  ) without rowid`,
  "create index spans_trace on spans (organization_id, trace_id)",
];
