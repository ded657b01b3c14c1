import { withoutMarks } from "../../parts/plain-text.ts";
import type { InTrace } from "./spans.ts";
import type { Step } from "./tree.ts";

/** Members of each request of a session, from the API. */
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
  readonly error_message: string | null;
  readonly request_user_id: string | null;
  readonly scores: Readonly<Record<string, number>>;
  readonly size_bytes: number;
  readonly stored_bytes: number | null;
}

export interface SessionStep extends Step {
  readonly model: string | null;
  readonly provider: string;
  readonly cached: boolean;
  /** The last message of the user or a tool, and the response or its error; null if none was recorded. */
  readonly input: string | null;
  readonly output: string | null;
  /** Name and kind of its span, if it has one. */
  readonly span: Pick<InTrace, "name" | "kind"> | undefined;
}

export function stepOf(row: RecordRow, inTrace?: InTrace): SessionStep {
  const { request_id, session_path, cost, total_tokens, outcome, model, provider, cached, input } = row;
  const output = row.output ?? row.error_message;
  const [created_at, latency, status] = [row.request_created_at, row.delay_ms, row.response_status];
  return {
    ...{ request_id, session_path, created_at, latency, cost, total_tokens, status, outcome },
    ...{ model, provider, cached, input, output },
    ...{ within: inTrace?.within, span: inTrace },
  };
}

/** A table's row has no space for longer labels. */
const LABEL_CHARS_MAX = 120;

/** Kinds of spans that call a model: their contents say more than their names. */
const CALLS: ReadonlySet<string> = new Set(["llm", "embedding"]);

/**
 * A request in one line: the name of a span that calls no model; else the tools that it called, or the first words of its
 * output, of its error, or of its input; without recorded words, the model.
 */
export function stepLabel({ input, output, model, provider, span }: SessionStep): string {
  if (span !== undefined && span.name !== "" && !CALLS.has(span.kind)) return span.name;
  const words = firstLine(calls(output) ?? output) ?? firstLine(input);
  return words ?? model ?? provider;
}

/** Tool calls follow the text of a response, but they are its main point. */
function calls(output: string | null): string | undefined {
  const lines = output?.split("\n").filter((line) => line.startsWith("→ ")) ?? [];
  return lines.length === 0 ? undefined : lines.join(" ");
}

function firstLine(text: string | null | undefined): string | undefined {
  const line = withoutMarks(text ?? "")
    .split("\n")
    .find((each) => each.trim() !== "");
  if (line === undefined) return undefined;
  const short = line.trim();
  return short.length > LABEL_CHARS_MAX ? `${short.slice(0, LABEL_CHARS_MAX)}…` : short;
}

/** A power of two, so that dividing by it and multiplying with it is exact: a sum of large scores would be infinite. */
const SCALE = 2 ** 40;

/** The mean of each score in the session, by name. */
export function meanScores(rows: readonly Pick<RecordRow, "scores">[]): readonly (readonly [string, number])[] {
  const values = new Map<string, number[]>();
  for (const { scores } of rows) {
    for (const [name, value] of Object.entries(scores)) {
      const known = values.get(name);
      if (known === undefined) values.set(name, [value]);
      else known.push(value);
    }
  }
  return [...values].map(([name, all]) => [name, meanOf(all)] as const).sort(([a], [b]) => (a < b ? -1 : 1));
}

const meanOf = (values: readonly number[]) =>
  (values.reduce((sum, value) => sum + value / SCALE, 0) / values.length) * SCALE;

/** The users, without duplicates. */
export function usersOf(rows: readonly Pick<RecordRow, "request_user_id">[]): readonly string[] {
  return [...new Set(rows.flatMap(({ request_user_id: user }) => (user === null ? [] : [user])))];
}
