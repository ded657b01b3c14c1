import type { Json } from "../../../plugin-host/contract.ts";
import type { ComparedItem, ShownOriginal, ShownResult } from "./shown.ts";

const FIGURES = [
  ...(["request_id", "status", "provider", "model", "prompt_tokens", "completion_tokens"] as const),
  ...(["cost", "latency", "first_token"] as const),
] as const;
const COLUMNS = [
  "item_id",
  "labels",
  "target",
  "ok",
  "error",
  "input",
  "output",
  "same",
  ...FIGURES,
  "scores",
] as const;

/** Text that a spreadsheet would evaluate as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

export interface RunFormat {
  readonly type: string;
  readonly head: string;
  linesOf(item: ComparedItem): string;
}

/** A run as a file: one line per item, or one row per response. */
export const RUN_FORMATS: Readonly<Record<string, RunFormat>> = {
  jsonl: { type: "application/x-ndjson; charset=utf-8", head: "", linesOf: (item) => `${JSON.stringify(item)}\n` },
  csv: { type: "text/csv; charset=utf-8", head: csvLine(COLUMNS), linesOf: csvLinesOf },
};

/** The original response, then the response of each target. */
function csvLinesOf({ item_id, input, output, labels, original, results }: ComparedItem): string {
  const question = textOf(input.messages.at(-1));
  const row = (of: ShownOriginal | ShownResult | null, more: Readonly<Record<string, unknown>>) => {
    const all: Json = {
      ...of,
      scores: of === null ? null : of.scores,
      item_id,
      labels: labels.join(", "),
      input: question,
      ...more,
    };
    return csvLine(COLUMNS.map((column) => all[column] ?? null));
  };
  const first = row(original, { target: "original", ok: null, error: null, output: textOf(output), same: null });
  return first + results.map((result) => row(result, { output: textOf(result.output) })).join("");
}

function textOf(message: Json): string | null {
  if (message === null || message === undefined) return null;
  const { content, tool_calls } = message;
  if (typeof content === "string") return content;
  return JSON.stringify(content ?? tool_calls ?? null);
}

/** RFC 4180: null is an empty cell, objects are JSON, and text is never a formula. */
function csvLine(values: readonly unknown[]): string {
  const cells = values.map((value) => {
    if (value === null || value === undefined) return "";
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const safe = FORMULA.test(text) ? `'${text}` : text;
    return safe === "" || /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  });
  return `${cells.join(",")}\r\n`;
}
