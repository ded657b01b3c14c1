import { align, type MetricsRow, type Series } from "../../metrics/series.ts";

/** The kind of an error, from the provider's status and the outcome of the exchange. Refusals by Weir itself are not errors. */
const BY_OUTCOME: Readonly<Record<string, string>> = {
  refused: "Refused by Weir",
  upstream_failed: "No response",
  upstream_timeout: "No response",
  client_gone: "Client left",
  cut_off: "Weir failed",
  failed: "Weir failed",
};
const BY_STATUS: Readonly<Record<number, string>> = { 401: "Credential", 403: "Credential", 429: "Rate limit" };

/** In drawing order, each with its own colour. */
const KINDS = [
  "Provider error",
  "Rate limit",
  "Credential",
  "Bad request",
  "No response",
  "Client left",
  "Weir failed",
  "Refused by Weir",
] as const;

export function kindOf(outcome: unknown, status: unknown): string {
  const code = Number(status);
  return BY_OUTCOME[String(outcome)] ?? BY_STATUS[code] ?? (code >= 500 ? "Provider error" : "Bad request");
}

/** The kinds that occur, each over time; `rows` are grouped by outcome, status and time. */
export function errorKinds(times: readonly number[], rows: readonly MetricsRow[]) {
  const byKind = Map.groupBy(rows, (row) => kindOf(row["outcome"], row["status"]));
  const shown = KINDS.filter((kind) => byKind.has(kind));
  const series = shown.map((name): Series => ({ name, values: summed(times, byKind.get(name)!) }));
  return { series, colours: shown.map((kind) => KINDS.indexOf(kind)) };
}

/** One time may have several rows of one kind. */
function summed(times: readonly number[], rows: readonly MetricsRow[]): number[] {
  const byTime = Map.groupBy(rows, ({ time }) => time ?? "");
  const added = [...byTime.values()].map((same): MetricsRow => {
    return { ...same[0]!, requests: same.reduce((sum, { requests }) => sum + requests, 0) };
  });
  return align(times, added, ({ requests }) => requests, 0).map((value) => value ?? 0);
}
