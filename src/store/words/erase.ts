import type { SweepStep } from "../bodies/body-store.ts";
import type { Database } from "../store.ts";
import { tableOf } from "./shards.ts";

/** Pages of 4 kB that one step rewrites. */
const STEP_PAGES = 256;
const DUE = "from word_shards where removals > 0 or steps is not null";

/**
 * One small step that erases the words of removed records from the index: rewrites their table, or drops it when it holds no
 * record. An interrupted step is repeated.
 */
export async function eraseWords(bodies: Database): Promise<SweepStep> {
  const [due] = await bodies.query<{ shard: number; steps: number | null }>({
    sql: `select shard, steps ${DUE} order by shard limit 1`,
    args: [],
  });
  if (due === undefined) return { swept: false, left: 0 };
  await eraseStep(bodies, due);
  const sql = `select coalesce(sum(coalesce(steps, 1)), 0) as left ${DUE}`;
  const [row] = await bodies.query<{ left: number }>({ sql, args: [] });
  return { swept: true, left: row?.left ?? 0 };
}

async function eraseStep(
  bodies: Database,
  { shard, steps }: { readonly shard: number; readonly steps: number | null },
) {
  const table = tableOf(shard);
  const some = await bodies.query({ sql: `select 1 from ${table}_docsize limit 1`, args: [] });
  if (some.length === 0) {
    const forget = { sql: "delete from word_shards where shard = ?", args: [shard] };
    return bodies.batch([{ sql: `drop table ${table}`, args: [] }, forget]);
  }
  const merge = (pages: number) => ({
    sql: `insert into ${table} (${table}, rank) values ('merge', ?)`,
    args: [pages],
  });
  if (steps !== null) {
    const next = "update word_shards set steps = nullif(?, 0) where shard = ?";
    return bodies.batch([merge(STEP_PAGES), { sql: next, args: [steps - 1, shard] }]);
  }
  const [size] = await bodies.query<{ n: number }>({ sql: `select count(*) as n from ${table}_data`, args: [] });
  // A negative number starts a merge of everything into one segment; later steps continue it. Removals from now on wait for
  // the next merge.
  const begun = "update word_shards set removals = 0, steps = ? where shard = ?";
  return bodies.batch([merge(-STEP_PAGES), { sql: begun, args: [Math.ceil((size?.n ?? 0) / STEP_PAGES) + 1, shard] }]);
}
