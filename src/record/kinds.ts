import type { kinds } from "./tables.ts";

/** Columns whose values a row of `requests` may store in a shared row of `kinds`. */
export const KIND_COLUMNS = [
  ...(["key_id", "gateway_user", "auth_hash", "method", "target_url", "request_path", "provider"] as const),
  ...(["request_model", "response_model", "model", "outcome", "finish_reason", "cost_source", "wire_schema"] as const),
  ...(["route", "credential", "routed_model", "ai_gateway_body_mapping", "storage_location"] as const),
] as const satisfies readonly (keyof typeof kinds.$inferSelect)[];

const OF_ROW = new RegExp(`\\br\\.(${KIND_COLUMNS.join("|")})\\b`, "g");

/** Whether SQL over rows `r` of `requests` uses a column that may be stored in `kinds`. */
export function namesKind(sql: string): boolean {
  return sql.search(OF_ROW) !== -1;
}

/** The same SQL, reading the values from either table; `WITH_KIND` follows "from requests r". User texts are parameters. */
export function withKinds(sql: string): string {
  return sql.replace(OF_ROW, "coalesce(kind_of.$1, r.$1)");
}

/** The column that SQL such as "r.model" names, if it may be stored in `kinds`. */
export function kindColumn(sql: string): string | undefined {
  return KIND_COLUMNS.find((column) => sql === `r.${column}`);
}

export const WITH_KIND = "left join kinds kind_of on kind_of.id = r.kind";

const MARK = ":#";
const MINUS = 0x2d;
const COMMA = 0x2c;
const CLOSING_BRACE = 0x7d;
/** Whether it is a character of a number. */
const isOfNumber = (code: number) =>
  isDigit(code) || code === MINUS || code === 0x2e || code === 0x2b || (code | 0x20) === 0x65;
const isDigit = (code: number) => code >= 0x30 && code <= 0x39;

/**
 * Splits the text of a usage block into the text that a model's blocks have in common and the numbers; undefined if it has
 * another form.
 */
export function splitUsage(raw: string): { readonly shape: string; readonly numbers: string } | undefined {
  if (!raw.startsWith("{") || raw.includes(MARK)) return undefined;
  let shape = "";
  let numbers: string | undefined;
  let kept = 0;
  // A loop, because a regular expression with a function for each number takes five times as long, and every record passes
  // here.
  for (let colon = raw.indexOf(":"); colon !== -1; colon = raw.indexOf(":", colon + 1)) {
    const start = colon + 1;
    const end = numberEnd(raw, start);
    if (end === start) continue;
    shape += raw.slice(kept, colon) + MARK;
    kept = end;
    const number = raw.slice(start, end);
    const written = number === "0" ? "" : number;
    numbers = numbers === undefined ? written : `${numbers},${written}`;
  }
  return { shape: shape + raw.slice(kept), numbers: numbers ?? "" };
}

/** The end of a number that begins here and is an object's value; `start` if there is none. */
function numberEnd(raw: string, start: number): number {
  let at = raw.charCodeAt(start) === MINUS ? start + 1 : start;
  if (!isDigit(raw.charCodeAt(at))) return start;
  while (isOfNumber(raw.charCodeAt(at))) at++;
  const next = raw.charCodeAt(at);
  return next === COMMA || next === CLOSING_BRACE ? at : start;
}

/** The text of a usage block as `whole_requests` returns it: the text itself, or a list of its shape and its numbers. */
export function usageText(shown: string): string {
  if (!shown.startsWith("[")) return shown;
  const [shape, numbers] = JSON.parse(shown) as [string, string];
  const values = numbers.split(",").values();
  return shape.replaceAll(MARK, () => `:${values.next().value || "0"}`);
}
