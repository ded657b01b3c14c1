import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import Libsql from "libsql";
import type { Config } from "../../src/config.ts";
import { hashKey, whyUnusable } from "../../src/keys.ts";
import { SYSTEM } from "../../src/people/actor.ts";
import { parseExpiry, parseScopes } from "../../src/store/key-terms.ts";
import {
  createServiceKey,
  ensureFirstKey,
  listKeys,
  revokeKey,
  rotateKey,
  snapshotKeys,
} from "../../src/store/keys.ts";
import { keysFingerprint, touchKeys } from "../../src/store/known-keys.ts";
import { migrate } from "../../src/store/migrate.ts";
import { ensureOrganization, listOrganizations } from "../../src/store/people/organization-names.ts";
import { changeOrganization, createOrganization } from "../../src/store/people/organizations.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { ownDirectory } from "./open.ts";

const NOW = Date.UTC(2026, 0, 31, 12);
const ORDER = { name: "n", organization: "acme", scopes: ["read"], region: "us", expiresAt: null } as const;

async function withStore(run: (store: Store, path: string, config: Config) => Promise<void>) {
  using directory = ownDirectory();
  const store = await openStore(directory.config, "write");
  await migrate(store);
  await run(store, directory.path, directory.config);
  await store.close();
}

describe("a key", () => {
  test("is shown once and stored as its hash only", () =>
    withStore(async ({ records }) => {
      const made = await createServiceKey(records, { ...ORDER, expiresAt: NOW });
      expect(made).toMatchObject({ name: "n", organization: "acme", scopes: ["read"], region: "us", revoked_at: null });
      expect(made.expires_at).toBe("2026-01-31T12:00:00.000Z");
      expect(made.key).toMatch(/^sk-weir-us-[0-9A-Za-z]{43}$/);
      const [row] = await records.query<object>({ sql: "select * from keys", args: [] });
      expect(Object.values(row!)).toContain(hashKey(made.key));
      expect(JSON.stringify(row)).not.toContain(made.key);
      const { key, ...listed } = made;
      expect(await listKeys(records)).toEqual([listed]);
    }));

  test("joins the organization of its name", () =>
    withStore(async ({ records }) => {
      await createServiceKey(records, ORDER);
      await createServiceKey(records, { ...ORDER, name: "second" });
      await createServiceKey(records, { ...ORDER, organization: "other" });
      const keys = await snapshotKeys(records);
      expect(new Set(keys.map(({ organizationId }) => organizationId)).size).toBe(2);
      const ofFirst = await listKeys(records, {
        organizationId: keys.find(({ name }) => name === "second")!.organizationId,
      });
      expect(ofFirst.map(({ name }) => name)).toEqual(["n", "second"]);
    }));

  test("can be created for an organization that has the earlier name of another", () =>
    withStore(async ({ records }) => {
      const ids: string[] = [];
      for (const later of ["acme two", "acme three", "acme four"]) {
        await createServiceKey(records, ORDER);
        const [made] = await listOrganizations(records).then((all) => all.filter(({ name }) => name === "acme"));
        ids.push(made!.id);
        await changeOrganization(records, made!.id, { name: later }, SYSTEM);
      }
      ids.push((await createOrganization(records, "acme", SYSTEM)).id);
      expect(new Set(ids).size).toBe(4);
      expect(await ensureOrganization(records, "acme")).toBe(ids[3]!);
      const keys = await listKeys(records);
      expect(keys.map(({ organization }) => organization)).toEqual(["acme two", "acme three", "acme four"]);
    }));

  test("is revoked once, and only where the organization has it", () =>
    withStore(async ({ records }) => {
      const { id } = await createServiceKey(records, ORDER);
      expect(await revokeKey(records, { id, organizationId: "another organization" }, SYSTEM)).toBe(false);
      expect(await revokeKey(records, { id: "no such id" }, SYSTEM)).toBe(false);
      expect((await snapshotKeys(records))[0]!.revokedAt).toBeNull();
      const before = await keysFingerprint(records);
      expect(await revokeKey(records, { id }, SYSTEM)).toBe(true);
      expect(await keysFingerprint(records)).not.toBe(before);
      const revokedAt = (await snapshotKeys(records))[0]!.revokedAt;
      expect(revokedAt).toBeGreaterThan(0);
      expect(await revokeKey(records, { id }, SYSTEM)).toBe(true);
      expect((await snapshotKeys(records))[0]!.revokedAt).toBe(revokedAt);
    }));

  test("is rotated: the old secret works for the grace time, the new one from now on", () =>
    withStore(async ({ records }) => {
      const made = await createServiceKey(records, ORDER);
      const rotated = (await rotateKey(records, { id: made.id }, 60_000, SYSTEM))!;
      expect(rotated.key).not.toBe(made.key);
      const known = await snapshotKeys(records);
      expect(known.map(({ id, hash }) => [id, hash])).toEqual([
        [made.id, hashKey(made.key)],
        [made.id, hashKey(rotated.key)],
      ]);
      expect([whyUnusable(known[0]!, Date.now()), whyUnusable(known[0]!, Date.now() + 61_000)]).toEqual([
        undefined,
        "expired",
      ]);
      await rotateKey(records, { id: made.id }, 0, SYSTEM);
      expect(await snapshotKeys(records)).toHaveLength(1);
      await revokeKey(records, { id: made.id }, SYSTEM);
      expect(await rotateKey(records, { id: made.id }, 0, SYSTEM)).toBeUndefined();
    }));

  test("has no permission that its user lacks, and stops working with its user", () =>
    withStore(async ({ records }) => {
      const scopes = ["gateway", "read", "write"] as const;
      await createServiceKey(records, { ...ORDER, scopes, userId: "u-1" });
      const now = Date.now();
      const put = (sql: string, ...args: (string | number)[]) => records.batch([{ sql, args }]);
      const known = async () => (await snapshotKeys(records))[0]!;
      expect(whyUnusable(await known(), now)).toBe("revoked"); // there is no such user
      await put("insert into users (id, email, name, created_at, updated_at) values ('u-1', 'a@x.test', 'A', 0, 0)");
      const add = `insert into members (user_id, organization_id, role, source, created_at, updated_at)
        select 'u-1', id, ?, 'weir', 0, 0 from organizations`;
      await put(add, "developer");
      expect((await known()).permissions).toEqual(["gateway", "figures", "bodies", "write"]); // not delete
      let fingerprint = await keysFingerprint(records);
      for (const [sql, permissions] of [
        ["update members set role = 'viewer'", []],
        ["update members set role = 'admin'", ["gateway", "figures", "bodies", "write", "delete"]],
        ["update users set disabled_at = 1", []],
        ["update users set disabled_at = null, operator = 1", ["gateway", "figures", "bodies", "write", "delete"]],
        ["update users set operator = 0", ["gateway", "figures", "bodies", "write", "delete"]],
        ["delete from members", []],
      ] as const) {
        await put(sql);
        expect([sql, (await known()).permissions]).toEqual([sql, [...permissions]]);
        expect(await keysFingerprint(records)).not.toBe(fingerprint);
        fingerprint = await keysFingerprint(records);
      }
    }));

  test("remembers its last use", () =>
    withStore(async ({ records }) => {
      const { id } = await createServiceKey(records, ORDER);
      await touchKeys(records, new Map([[id, NOW]]));
      await touchKeys(records, new Map([[id, NOW - 5]]));
      expect((await listKeys(records))[0]!.last_used_at).toBe("2026-01-31T12:00:00.000Z");
    }));

  test("is made while another process holds the lock for a moment", () =>
    withStore(async ({ records }, path) => {
      const other = new Libsql(join(path, "weir.db"), {});
      other.exec("begin immediate");
      setTimeout(() => other.exec("commit"), 500);
      expect((await createServiceKey(records, ORDER)).name).toBe("n");
      other.close();
    }));
});

describe("the first key", () => {
  test("has all scopes and belongs to the organization default", () =>
    withStore(async ({ records }) => {
      const key = await ensureFirstKey(records, "eu", "");
      expect(key).toMatch(/^sk-weir-eu-/);
      expect(await listKeys(records)).toMatchObject([
        { organization: "default", scopes: ["gateway", "read", "write", "admin"], region: "eu" },
      ]);
      expect((await snapshotKeys(records))[0]!.hash).toBe(hashKey(key!));
      expect(await ensureFirstKey(records, "eu", "")).toBeUndefined();
    }));

  test("has the value that the configuration gives", () =>
    withStore(async ({ records }) => {
      expect(await ensureFirstKey(records, "us", "my own")).toBe("my own");
      expect((await snapshotKeys(records))[0]!.hash).toBe(hashKey("my own"));
    }));

  test("is created by one of two programs that start together, and not where keys exist", () =>
    withStore(async (store, _path, config) => {
      const second = await openStore(config, "write");
      const made = await Promise.all([
        ensureFirstKey(store.records, "us", ""),
        ensureFirstKey(second.records, "us", ""),
      ]);
      expect(made.filter((key) => key !== undefined)).toHaveLength(1);
      expect(await listKeys(store.records)).toHaveLength(1);
      await second.close();
    }));
});

describe("an expiry", () => {
  test.each([
    ["90s", NOW + 90_000],
    ["15m", NOW + 900_000],
    ["12h", NOW + 43_200_000],
    ["30d", NOW + 2_592_000_000],
    ["2026-02-01", Date.UTC(2026, 1, 1)],
    ["2026-02-01T10:00", Date.UTC(2026, 1, 1, 10)],
    ["2026-02-01T10:00:00+02:00", Date.UTC(2026, 1, 1, 8)],
    ["2026-02-01 10:00", Date.UTC(2026, 1, 1, 10)],
    ["2026-02-01T10:00:00.5Z", Date.UTC(2026, 1, 1, 10, 0, 0, 500)],
    ["999999999999d", Date.UTC(9999, 11, 31)],
  ])("of %s is a time", (text, expected) => {
    expect(parseExpiry(text, NOW)).toBe(expected);
  });

  test.each(["", "30", "30w", "-1d", "1.5h", "tomorrow", "2026-13-01", "2027-02-29", "2020-01-01", "0s", "30 d"])(
    "of %p is refused",
    (text) => {
      expect(() => parseExpiry(text, NOW)).toThrow(expect.objectContaining({ code: "invalid_body", path: "expires" }));
    },
  );
});

test("scopes are accepted in any order; unknown scopes and an empty list are refused", () => {
  expect(parseScopes(["write", "gateway", "write"])).toEqual(["gateway", "write"]);
  for (const [wrong, path] of [
    [["root"], "scopes.0"],
    [[], "scopes"],
    [["read", ""], "scopes.1"],
  ] as const)
    expect(() => parseScopes(wrong)).toThrow(
      expect.objectContaining({ path, message: expect.stringContaining("scopes are gateway") }),
    );
});
