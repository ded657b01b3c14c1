import type { Storable } from "../engine/storable.ts";
import { parseJson } from "../mapping/events/json.ts";
import { newJudgements } from "../store/judges/judgements.ts";
import { type Judge, listJudges } from "../store/judges/judges.ts";
import { isSampled, JUDGE_PROPERTY } from "../store/judges/sampling.ts";
import type { Database, Statement } from "../store/store.ts";

/** The judges of all organizations, in memory: a record without a judge costs one map lookup. */
export class JudgeRules {
  #judges: ReadonlyMap<string, readonly Judge[]> = new Map();

  /** Reloads all of them. */
  async load(records: Database): Promise<void> {
    const enabled = (await listJudges(records)).filter((judge) => judge.enabled);
    this.#judges = Map.groupBy(enabled, ({ organization_id }) => organization_id);
  }

  /**
   * Queues a judge's share of finished records. The statements belong in the transaction that stores the records: none is
   * missed, and none is judged twice. A failed attempt is part of its request, and a judge's own calls are never judged.
   */
  judgementsOf(finished: readonly Pick<Storable, "row">[], now: number): Statement[] {
    if (this.#judges.size === 0) return [];
    const sampled = new Map<Judge, string[]>();
    for (const { row } of finished) {
      const { organization_id, request_id, attempt_of, properties } = row;
      const judges = attempt_of == null ? this.#judges.get(organization_id) : undefined;
      const own = judges?.filter((judge) => isSampled(judge, request_id)) ?? [];
      if (own.length === 0 || isOfJudge(properties)) continue;
      for (const judge of own) {
        const requestIds = sampled.get(judge);
        if (requestIds === undefined) sampled.set(judge, [request_id]);
        else requestIds.push(request_id);
      }
    }
    return [...sampled].flatMap(([judge, requestIds]) => newJudgements(judge, requestIds, now));
  }
}

const isOfJudge = (properties: string | undefined) =>
  Object.hasOwn(parseJson(properties ?? "{}") ?? {}, JUDGE_PROPERTY);
