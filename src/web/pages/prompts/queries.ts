import { queryOptions } from "@tanstack/react-query";
import { get, post } from "../../api.ts";
import { and, type FilterTree, leaf } from "../../filter/tree.ts";
import type { MetricsRow } from "../../metrics/series.ts";
import type { RequestRecord } from "../request/record.ts";

/** One version of a prompt, or all versions if rows are not grouped by version. */
export type PromptRow = MetricsRow & {
  readonly prompt?: string | null;
  readonly prompt_version?: string | null;
  readonly scores?: Readonly<Record<string, { readonly count: number; readonly mean: number | null }>>;
};

const ROWS_MAX = 10_000;
/** Scores in one query of the API, at most. */
const SCORES_MAX = 16;
const SCORED = 100;

const NAMED = leaf("prompt_id", { "not-equals": null });

/** A row for each prompt. */
export const promptsQuery = (filter: FilterTree) =>
  queryOptions({
    queryKey: ["prompts", filter],
    queryFn: ({ signal }) => ask({ filter: and(filter, NAMED), group_by: ["prompt"] }, signal),
  });

/** The number of versions of each prompt. */
export const versionCountsQuery = (filter: FilterTree) =>
  queryOptions({
    queryKey: ["prompts", "versions", filter],
    queryFn: async ({ signal }) => {
      const body = { filter: and(filter, NAMED), group_by: ["prompt", "prompt_version"], latencies: false };
      const counts = new Map<string, number>();
      for (const { prompt } of await ask(body, signal)) counts.set(prompt!, (counts.get(prompt!) ?? 0) + 1);
      return counts;
    },
  });

/** A row for each version of a prompt, with the means of the scores that its newest scored requests have. */
export const versionsQuery = (prompt: string, filter: FilterTree) =>
  queryOptions({
    queryKey: ["prompt", prompt, filter],
    queryFn: async ({ signal }) => {
      const scope = and(filter, ofPrompt(prompt));
      const scored = await post<readonly { readonly scores: Readonly<Record<string, number>> }[]>(
        "/v1/request/query",
        { filter: scope, isScored: true, limit: SCORED, includeBody: false },
        signal,
      );
      const scores = [...new Set(scored.flatMap((record) => Object.keys(record.scores)))].toSorted();
      const shown = scores.slice(0, SCORES_MAX);
      const rows = await ask({ filter: scope, group_by: ["prompt_version"], scores: shown, speeds: true }, signal);
      return { rows, scores: shown };
    },
  });

/** The newest requests of a version, the first one completely. */
export const examplesQuery = (filter: FilterTree) =>
  queryOptions({
    queryKey: ["prompt examples", filter],
    queryFn: async ({ signal }) => {
      const rows = await post<readonly Example[]>(
        "/v1/request/query",
        { filter, limit: EXAMPLES, includeBody: false },
        signal,
      );
      const [first] = rows;
      return {
        rows,
        newest: first && (await get<RequestRecord>(`/v1/request/${encodeURIComponent(first.request_id)}`, signal)),
      };
    },
  });

const EXAMPLES = 3;

/** A request in the list. */
export type Example = Pick<
  RequestRecord,
  "request_id" | "request_created_at" | "model" | "input" | "output" | "cost" | "delay_ms" | "response_status"
>;

export const ofPrompt = (prompt: string): FilterTree => leaf("prompt_id", { equals: prompt });

export const ofVersion = (prompt: string, version: string | null): FilterTree =>
  and(ofPrompt(prompt), leaf("prompt_version", { equals: version }));

const ask = (body: object, signal: AbortSignal) =>
  post<readonly PromptRow[]>("/v1/metrics/query", { limit: ROWS_MAX, ...body }, signal);

/** The constant part of a prompt: its system messages, else its first message. */
export function promptText({ llmSchema }: RequestRecord): string | undefined {
  const { messages = [], instructions, prompt } = llmSchema?.request ?? {};
  const system = messages.filter(({ role }) => role === "system" || role === "developer");
  const said = [instructions, ...(system.length > 0 ? system : messages.slice(0, 1)).map(({ content }) => content)];
  return said.filter((text) => typeof text === "string").join("\n\n") || prompt || undefined;
}
