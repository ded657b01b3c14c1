import { describe, expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { GatewayError } from "../../src/errors.ts";
import { dashboards, members, organizations, routes, users } from "../../src/record/tables.ts";
import { isOneOf, over, statementOf } from "../../src/store/database/builder.ts";
import { patiently } from "../../src/store/database/while-locked.ts";
import { migrate } from "../../src/store/migrate.ts";
import { openStore } from "../../src/store/store.ts";
import { ownDirectory } from "./open.ts";

async function opened() {
  const directory = ownDirectory();
  const store = await openStore(directory.config, "write");
  await migrate(store);
  const close = async () => {
    await store.close();
    directory[Symbol.dispose]();
  };
  return { directory, records: store.records, db: over(store.records), [Symbol.asyncDispose]: close };
}

const organization = (id: string) => ({ id, name: `name of ${id}`, created_at: 1 });

describe("the query builder over a connection", () => {
  test("reads what it wrote, each column as its table says", async () => {
    await using it = await opened();
    const row = {
      ...{ id: "d1", organization_id: "o1", owner_id: "key:1", owner_name: "ada", name: "first" },
      ...{ shared: true, terms: { panels: [], filter: null }, created_at: 1, updated_at: 2 },
    };
    await it.db.insert(dashboards).values(row);
    expect(await it.db.select().from(dashboards)).toEqual([row]);
    expect(await it.records.query<object>({ sql: "select shared, terms from dashboards", args: [] })).toEqual([
      { shared: 1, terms: '{"panels":[],"filter":null}' },
    ]);
    expect(await it.db.select().from(dashboards).where(eq(dashboards.id, "d2")).get()).toBeUndefined();
    expect(await it.db.$count(dashboards, eq(dashboards.id, "d1"))).toBe(1);
  });

  test("distinguishes columns of one name in a join", async () => {
    await using it = await opened();
    await it.db.batch([
      it.db.insert(organizations).values(organization("o1")),
      it.db.insert(users).values({ id: "u1", email: "ada@example.com", name: "ada", created_at: 3, updated_at: 4 }),
      it.db
        .insert(members)
        .values({ user_id: "u1", organization_id: "o1", role: "admin", source: "weir", created_at: 5, updated_at: 6 }),
    ]);
    const joined = (db: typeof it.db) =>
      db
        .select({ user: users.name, organization: organizations.name, since: members.created_at })
        .from(members)
        .innerJoin(users, eq(users.id, members.user_id))
        .innerJoin(organizations, eq(organizations.id, members.organization_id));
    const expected = [{ user: "ada", organization: "name of o1", since: 5 }];
    expect(await joined(it.db)).toEqual(expected);
    const reader = await openStore(it.directory.config, "read");
    expect(await joined(over(reader.records))).toEqual(expected);
    expect(await joined(over(reader.records, 60_000))).toEqual(expected);
    await reader.close();
  });

  test("makes all changes of a batch or none", async () => {
    await using it = await opened();
    const taken = it.db.insert(organizations).values(organization("o1"));
    await taken;
    const other = it.db.insert(organizations).values(organization("o2"));
    await expect(it.db.batch([other, taken])).rejects.toThrow("UNIQUE constraint failed: organizations");
    expect(await it.db.select({ id: organizations.id }).from(organizations)).toEqual([{ id: "o1" }]);
  });

  test("fails as the connection does, without the values of the statement", async () => {
    await using it = await opened();
    const insertion = () => it.db.insert(organizations).values(organization("secret-of-ada"));
    await insertion();
    const failure = await insertion().then(
      () => undefined,
      (error: Error) => error,
    );
    expect(failure?.message).toContain("UNIQUE constraint failed: organizations");
    expect(failure?.message).not.toContain("secret-of-ada");

    const missing = await openStore(
      { ...it.directory.config, data_dir: `${it.directory.config.data_dir}/none` },
      "read",
    );
    const query = over(missing.records).select().from(organizations);
    await expect(query.execute()).rejects.toMatchObject({ code: "database_unavailable" });
    await missing.close();
  });

  test("waits for a database that somebody else has locked", async () => {
    await using it = await opened();
    let tries = 0;
    const batch: typeof it.records.batch = async (statements) => {
      if (++tries === 1) throw new GatewayError("database_unavailable", "the database is locked");
      await it.records.batch(statements);
    };
    const locked = { ...it.records, batch };
    await patiently(() => over(locked).insert(organizations).values(organization("o1")));
    expect(tries).toBe(2);
    expect(await it.db.$count(organizations)).toBe(1);
  });

  test("does not repeat a write that fails for another reason", async () => {
    let tries = 0;
    const fault = new Error("a constraint");
    const failing = patiently(async () => {
      tries++;
      throw fault;
    });
    await expect(failing).rejects.toBe(fault);
    expect(tries).toBe(1);
  });

  test("binds every value of a written statement, hostile ones included", async () => {
    await using it = await opened();
    const hostile = `x'); drop table routes; --`;
    const row = { organization_id: hostile, name: '"; --', route: "{}", created_at: 1, updated_at: 1 };
    await it.db.insert(routes).values(row);
    const query = statementOf(sql`select name from ${routes} where ${eq(routes.organization_id, hostile)}`);
    expect(query.sql).not.toContain("drop");
    expect(await it.records.query<object>(query)).toEqual([{ name: '"; --' }]);
    const listed = it.db
      .select()
      .from(routes)
      .where(isOneOf(routes.organization_id, ["o1", hostile]));
    expect(await listed).toEqual([row]);
    expect(listed.toSQL().params).toHaveLength(1);
    await it.db.delete(routes).where(eq(routes.name, '"; --'));
    expect(await it.db.$count(routes)).toBe(0);
  });
});
