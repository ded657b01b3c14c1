import type { Option } from "./command.ts";

const text = (value: string, description: string): Option => ({ type: "string", value, description });

export const QUERY_OPTIONS: Readonly<Record<string, Option>> = {
  last: text("TIME", "requests of the last 15m, 24h, 7d, 2w"),
  since: text("TIME", "requests from this day or ISO 8601 time on"),
  until: text("TIME", "requests before this day or ISO 8601 time"),
  search: text("WORDS", 'words, beginnings (wor*) and "phrases" that must all occur'),
  sort: text("KEYS", "such as cost or latency:asc,created:desc (default: newest first)"),
  limit: text("N", "maximum number of requests, up to 10000 (default: 20)"),
  columns: text("LIST", "such as time,model,cost,property.Team,score.quality or any member of a record"),
  format: text("FORMAT", "table, json, jsonl or csv (default: table)"),
  json: { type: "boolean", description: "the same as --format json" },
  "include-body": { type: "boolean", description: "bodies and llmSchema too, in JSON" },
  count: { type: "boolean", description: "print only the number" },
  "api-url": text("URL", "address of the API (default: WEIR_API_URL, else this configuration's)"),
};

export const QUERY_NOTES: readonly string[] = [
  "A filter is a list of conditions, such as 'model=gpt-4o cost>0.01 status>=400'. Operators are = != > >= < <=,\n~ contains, !~ does not contain, =~ is like (% and _). Several values: status=429,500. Also `or`, brackets,\nquotes, null, property.<Name> and score.<name>. It may also be the JSON of the API's filter.",
  "The key comes from WEIR_API_KEY and needs the scope read, or figures.",
];
