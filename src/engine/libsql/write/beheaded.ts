import { ID_CLAIM_KEPT_MS } from "../../../store/nodes/nodes.ts";
import type { Database } from "../../../store/store.ts";

/** Rows checked per step. */
const ROWS = 1_000;

interface Search {
  /** Newer rows belong to exchanges that began since. */
  readonly upToSeq: number;
  readonly isInFlight: (id: string) => boolean;
  /**
   * Other nodes write to the same database: it is unknown which node a row belongs to, so only rows too old to be in flight
   * are ended.
   */
  readonly isShared: boolean;
  readonly now: number;
}

/**
 * Ends rows in flight whose exchange is lost: its first frame was read once but is damaged or gone now, so its other frames
 * are ignored. Called when everything that had been read before has been read again.
 *
 * @returns their ids.
 */
export async function endBeheaded(
  records: Database,
  { upToSeq, isInFlight, isShared, now }: Search,
): Promise<string[]> {
  const ended: string[] = [];
  const before = isShared ? now - ID_CLAIM_KEPT_MS : Number.MAX_SAFE_INTEGER;
  for (let after = 0; ; ) {
    const rows = await records.query<{ seq: number; request_id: string }>({
      sql: `select seq, request_id from requests where response_status is null and seq > ? and seq <= ?
        and request_created_at < ? order by seq limit ${ROWS}`,
      args: [after, upToSeq, before],
    });
    const lost = rows.filter(({ request_id }) => !isInFlight(request_id));
    if (lost.length > 0) {
      await records.batch(
        lost.map(({ seq }) => ({
          sql: `update requests set response_status = 500, outcome = 'cut_off', truncated = 1, updated_at = ?
            where seq = ? and response_status is null`,
          args: [now, seq],
        })),
      );
    }
    ended.push(...lost.map(({ request_id }) => request_id));
    if (rows.length < ROWS) return ended;
    after = rows.at(-1)!.seq;
  }
}
