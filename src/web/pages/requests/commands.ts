import { shellWord } from "../../parts/shell-word.ts";
import type { RequestsQuestion } from "./query.ts";

/** A curl command for the same query. The key comes from the environment and is never shown. */
export function curlText({ path, filter, sort, search }: RequestsQuestion, apiUrl: string): string {
  const body = JSON.stringify({ filter, sort, search, limit: 100, includeBody: false });
  return [
    `curl -s ${shellWord(apiUrl + path)}`,
    `  -H "Authorization: Bearer $WEIR_API_KEY"`,
    `  -H "Content-Type: application/json"`,
    `  -d ${shellWord(body)}`,
  ].join(" \\\n");
}

/** A command that downloads the same requests; oldest first, or newest first as here. */
export function exportText({ path, ownFilter, moments, sort, search }: RequestsQuestion, apiUrl: string): string {
  if (path !== "/v1/request/query-fast") {
    return "# weir export takes the fields of request_response_rmt only.\n# This filter also has a session, a prompt or a response's text: use curl.";
  }
  if (search !== undefined) return "# weir export takes no search: use curl.";
  const [[key, direction] = ["created_at", "asc"]] = Object.entries(sort);
  return [
    "weir export",
    `  --api-url ${shellWord(apiUrl)}`,
    `  --start-date ${moments.from ?? "1970-01-01"}`,
    ...(moments.to === undefined ? [] : [`  --end-date ${moments.to}`]),
    ...(ownFilter === "all" ? [] : [`  --filter ${shellWord(JSON.stringify(ownFilter))}`]),
    ...(key === "created_at" && direction === "desc" ? ["  --order desc"] : []),
    "  --output requests.jsonl",
  ].join(" \\\n");
}
