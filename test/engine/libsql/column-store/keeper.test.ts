import { expect, test } from "bun:test";
import { BlockKeeper } from "../../../../src/jobs/block-keeper.ts";
import { createLog } from "../../../../src/log.ts";
import { migrate } from "../../../../src/store/migrate.ts";
import { openStore } from "../../../../src/store/store.ts";
import { ownDirectory } from "../../../store/open.ts";
import { until } from "../../../until.ts";

const RECORDS = 9_000;

test.each([
  ["makes blocks of what has arrived", true, 8_192],
  ["leaves them to the program that does the jobs", false, 0],
])(
  "the jobs' thread %s",
  async (_, isMine, expected) => {
    using directory = ownDirectory();
    const store = await openStore(directory.config, "write");
    await migrate(store);
    const sql = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
    insert into requests (request_id, organization_id, key_id, method, provider, request_created_at, updated_at)
    select i, 'o', 'k', 'POST', 'OPENAI', i, i from n`;
    await store.records.batch([{ sql, args: [RECORDS] }]);
    const looks: number[] = [];
    const log = createLog({ level: "error", format: "text" });
    const keeper = new BlockKeeper({ writer: async () => store, log, isMine: () => looks.push(1) > 0 && isMine });
    const held = async () => {
      const rows = await store.records.query<{ n: number }>({
        sql: "select coalesce(sum(rows), 0) as n from blocks",
        args: [],
      });
      return rows[0]!.n;
    };
    await until(
      async () => looks.length > 0 && (await held()) === expected,
      180_000,
      () => "no block was made",
    );
    await keeper.stop();
    expect(await held()).toBe(expected);
    await store.close();
  },
  300_000,
);
