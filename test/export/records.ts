/** One recorded request as the query API shows it. */
export type ApiRecord = Readonly<Record<string, unknown>> & {
  readonly request_id: string;
  readonly request_created_at: string;
  readonly properties: Readonly<Record<string, string>>;
};

/** Text that has broken an exporter somewhere. */
export const HOSTILE = [
  "plain",
  "",
  " spaces around ",
  "comma, and; semicolon",
  'a "quoted" word',
  '"',
  "two\nlines",
  "two\r\nlines",
  "\r",
  "emoji 🦦 and 漢字 and \u2028 a line separator",
  "nul \u0000 inside",
  "=1+1",
  "+1",
  "-1",
  "@SUM(A1)",
  "\ttab first",
  "\rreturn first",
  "back\\slash \\",
  "{not json",
  "null",
  "true",
  "0012",
  "a lone surrogate \ud800",
];

/** Signed addresses differ from one response to the next. */
let signatures = 0;
const MODELS = ["gpt-5", "claude-opus-5", "=model"];
const START_MS = Date.parse("2026-03-01T00:00:00.000Z");

/**
 * The record number `index`: the same each time. Seven records share each moment, so that ties happen at every bound
 * of a page.
 */
export function makeRecord(index: number): ApiRecord {
  const created = new Date(START_MS + Math.floor(index / 7) * 1000);
  const text = HOSTILE[index % HOSTILE.length] ?? "";
  const properties: Record<string, string> = index % 3 === 0 ? {} : { Team: index % 2 === 0 ? "night" : "day" };
  if (index % 5 === 0) properties["Note, odd"] = text;
  return {
    request_id: idOf(index),
    request_created_at: created.toISOString(),
    request_path: `/v1/chat/completions?i=${index}`,
    request_user_id: index % 4 === 0 ? null : text,
    request_model: MODELS[index % 3],
    request_body: { messages: [{ role: "user", content: text }], n: index },
    request_properties: properties,
    response_id: `resp-${index}`,
    response_created_at: new Date(created.getTime() + 250).toISOString(),
    response_status: index % 11 === 0 ? null : 200,
    response_body: index % 6 === 0 ? text : { choices: [{ message: { content: text } }], at: [1, 2, [3]] },
    provider: "OPENAI",
    model: MODELS[index % 3],
    delay_ms: 250.5 + index,
    time_to_first_token: null,
    prompt_tokens: index,
    completion_tokens: index % 11 === 0 ? null : index * 2,
    total_tokens: index * 3,
    cost: index % 13 === 0 ? null : index / 1e6,
    costUSD: index % 13 === 0 ? null : index / 1e6,
    organization_id: "org-1",
    session_name: text,
    streamed: index % 2 === 0,
    cache_enabled: false,
    feedback_rating: index % 9 === 0 ? true : null,
    scores: index % 8 === 0 ? { quality: -1.5 } : {},
    assets: [],
    asset_ids: [],
    asset_urls: { a: `http://signed.test/${signatures++}` },
    signed_body_url: `http://signed.test/${signatures++}`,
    llmSchema: null,
    properties,
    updated_at: created.toISOString(),
    an_unforeseen_member: index % 2 === 0 ? { later: text } : text,
  };
}

/** UUIDs whose order is not the order of arrival. */
function idOf(index: number): string {
  const mixed = (Math.imul(index + 1, 2654435761) >>> 0).toString(16).padStart(8, "0");
  return `${mixed}-0000-7000-8000-${index.toString(16).padStart(12, "0")}`;
}

/** The record as an export is to show it: without what expires. */
export function lasting(record: ApiRecord, includeBody: boolean): Record<string, unknown> {
  const { asset_urls, signed_body_url, ...rest } = record;
  const { request_body, response_body, provider_request, provider_response, llmSchema, ...metrics } = rest;
  return includeBody ? rest : metrics;
}
