import { FIRST_ORGANIZATION } from "../src/store/people/organization-names.ts";
import type { Database } from "../src/store/store.ts";
import type { Seeded } from "./queries.ts";

/** What `bench/seed.ts` has put into a database. */
export async function seededIn(database: Database): Promise<Seeded> {
  const one = async <T>(sql: string, ...args: (string | number)[]) =>
    (await database.query<{ v: T }>({ sql, args }))[0]!.v;
  const records = await one<number>("select count(*) as v from requests");
  const ids = await database.query<{ request_id: string }>({
    sql: "select request_id from requests where seq % ? = 0 limit 100",
    args: [Math.max(1, Math.floor(records / 100))],
  });
  return {
    organizationId: await one<string>("select id as v from organizations where name = ?", FIRST_ORGANIZATION),
    records,
    newest: await one<number>("select max(request_created_at) as v from requests"),
    ids: ids.map(({ request_id }) => request_id),
  };
}
