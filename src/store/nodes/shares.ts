import type { ShareClaim, ShareResult } from "../../plugin-host/host/shares.ts";
import type { Database, Value } from "../store.ts";
import { NODE_GONE_MS, SERVER_NOW } from "./nodes.ts";

/**
 * Takes, keeps or returns this node's shares of limits: each node gets the share it wants as far as others leave room, and
 * never less than it has used. One transaction, so that all shares together never exceed a limit.
 */
export async function claimShares(
  records: Database,
  node: string,
  claims: readonly ShareClaim[],
): Promise<ShareResult> {
  await records.batch(
    claims.map(({ key, quota, used, want, keptMs }) => ({
      sql: `insert into shares (limit_key, node, amount, until)
        select ?1, ?2, max(?3, min(?4, ?5 - coalesce((select sum(amount) from shares
          where limit_key = ?1 and node <> ?2 and until > ${SERVER_NOW}), 0))), ${SERVER_NOW} + ?6 where true
        on conflict (limit_key, node) do update set amount = excluded.amount, until = excluded.until`,
      args: [key, node, used, want, quota, Math.ceil(keptMs)],
    })),
  );
  const keys: Value[] = claims.map(({ key }) => key);
  const rows = await records.query<{ limit_key: string; own: number; others: number }>({
    sql: `select limit_key, total(iif(node = ?, amount, 0)) as own, total(iif(node = ?, 0, amount)) as others
      from shares where until > ${SERVER_NOW} and limit_key in (${keys.map(() => "?").join(",")}) group by limit_key`,
    args: [node, node, ...keys],
  });
  const [alive] = await records.query<{ n: number }>({
    sql: `select count(*) as n from nodes where seen_at > ${SERVER_NOW} - ?`,
    args: [NODE_GONE_MS],
  });
  const byKey = new Map(rows.map((row) => [row.limit_key, row]));
  const grants = claims.map(({ key }) => {
    const { own = 0, others = 0 } = byKey.get(key) ?? {};
    return { amount: own, others };
  });
  return { grants, nodes: Math.max(1, alive?.n ?? 1) };
}
