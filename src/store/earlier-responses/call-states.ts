import type { CallMemories, CallMemory } from "../../mapping/translate/call-memory.ts";
import type { Database, Statement } from "../store.ts";

const KEPT_MS = 86_400_000;

/** State of one call, stored with the record of the response that made the call. */
export interface CallState {
  readonly organizationId: string;
  readonly callId: string;
  readonly requestId: string;
  readonly state: CallMemory;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** Statements that store call states and delete those older than a day. */
export function keepCalls(calls: readonly CallState[], now: number): Statement[] {
  if (calls.length === 0) return [];
  const kept = calls.map(({ organizationId, callId, requestId, state, createdAt }) => ({
    sql: `insert into call_states (organization_id, call_id, request_id, state, created_at) values (?, ?, ?, ?, ?)
      on conflict (organization_id, call_id) do update
      set request_id = excluded.request_id, state = excluded.state, created_at = excluded.created_at`,
    args: [organizationId, callId, requestId, JSON.stringify(state), createdAt],
  }));
  return [...kept, { sql: "delete from call_states where created_at < ?", args: [now - KEPT_MS] }];
}

/** Deletes the call states of these requests. @param requestIds - a JSON list. */
export const forgetCalls = (requestIds: string): Statement => ({
  sql: "delete from call_states where request_id in (select value from json_each(?))",
  args: [requestIds],
});

/** Stored states of one organization's calls, by call id. */
export async function callStatesOf(
  records: Database,
  organizationId: string,
  callIds: readonly string[],
  now: number,
): Promise<CallMemories> {
  const rows = await records.query<{ call_id: string; state: string }>({
    sql: `select call_id, state from call_states
      where organization_id = ? and call_id in (select value from json_each(?)) and created_at >= ?`,
    args: [organizationId, JSON.stringify(callIds), now - KEPT_MS],
  });
  return Object.fromEntries(rows.map(({ call_id, state }) => [call_id, JSON.parse(state)]));
}
