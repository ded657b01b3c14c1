/**
 * Jobs over old records store their position as the time and id of a record, because record numbers depend on the engine.
 * Judges no longer have a position: the recorder queues new records, and records that were not checked yet are queued here.
 */
export const WALKS = [
  "alter table mappings add column reread_id text",
  `update mappings set
    reread_id = (select r.request_id from requests r where r.seq = mappings.reread_after),
    reread_after = coalesce((select r.request_created_at from requests r where r.seq = mappings.reread_after), 0)
    where reread_after is not null`,
  "update judgements set state = 'new' where state = 'in_flight'",
  `insert into judgements (judge_id, request_id, organization_id, state, created_at, updated_at)
    select j.id, r.request_id, j.organization_id, 'new', r.updated_at, r.updated_at
    from judges j cross join requests r on r.seq > j.position and +r.organization_id = j.organization_id
    where j.enabled = 1 and r.attempt_of is null and json_extract(r.properties, '$."Weir-Judge"') is null
    on conflict do nothing`,
  "alter table judges drop column position",
];
