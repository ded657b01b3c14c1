import { expect, test } from "bun:test";
import fc from "fast-check";
import { toStorable } from "../../../src/engine/import.ts";
import { findPage } from "../../../src/engine/libsql/find/find.ts";
import { recordStatements } from "../../../src/engine/libsql/write/insert.ts";
import { Kinds } from "../../../src/engine/libsql/write/kinds.ts";
import { TimePartitions } from "../../../src/engine/libsql/write/time-partitions.ts";
import { decodeFilter } from "../../../src/filter/decode.ts";
import { decodeSort } from "../../../src/filter/sort.ts";
import { NO_TEXTS } from "../../../src/record/record-texts.ts";
import { Deadline } from "../../../src/store/database/deadline.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { openStore } from "../../../src/store/store.ts";
import { assertProperty } from "../../chance.ts";
import { ownDirectory } from "../../store/open.ts";

const ORGANIZATIONS = ["acme", "globex"];
const USERS = ["ann", "ben"];

/** A batch, or what may come between two. Times are milliseconds after the batch before; late and early records included. */
const anyStep = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("batch" as const),
      fails: fc.constantFrom(false, false, false, true),
      after: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: -5, max: 0 })),
      records: fc.array(
        fc.record({
          created: fc.oneof(
            fc.integer({ min: -40, max: 0 }),
            fc.integer({ min: -600, max: 0 }),
            fc.constantFrom(-1e6, 35),
          ),
          organization: fc.constantFrom(...ORGANIZATIONS),
          user: fc.constantFrom(...USERS, null),
        }),
        { minLength: 1, maxLength: 12 },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "restart" as const }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("remove" as const), before: fc.integer({ min: -100, max: 300 }) }),
  },
);

test("a record is in the partition of its creation, and the records of a user stay in order", async () => {
  await assertProperty(
    fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 40, size: "max" }), async (steps) => {
      using directory = ownDirectory();
      const store = await openStore(directory.config, "write");
      await migrate(store);
      await store.records.batch(
        ORGANIZATIONS.map((id) => ({
          sql: "insert into organizations (id, name, created_at) values (?, ?, 0)",
          args: [id, id],
        })),
      );
      const kinds = new Kinds();
      const start = async () => {
        const read = new TimePartitions(5);
        await read.load(store.records);
        return read;
      };
      let [partitions, now, seq] = [await start(), 1_000, 0];
      for (const step of steps) {
        if (step.kind === "restart") partitions = await start();
        else if (step.kind === "remove")
          await store.records.batch([
            { sql: "delete from requests where request_created_at < ?", args: [now - step.before] },
          ]);
        else {
          now += step.after;
          const fresh = step.records.map(({ created, organization, user }) => {
            const row = {
              ...{
                request_id: String(++seq).padStart(6, "0"),
                organization_id: organization,
                key_id: "k",
                method: "POST",
              },
              ...{ user_id: user, request_created_at: now + created, updated_at: 0 },
            };
            return { record: toStorable({ row, bodies: [], texts: NO_TEXTS }, seq), seq };
          });
          const grown = await partitions.grow(store.records, now);
          const rows = recordStatements({ fresh, completed: [], positions: [], kinds, partitions, now });
          if (!step.fails) await store.records.batch([...grown, ...rows]);
        }
      }
      const misplaced = await store.records.query({
        sql: `select request_id, time_partition, request_created_at from requests r where time_partition is not
          (select t.id from time_partitions t where t.start <= r.request_created_at order by t.start desc limit 1)`,
        args: [],
      });
      expect(misplaced).toEqual([]);
      const rows = await store.records.query<{ id: string; organization: string; user: string; created: number }>({
        sql: `select request_id as id, organization_id as organization, user_id as user, request_created_at as created from requests`,
        args: [],
      });
      for (const organizationId of ORGANIZATIONS) {
        for (const user of USERS) {
          const tree = decodeFilter({ request_response_rmt: { user_id: { equals: user } } }, "legacy").tree;
          const expected = rows
            .filter((row) => row.organization === organizationId && row.user === user)
            .sort((a, b) => b.created - a.created || (a.id < b.id ? 1 : -1))
            .map(({ id }) => id);
          for (const direction of ["desc", "asc"]) {
            const found: string[] = [];
            const options = {
              sort: decodeSort({ created_at: direction }),
              limit: 3,
              offset: 0,
              deadline: new Deadline(180_000),
            };
            for (let page = await findPage(store.records, { organizationId, tree }, options); ; ) {
              found.push(...page.rows.map(({ request_id }) => request_id));
              if (page.next === undefined) break;
              page = await findPage(store.records, { organizationId, tree }, { ...options, after: page.next });
            }
            expect(found).toEqual(direction === "desc" ? expected : expected.toReversed());
          }
        }
      }
      await store.close();
    }),
    { numRuns: 60 },
  );
});

test("a restart continues a partition where it was", async () => {
  using directory = ownDirectory();
  const store = await openStore(directory.config, "write");
  await migrate(store);
  const insert = (from: number, count: number) =>
    store.records.batch([
      {
        sql: `insert into requests (request_id, organization_id, key_id, method, user_id, request_created_at, updated_at)
          select 'r-' || value, 'o', 'k', 'POST', 'ann', value, 0 from generate_series(?, ?)`,
        args: [from, from + count - 1],
      },
    ]);
  const grown = async () => {
    const partitions = new TimePartitions(5);
    await partitions.load(store.records);
    return (await partitions.grow(store.records, 1_000)).length > 0;
  };
  await insert(1, 4);
  expect(await grown()).toBe(false);
  await insert(5, 3);
  expect(await grown()).toBe(true);
  await store.close();
});
