import { type RecordedCall, recordedCalls } from "../../../engine/recorded-calls.ts";
import type { Json } from "../../../plugin-host/contract.ts";
import { isoTime, isoTimeOrNull } from "../../../record/iso-time.ts";
import type { Item } from "../../../store/datasets/items.ts";
import { type CallTotals, type RunResult, resultsOf } from "../../../store/datasets/run-results.ts";
import type { Run, RunProgress } from "../../../store/datasets/runs.ts";
import type { ApiContext } from "../../context.ts";

/** A run as the API shows it. */
export type ShownRun = Omit<RunProgress, "created_at" | "finished_at" | "organization_id" | "sender" | "settings"> &
  Run["settings"] & {
    /** The total number of calls. */
    readonly calls: number;
    readonly created_at: string;
    readonly finished_at: string | null;
  };

export function shownRun({
  organization_id: _organization,
  sender: _sender,
  settings,
  created_at,
  finished_at,
  ...run
}: RunProgress): ShownRun {
  const calls = run.items * run.targets.length;
  return { ...run, ...settings, calls, created_at: isoTime(created_at), finished_at: isoTimeOrNull(finished_at) };
}

type Scores = Readonly<Record<string, number>>;

/** Cost and latency of an item's original request, as recorded. */
export interface ShownOriginal extends CallTotals {
  readonly request_id: string;
  readonly status: number | null;
  readonly scores: Scores;
}

export interface ShownResult extends Omit<RunResult, "item_id" | "target" | "created_at"> {
  /** Name of the target. */
  readonly target: string;
  readonly scores: Scores;
  /** Whether it equals the item's own output; null if either is empty. */
  readonly same: boolean | null;
  /** The difference from the original; null if either is unknown. */
  readonly cost_change: number | null;
  readonly latency_change: number | null;
}

/** An item with the result of each target. */
export interface ComparedItem {
  readonly item_id: string;
  readonly request_id: string | null;
  readonly input: Json;
  /** The item's own output. */
  readonly output: Json;
  readonly labels: readonly string[];
  /** Null if the item was written by hand, or its record is gone. */
  readonly original: ShownOriginal | null;
  /** In the order of the targets; results that do not exist yet are missing. */
  readonly results: readonly ShownResult[];
}

export async function comparedItems(context: ApiContext, run: Run, items: readonly Item[]): Promise<ComparedItem[]> {
  const ids = items.map(({ id }) => id);
  const results = Map.groupBy(await resultsOf(context.current.records, run.id, ids), ({ item_id }) => item_id);
  const requestIds = [
    ...items.flatMap(({ request_id }) => request_id ?? []),
    ...[...results.values()].flat().map(({ request_id }) => request_id),
  ];
  const recorded = await recordedCalls(context.engine.source, run.organization_id, requestIds);
  return items.map(({ id, request_id, input, output, labels }) => {
    const original = originalOf(recorded.get(request_id ?? ""));
    return {
      ...{ item_id: id, request_id, input, output, labels, original },
      results: (results.get(id) ?? []).map((result) => {
        const { item_id: _item, created_at: _created, target, ...shown } = result;
        return {
          ...shown,
          target: run.targets[target]?.name ?? String(target),
          scores: recorded.get(result.request_id)?.scores ?? {},
          same: isSame(result.output, output),
          cost_change: change(result.cost, original?.cost),
          latency_change: change(result.latency, original?.latency),
        };
      }),
    };
  });
}

function originalOf(recorded: RecordedCall | undefined): ShownOriginal | null {
  if (recorded === undefined) return null;
  const { error_code: _code, error_message: _message, ...original } = recorded;
  return original;
}

const change = (value: number | null, before: number | null | undefined): number | null =>
  value === null || before === null || before === undefined ? null : value - before;

/** Compares texts; tool calls by name and arguments, ignoring their ids. */
export function isSame(one: Json, other: Json): boolean | null {
  if (one === null || other === null) return null;
  return saidBy(one) === saidBy(other);
}

const saidBy = ({ content, tool_calls = [] }: Json): string =>
  JSON.stringify([content ?? null, tool_calls.map((call: Json) => [call?.function?.name, call?.function?.arguments])]);
