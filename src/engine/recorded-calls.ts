import type { RequestRow } from "../record/request-record.ts";
import type { CallTotals } from "../store/datasets/run-results.ts";
import { keysOf, type RecordSource } from "./record-source.ts";

/** Cost, timing and scores of a request, from its record. */
export interface RecordedCall extends CallTotals {
  readonly request_id: string;
  readonly status: number | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly scores: Readonly<Record<string, number>>;
}

const COLUMNS = [
  ...(["request_id", "response_status", "error_code", "error_message", "scores", "provider", "model"] as const),
  ...(["prompt_tokens", "completion_tokens", "cost", "delay_ms", "time_to_first_token"] as const),
] as const;

/** Recorded calls by request id. */
export async function recordedCalls(
  source: RecordSource,
  organizationId: string,
  requestIds: readonly string[],
): Promise<ReadonlyMap<string, RecordedCall>> {
  const keys = keysOf([...new Set(requestIds)]);
  const listed = await source.listed({ organizationId, sight: "figures", keys }, COLUMNS);
  return new Map(listed.map(({ row }) => [row.request_id, callOf(row)]));
}

/** An engine may return more columns than requested. */
function callOf(row: Pick<RequestRow, (typeof COLUMNS)[number]>): RecordedCall {
  const { request_id, error_code, error_message, provider, model, prompt_tokens, completion_tokens, cost } = row;
  return {
    ...{ request_id, provider, model, prompt_tokens, completion_tokens, cost, error_code, error_message },
    ...{ status: row.response_status, latency: row.delay_ms, first_token: row.time_to_first_token },
    scores: JSON.parse(row.scores),
  };
}
