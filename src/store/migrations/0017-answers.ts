/** Which request created a response that a provider stores, and the state of calls that clients do not send back. */
export const ANSWERS = [
  `create index requests_responses on requests (organization_id, response_id)
    where credential is not null and response_id is not null and wire_schema = 'responses'`,
  `create table call_states (
    organization_id text not null, call_id text not null, request_id text not null, state text not null,
    created_at integer not null, primary key (organization_id, call_id)
  )`,
  "create index call_states_request on call_states (request_id)",
  "create index call_states_created on call_states (created_at)",
];
