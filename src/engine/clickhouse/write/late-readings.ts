import type { Statement } from "../../../store/store.ts";
import type { Storable } from "../../storable.ts";

/** Records of one model that were read with one version of its mapping. */
interface Late {
  readonly organizationId: string;
  readonly provider: string;
  readonly model: string;
  readonly version: number;
  /** When the oldest of them was made. */
  readonly since: number;
}

/**
 * Has records read again that were read with another mapping than the one that counts when they are stored. The walk with
 * the new mapping goes by time and may have passed their places, however long a batch had to wait.
 *
 * The statements are of the transaction that follows the insert: a mapping that comes after it finds the rows.
 *
 * @param token - of the batch. A walk that is going on sees by it that it was set back.
 */
export function rereadLate(records: readonly Storable[], token: string): Statement[] {
  const found = new Map<string, Late>();
  for (const { row, mappingVersion: version } of records) {
    const model = row.model_override ?? row.request_model ?? row.model;
    if (version === undefined || typeof model !== "string" || typeof row.provider !== "string") continue;
    const { organization_id: organizationId, provider, request_created_at: createdAt } = row;
    const key = JSON.stringify([organizationId, provider, model, version]);
    const since = Math.min(createdAt, found.get(key)?.since ?? createdAt);
    found.set(key, { organizationId, provider, model, version, since });
  }
  return [...found.values()].flatMap((late) => setBack(late, token));
}

/** A position in front of the records. Which of two records at its time come first does not matter then. */
function setBack({ organizationId, provider, model, version, since }: Late, token: string): Statement[] {
  const update = (which: string): Statement => ({
    sql: `update mappings set reread_after = min(coalesce(reread_after, ?1), ?1) - 1, reread_id = ?2
      where organization_id = ?3 and provider = ?4 and model = ?5 and ${which}`,
    args: [since, token, organizationId, provider, model, version],
  });
  const current = "state in ('active', 'approved')";
  const hasOther = `exists (select 1 from mappings m
    where m.organization_id = ?3 and m.provider = ?4 and m.model = ?5 and m.${current})`;
  return [
    update(`${current} and version <> ?6`),
    ...(version > 0 ? [update(`version = ?6 and state = 'rolled back' and not ${hasOther}`)] : []),
  ];
}
