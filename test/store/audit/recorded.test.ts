import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import Libsql from "libsql";
import { ACTIONS, type Act, type Action } from "../../../src/people/actions.ts";
import { type Acting, SYSTEM } from "../../../src/people/actor.ts";
import { canonical } from "../../../src/store/audit/entry.ts";
import { listAudit } from "../../../src/store/audit/list.ts";
import { noted, record, recorded } from "../../../src/store/audit/recorded.ts";
import { removeOldEntries } from "../../../src/store/audit/remove-old.ts";
import { allEntries, verifyAudit } from "../../../src/store/audit/verify.ts";
import { createServiceKey, ensureFirstKey, listKeys, revokeKey } from "../../../src/store/keys.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import { readWebhookRule } from "../../../src/store/webhooks/webhook-rule.ts";
import { putWebhook } from "../../../src/store/webhooks/webhooks.ts";
import { ownDirectory } from "../open.ts";

const DEADLINE_MS = 180_000;
const ADA: Acting = {
  actor: { kind: "user", id: "u-1", name: "ada@example.com" },
  address: "192.0.2.1",
  requestId: "r-1",
};

function act(action: Action, id = "o-1", more: Partial<Act> = {}): Act {
  return { action, organizationId: "org-1", object: { kind: "key", id, name: `name of ${id}` }, ...more };
}

async function withStores(count: number, run: (stores: Store[], path: string) => Promise<void>) {
  using directory = ownDirectory();
  const stores: Store[] = [];
  for (let n = 0; n < count; n++) stores.push(await openStore(directory.config, n === 0 ? "write" : "change"));
  await migrate(stores[0]!);
  await run(stores, directory.path);
  for (const store of stores) await store.close();
}

const withRecords = (run: (records: Store["records"], path: string) => Promise<void>) =>
  withStores(1, ([store], path) => run(store!.records, path));

async function entriesOf(records: Store["records"]) {
  return Array.fromAsync(allEntries(records));
}

describe("an entry", () => {
  test("has the actor, the action, the address and the change", () =>
    withRecords(async (records) => {
      await noted(records, ADA, act("key.rotated", "k-1", { before: { a: 1 }, after: { a: 2 } }));
      const [entry] = await entriesOf(records);
      expect(entry).toEqual({
        seq: 1,
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        organization: null,
        organization_id: "org-1",
        actor: ADA.actor,
        address: "192.0.2.1",
        action: "key.rotated",
        object: { kind: "key", id: "k-1", name: "name of k-1" },
        change: { before: { a: 1 }, after: { a: 2 } },
        request_id: "r-1",
        outcome: "done",
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
    }));

  test("has a hash that can be computed from the exported entries", () =>
    withRecords(async (records) => {
      for (const id of ["a", "b", "c"])
        await noted(records, ADA, act("key.created", id, { after: { z: [1, { b: 2, a: 1 }], é: "\u2028" } }));
      let previous = "";
      for (const { hash, ...entry } of await entriesOf(records)) {
        expect(
          createHash("sha256")
            .update(previous + canonical(entry))
            .digest("hex"),
        ).toBe(hash);
        previous = hash;
      }
      expect(canonical({ b: { d: 1, c: [] }, a: null })).toBe('{"a":null,"b":{"c":[],"d":1}}');
    }));

  test("holds no secret", () =>
    withRecords(async (records) => {
      const key = "sk-proj-aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z";
      const after = {
        api_key: "x",
        nested: [{ password: "hunter2 and more", note: `use ${key}` }],
        url: "https://u:p4ss@h.test/",
      };
      await noted(records, ADA, act("webhook.created", "w", { after }));
      const text = JSON.stringify(await entriesOf(records));
      for (const secret of [key, "hunter2", "p4ss", '"x"']) expect(text).not.toContain(secret);
    }));

  test("is cut if it is long, and valid also with texts that are not", () =>
    withRecords(async (records) => {
      const by = { ...ADA, actor: { ...ADA.actor, name: "\ud800 x\0y" } };
      await noted(
        records,
        by,
        act("mapping.changed", "m", { after: { text: "x".repeat(9_000), lone: "\udfff", deep: nested(100) } }),
      );
      await noted(records, by, act("mapping.changed", "m", { after: Array.from({ length: 9_000 }, () => "text") }));
      expect(await verifyAudit(records)).toMatchObject({ entries: 2, broken: null });
    }));
});

describe("a change", () => {
  test("is stored with its entry, or neither is", () =>
    withRecords(async (records) => {
      const good = { sql: "insert into settings (name, value) values ('a', '1')", args: [] };
      const bad = { sql: "insert into no_such_table values (1)", args: [] };
      await expect(recorded(records, [good, bad], ADA, act("key.created"))).rejects.toThrow();
      expect(await entriesOf(records)).toEqual([]);
      expect(await records.query({ sql: "select 1 as one from settings where name = 'a'", args: [] })).toEqual([]);
      await recorded(records, [good], ADA, act("key.created"));
      expect(await entriesOf(records)).toHaveLength(1);
    }));

  test("that changed nothing, because another was faster, has no entry", () =>
    withRecords(async (records) => {
      const statements = [{ sql: "update settings set value = '2' where name = 'missing'", args: [] }];
      await record(records, { statements, by: ADA, acts: [act("key.revoked")], ifChanged: true });
      expect(await entriesOf(records)).toEqual([]);
      await noted(records, ADA, act("key.created"));
      expect(await verifyAudit(records)).toMatchObject({ entries: 1, broken: null });
    }));

  test("of several connections at once makes one chain without a gap", () =>
    withStores(4, async (stores) => {
      const work = stores.flatMap(({ records }, n) =>
        Array.from({ length: 25 }, (_, m) => noted(records, ADA, act("key.created", `${n}-${m}`))),
      );
      await Promise.all(work);
      const { records } = stores[0]!;
      expect(await verifyAudit(records)).toMatchObject({ entries: 100, first: 1, newest: 100, broken: null });
      expect(new Set((await entriesOf(records)).map(({ object }) => object.id)).size).toBe(100);
    }));
});

describe("the chain", () => {
  const damages: [string, string, number, RegExp][] = [
    ["an entry that was changed", "update audit set actor_name = 'eve' where seq = 3", 3, /entry 3 was changed/],
    ["an entry with another hash", "update audit set hash = '00' where seq = 2", 2, /entry 2 was changed/],
    [
      "a change that was made to look smaller",
      `update audit set after = '{"a":1}' where seq = 4`,
      4,
      /entry 4 was changed/,
    ],
    ["an entry that is missing", "delete from audit where seq = 2", 2, /entry 2 is missing/],
    ["entries that are missing at the end", "delete from audit where seq >= 4", 4, /entries 4 to 5 are missing/],
    ["entries that are missing at the beginning", "delete from audit where seq <= 2", 1, /entries 1 to 2 are missing/],
  ];
  test.each(damages)("names %s", (_name, sql, seq, why) =>
    withRecords(async (records, path) => {
      for (let n = 1; n <= 5; n++) await noted(records, ADA, act("key.created", `k-${n}`, { after: { a: n } }));
      const database = new Libsql(`${path}/weir.db`);
      database.exec("drop trigger audit_update; drop trigger audit_delete");
      database.exec(sql);
      database.close();
      const verdict = await verifyAudit(records);
      expect(verdict.broken?.seq).toBe(seq);
      expect(verdict.broken?.why).toMatch(why);
      // What comes later does not hide it.
      await noted(records, ADA, act("key.created", "later"));
      expect((await verifyAudit(records)).broken?.seq).toBe(seq);
    }),
  );

  test("continues from the entries that were removed because of their age", () =>
    withRecords(async (records) => {
      for (let n = 1; n <= 5; n++) await noted(records, ADA, act("key.created", `k-${n}`));
      const later = Date.now() + 401 * 86_400_000;
      expect(await removeOldEntries(records, 400, Date.now(), async () => {})).toBe(0);
      expect(await removeOldEntries(records, 0, later, async () => {})).toBe(0);
      expect(await removeOldEntries(records, 400, later, async () => {})).toBe(5);
      expect(await verifyAudit(records)).toMatchObject({ entries: 0, broken: null });
      await noted(records, ADA, act("key.created", "k-6"));
      expect(await verifyAudit(records)).toMatchObject({ entries: 1, first: 6, broken: null });
    }));

  test("cannot be changed through this program's own connection", () =>
    withRecords(async (records) => {
      await noted(records, ADA, act("key.created"));
      for (const sql of ["update audit set actor_name = 'eve'", "delete from audit"])
        await expect(records.batch([{ sql, args: [] }])).rejects.toThrow(/audit log is never/);
    }));
});

describe("a list", () => {
  test("is filtered by actor, action, object, outcome and time, and continued by its cursor", () =>
    withRecords(async (records) => {
      const key: Acting = { actor: { kind: "key", id: "k-9", name: "ci" }, address: null, requestId: null };
      await noted(records, ADA, act("key.created", "a"));
      await noted(records, key, act("key.revoked", "a"));
      await noted(records, key, act("route.created", "b", { organizationId: "org-2" }), "refused");
      await noted(records, ADA, act("login.done", "s", { organizationId: null }));
      const seqs = async (filter: object, limit = 10) =>
        (await listAudit(records, filter, { limit, deadlineMs: DEADLINE_MS })).entries.map(({ seq }) => seq);
      expect(await seqs({})).toEqual([4, 3, 2, 1]);
      expect(await seqs({ organizationId: "org-1" })).toEqual([2, 1]);
      expect(await seqs({ actor: "ci" })).toEqual([3, 2]);
      expect(await seqs({ actor: "u-1" })).toEqual([4, 1]);
      expect(await seqs({ actor: "key" })).toEqual([3, 2]);
      expect(await seqs({ action: "key.*" })).toEqual([2, 1]);
      expect(await seqs({ action: "key.revoked", actor: "ci" })).toEqual([2]);
      expect(await seqs({ object: "a" })).toEqual([2, 1]);
      expect(await seqs({ object: "name of b" })).toEqual([3]);
      expect(await seqs({ object: "nothing has this name" })).toEqual([]);
      expect(await seqs({ outcome: "refused" })).toEqual([3]);
      expect(await seqs({ since: Date.now() + 60_000 })).toEqual([]);
      expect(await seqs({ until: Date.now() + 60_000, organizationId: "org-2" })).toEqual([3]);
      const first = await listAudit(records, {}, { limit: 3, deadlineMs: DEADLINE_MS });
      const rest = await listAudit(records, {}, { limit: 3, cursor: first.nextCursor!, deadlineMs: DEADLINE_MS });
      expect([...first.entries, ...rest.entries].map(({ seq }) => seq)).toEqual([4, 3, 2, 1]);
      expect(rest.nextCursor).toBeNull();
      await expect(seqs({ action: "key.remade" })).rejects.toThrow(/there is no action "key.remade"/);
    }));
});

test("the first key, and an organization that is created with a key, have entries", () =>
  withRecords(async (records) => {
    await ensureFirstKey(records, "us", "");
    await ensureFirstKey(records, "us", "");
    const made = await createServiceKey(
      records,
      { name: "n", organization: "acme", scopes: ["read"], region: "us", expiresAt: null },
      ADA,
    );
    await revokeKey(records, { id: made.id }, ADA);
    await revokeKey(records, { id: made.id }, ADA);
    const seen = (await entriesOf(records)).map(({ action, organization, actor }) => [
      action,
      organization,
      actor.kind,
    ]);
    expect(seen).toEqual([
      ["organization.created", "default", "system"],
      ["key.created", "default", "system"],
      ["organization.created", "acme", "user"],
      ["key.created", "acme", "user"],
      ["key.revoked", "acme", "user"],
    ]);
    expect(await listKeys(records)).toHaveLength(2);
    for (const { action } of await entriesOf(records)) expect(Object.keys(ACTIONS)).toContain(action);
  }));

test("a webhook that subscribes to the audit log gets the entries of its organization, in their transaction", () =>
  withRecords(async (records) => {
    const rule = (events: string[]) => readWebhookRule({ url: "https://hooks.example.com/", events }, () => undefined);
    const wants = await putWebhook(records, { organizationId: "org-1", by: SYSTEM }, rule(["audit.entry"]));
    await putWebhook(records, { organizationId: "org-1", by: SYSTEM }, rule(["request.finished"]));
    await putWebhook(records, { organizationId: "org-2", by: SYSTEM }, rule(["audit.entry"]));
    await noted(records, ADA, act("key.created", "k-1"));
    const rows = await records.query<{ source_id: string; payload: string }>({
      sql: "select * from deliveries where payload like '%name of k-1%'",
      args: [],
    });
    expect(rows.map(({ source_id }) => source_id)).toEqual([wants.id]);
    expect(JSON.parse(rows[0]!.payload)).toMatchObject({
      type: "audit.entry",
      webhook_id: wants.id,
      entry: { seq: 4, action: "key.created" },
    });
  }));

function nested(depth: number): unknown {
  return depth === 0 ? 1 : [nested(depth - 1)];
}
