import { afterAll, beforeAll, expect, test } from "bun:test";
import { SYSTEM } from "../../../src/people/actor.ts";
import { listAudit } from "../../../src/store/audit/list.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { invite, listInvitations, revokeInvitation } from "../../../src/store/people/invitations.ts";
import { listMembers } from "../../../src/store/people/members.ts";
import { createOrganization } from "../../../src/store/people/organizations.ts";
import { admitSignedOn } from "../../../src/store/people/sso-members.ts";
import { findUser } from "../../../src/store/people/users.ts";
import { type Database, openStore, type Store } from "../../../src/store/store.ts";
import { ownDirectory } from "../open.ts";

const NOWHERE = { address: null, requestId: null };
let directory: ReturnType<typeof ownDirectory>;
let store: Store;

beforeAll(async () => {
  directory = ownDirectory();
  store = await openStore(directory.config, "write");
  await migrate(store);
});
afterAll(async () => {
  await store.close();
  directory[Symbol.dispose]();
});

const signedOn = (email: string) => ({
  ...{ source: "sso:corp", issuer: "https://corp", subject: email, email, name: "Ada" },
  roles: new Map<string, "viewer">(),
});

async function invited(email: string, organization: string) {
  const { id: organizationId } = await createOrganization(store.records, organization, SYSTEM);
  const { id } = await invite(store.records, { email, organizationId, role: "admin" }, SYSTEM);
  const revoke = () => revokeInvitation(store.records, { organizationId, idOrToken: id }, SYSTEM);
  return { organizationId, revoke };
}

/** The store's records, and what happens just before their next change. */
function before(next: () => Promise<unknown>): Database {
  const { records } = store;
  let pending: (() => Promise<unknown>) | undefined = next;
  return {
    ...{ compact: records.compact, settle: records.settle, queryTogether: records.queryTogether, close: records.close },
    query: (...given) => records.query(...given),
    async batch(statements) {
      const happens = pending;
      pending = undefined;
      await happens?.();
      await records.batch(statements);
    },
  };
}

const actionsOf = async (email: string) => {
  const { entries } = await listAudit(store.records, { object: email }, { limit: 9, deadlineMs: 60_000 });
  return entries.map(({ action, organization }) => `${action} ${organization}`).reverse();
};

test("an invitation that is revoked during a first log-in makes neither a member nor a user", async () => {
  const { organizationId, revoke } = await invited("ada@example.test", "one");
  const admitted = admitSignedOn(before(revoke), signedOn("ada@example.test"), NOWHERE);
  await expect(admitted).rejects.toMatchObject({ code: "not_a_member" });
  expect(await listMembers(store.records, organizationId)).toEqual([]);
  expect(await findUser(store.records, "email", "ada@example.test")).toBeUndefined();
  expect(await actionsOf("ada@example.test")).toEqual(["user.invited one", "invitation.revoked one"]);
});

test("another invitation still counts, and so does one that is accepted at once by two log-ins", async () => {
  const email = "bo@example.test";
  const [two, three] = [await invited(email, "two"), await invited(email, "three")];
  const { id } = await admitSignedOn(before(two.revoke), signedOn(email), NOWHERE);
  const membersOf = (organizationId: string) => listMembers(store.records, organizationId, id);
  expect(await membersOf(two.organizationId)).toEqual([]);
  expect(await membersOf(three.organizationId)).toMatchObject([{ email, role: "admin", source: "weir" }]);

  const four = await invited(email, "four");
  const other = () => admitSignedOn(store.records, signedOn(email), NOWHERE);
  expect((await admitSignedOn(before(other), signedOn(email), NOWHERE)).id).toBe(id);
  expect(await membersOf(four.organizationId)).toMatchObject([{ role: "admin" }]);
  expect(await listInvitations(store.records, four.organizationId)).toEqual([]);
  expect((await actionsOf(email)).filter((each) => !each.startsWith("user.invited"))).toEqual([
    ...["invitation.revoked two", "user.created null", "member.added three", "member.added four"],
  ]);
});

test("a first log-in that another one overtakes gets that one's user", async () => {
  const email = "cy@example.test";
  const { organizationId } = await invited(email, "five");
  const other = () => admitSignedOn(store.records, signedOn(email), NOWHERE);
  const { id } = await admitSignedOn(before(other), signedOn(email), NOWHERE);
  expect(await listMembers(store.records, organizationId)).toMatchObject([{ user_id: id, role: "admin" }]);
});
