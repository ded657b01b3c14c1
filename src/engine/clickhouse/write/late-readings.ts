import type { Statement } from "../../../store/store.ts";
import type { Storable } from "../../storable.ts";

/** Records of one model that were read with one version of its mapping. */
interface Late {
  readonly organizationId: string;
  readonly provider: string;
  readonly model: string;
  readonly version: number;
  /** Creation time of the oldest of them. */
  readonly since: number;
}

/**
 * Schedules records to be read again if the mapping in use changes between reading and storing them. The walk with the new
 * mapping goes by time and may have passed them already, however long the batch waited.
 *
 * The statements belong to the transaction that follows the insert: the walk of a later mapping finds the rows.
 *
 * @param token - of the batch. It shows a running walk that it was set back.
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

/** A position before the records. The order of records with the same time does not matter then. */
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
