import type { InTrace } from "./spans.ts";
import type { Step } from "./tree.ts";

/** What the API says of each request of a session. */
export interface RecordRow {
  readonly request_id: string;
  readonly session_name: string | null;
  readonly session_path: string | null;
  readonly request_created_at: string;
  readonly delay_ms: number | null;
  readonly cost: number | null;
  readonly total_tokens: number | null;
  readonly response_status: number | null;
  readonly outcome: string | null;
  readonly model: string | null;
  readonly provider: string;
  readonly cached: boolean;
  readonly input: string | null;
  readonly output: string | null;
  readonly request_user_id: string | null;
  readonly scores: Readonly<Record<string, number>>;
  readonly size_bytes: number;
  readonly stored_bytes: number | null;
}

export interface SessionStep extends Step {
  readonly model: string | null;
  readonly provider: string;
  readonly cached: boolean;
  /** What the user or a tool said last, and what was answered; null where none was recorded. */
  readonly input: string | null;
  readonly output: string | null;
  /** Name and kind of its span, where it has one. */
  readonly span: Pick<InTrace, "name" | "kind"> | undefined;
}

export function stepOf(row: RecordRow, inTrace?: InTrace): SessionStep {
  const { request_id, session_path, cost, total_tokens, outcome, model, provider, cached, input, output } = row;
  const [created_at, latency, status] = [row.request_created_at, row.delay_ms, row.response_status];
  return {
    ...{ request_id, session_path, created_at, latency, cost, total_tokens, status, outcome },
    ...{ model, provider, cached, input, output },
    ...{ within: inTrace?.within, span: inTrace },
  };
}

/** Longer labels say nothing more in a table's row. */
const LABEL_CHARS_MAX = 120;

/** Kinds of spans that are calls of a model: their words say more than their names. */
const CALLS: ReadonlySet<string> = new Set(["llm", "embedding"]);

/**
 * What happened in a request, in one line: the name of a span that calls no model; the tools that it called, or the first words that were answered, or asked; where no
 * words were recorded, the model.
 */
export function stepLabel({ input, output, model, provider, span }: SessionStep): string {
  if (span !== undefined && span.name !== "" && !CALLS.has(span.kind)) return span.name;
  const words = firstLine(calls(output) ?? output) ?? firstLine(input);
  return words ?? model ?? provider;
}

/** The line of a response that calls tools stands behind its words: the call is what happened. */
function calls(output: string | null): string | undefined {
  const lines = output?.split("\n").filter((line) => line.startsWith("→ ")) ?? [];
  return lines.length === 0 ? undefined : lines.join(" ");
}

function firstLine(text: string | null | undefined): string | undefined {
  const line = text?.split("\n").find((each) => each.trim() !== "");
  if (line === undefined) return undefined;
  const short = line.trim();
  return short.length > LABEL_CHARS_MAX ? `${short.slice(0, LABEL_CHARS_MAX)}…` : short;
}

/** The mean of each score that requests of the session have, by name. */
export function meanScores(rows: readonly Pick<RecordRow, "scores">[]): readonly (readonly [string, number])[] {
  const values = new Map<string, number[]>();
  for (const { scores } of rows) {
    for (const [name, value] of Object.entries(scores)) {
      const known = values.get(name);
      if (known === undefined) values.set(name, [value]);
      else known.push(value);
    }
  }
  return [...values]
    .map(([name, all]) => [name, all.reduce((sum, value) => sum + value, 0) / all.length] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Who asked, each once. */
export function usersOf(rows: readonly Pick<RecordRow, "request_user_id">[]): readonly string[] {
  return [...new Set(rows.flatMap(({ request_user_id: user }) => (user === null ? [] : [user])))];
}
