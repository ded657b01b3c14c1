import { type CallState, keepCalls } from "../store/earlier-responses/call-states.ts";
import type { Statement } from "../store/store.ts";
import { CountedModels } from "./counted-models.ts";
import type { Storable } from "./storable.ts";

/**
 * Statements for what the libSQL database stores about records, whichever database holds them: models, call states, last use
 * of keys.
 */
export function statementsBeside(records: readonly Storable[], now: number): Statement[] {
  const models = new CountedModels();
  const keys = new Map<string, number>();
  const states: CallState[] = [];
  for (const { row, callStates } of records) {
    models.add(row);
    if (callStates !== undefined) states.push(...callStates);
    keys.set(row.key_id, Math.max(keys.get(row.key_id) ?? 0, row.request_created_at));
  }
  return [...models.statements(), ...keepCalls(states, now), ...[...keys].map(([id, time]) => keyUsed(id, time))];
}

function keyUsed(id: string, time: number): Statement {
  return {
    sql: "update keys set last_used_at = ?1 where id = ?2 and coalesce(last_used_at, 0) < ?1",
    args: [time, id],
  };
}
