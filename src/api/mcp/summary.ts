import type { Json } from "../../plugin-host/contract.ts";
import { shortened } from "./bounds.ts";

/** Characters of each turn in a list. */
const SAID_CHARS = 300;

/** The members of a request in a list; missing ones are left out. */
export function summaryOf(record: Json): Readonly<Record<string, unknown>> {
  return present({
    id: record.request_id,
    created: record.request_created_at,
    provider: record.provider,
    model: record.model,
    status: record.response_status,
    outcome: record.outcome === "complete" ? null : record.outcome,
    error: shortened(record.error_message ?? record.error_code, SAID_CHARS),
    finish_reason: record.finish_reason,
    latency_ms: record.delay_ms,
    time_to_first_token_ms: record.time_to_first_token,
    prompt_tokens: record.prompt_tokens,
    completion_tokens: record.completion_tokens,
    cost_usd: record.cost,
    cached: record.cached || null,
    user: record.request_user_id,
    session: record.session_id,
    session_path: record.session_path,
    route: record.route,
    properties: filled(record.properties),
    scores: filled(record.scores),
    feedback: record.feedback_rating,
    input: shortened(record.input, SAID_CHARS),
    output: shortened(record.output, SAID_CHARS),
  });
}

export function present(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));
}

function filled(object: Json): unknown {
  return object !== null && typeof object === "object" && Object.keys(object).length > 0 ? object : null;
}
