import { type Column, tableColumns } from "../export/columns.ts";
import { nearestName } from "../nearest.ts";
import type { Json } from "../plugin-host/contract.ts";
import { UsageError } from "./usage-error.ts";

/** Short names, as in filters. */
const SHORT: Readonly<Record<string, string>> = {
  time: "request_created_at",
  created: "request_created_at",
  id: "request_id",
  status: "response_status",
  latency: "delay_ms",
  first_token: "time_to_first_token",
  tokens: "total_tokens",
  user: "request_user_id",
  session: "session_id",
  key: "gateway_user",
  path: "request_path",
  target: "target_url",
};

export const DEFAULT_COLUMNS = "time,status,model,latency,tokens,cost,user,input,id";
const PROPERTY = /^propert(?:y|ies)[.:](.+)$/;
const SCORE = /^scores?[.:](.+)$/;

/** A requested column. */
export interface Shown {
  readonly heading: string;
  readonly column: Column;
  readonly score?: string;
}

/** @throws UsageError that names a column which does not exist, and the nearest one. */
export function readColumns(text: string, includeBody: boolean): Shown[] {
  const known = new Map(tableColumns([], [], includeBody).map((column) => [column.name, column]));
  return text.split(",").map((each) => {
    const name = each.trim();
    const [, property] = PROPERTY.exec(name) ?? [];
    if (property !== undefined) return { heading: property, column: propertyColumn(property) };
    const [, score] = SCORE.exec(name) ?? [];
    if (score !== undefined) return { heading: score, score, column: { name: `score:${score}`, kind: "number" } };
    const column = known.get(Object.hasOwn(SHORT, name) ? SHORT[name]! : name);
    if (column === undefined) throw noSuchColumn(name, [...Object.keys(SHORT), ...known.keys()]);
    return { heading: name, column };
  });
}

const propertyColumn = (property: string): Column => ({ name: `property:${property}`, kind: "text", property });

function noSuchColumn(name: string, known: readonly string[]): UsageError {
  const near = nearestName(name, known);
  const hint =
    near === undefined ? `known: ${Object.keys(SHORT).join(", ")}, property.<Name>, …` : `did you mean "${near}"?`;
  return new UsageError(`there is no column "${name}"; ${hint}`);
}

/** The value of a column. */
export function memberOf(record: Json, { column, score }: Shown): unknown {
  if (score !== undefined) return record.scores?.[score];
  return column.property === undefined ? record[column.name] : record.properties?.[column.property];
}

/** The value as a cell of a table. */
export function cellOf(record: Json, shown: Shown): string {
  const value = memberOf(record, shown);
  if (value === null || value === undefined) return "";
  const { name } = shown.column;
  if (name === "cost" || name === "costUSD") return `$${Number(Number(value).toPrecision(3))}`;
  if (name === "delay_ms" || name === "time_to_first_token") return `${Math.round(Number(value))} ms`;
  if (shown.column.kind === "time") return String(value).slice(0, 19).replace("T", " ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
