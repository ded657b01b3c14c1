import { PROPERTY_PREFIX, SCORE_PREFIX } from "../../filter/group-by.ts";
import type { Alert, Group } from "../../store/alerts/alerts.ts";

/** Filter fields for the names by which alerts group, if they differ. */
const FIELDS: Readonly<Record<string, string>> = { user: "user_id", key: "gateway_user", prompt: "prompt_id" };

/**
 * The dashboard's list of the requests that an event counted.
 *
 * @param origin - of the dashboard, without a trailing slash.
 * @param times - ISO 8601.
 */
export function requestsLink(
  origin: string,
  { filter }: Alert,
  group: Group,
  times: { readonly from: string; readonly to: string },
): string {
  const leaves = Object.entries(group).map(([name, value]) => leafOf(name, value));
  const [first, ...rest] = [...(filter === "all" ? [] : [filter]), ...leaves];
  const tree = rest.reduce<unknown>((left, right) => ({ left, operator: "and", right }), first);
  const search = new URLSearchParams({ ...(tree !== undefined && { filter: JSON.stringify(tree) }), ...times });
  return `${origin}/requests?${search}`;
}

function leafOf(name: string, value: unknown): object {
  const is = { equals: value };
  if (name === "session") return { sessions_request_response_rmt: { session_session_id: is } };
  if (name.startsWith(PROPERTY_PREFIX))
    return { request_response_rmt: { properties: { [name.slice(PROPERTY_PREFIX.length)]: is } } };
  if (name.startsWith(SCORE_PREFIX))
    return { request_response_rmt: { scores: { [name.slice(SCORE_PREFIX.length)]: is } } };
  return { request_response_rmt: { [FIELDS[name] ?? name]: is } };
}
