import { randomBytes, randomUUID } from "node:crypto";
import { and, desc, eq, gt, inArray, lt, or, type SQL } from "drizzle-orm";
import { hashKey } from "../../keys.ts";
import type { Acting } from "../../people/actor.ts";
import { isoTime } from "../../record/iso-time.ts";
import { keys, logins, members, users } from "../../record/tables.ts";
import { noted, recorded } from "../audit/recorded.ts";
import { over } from "../database/builder.ts";
import { patiently } from "../database/while-locked.ts";
import type { Database } from "../store.ts";

/** A stored log-in. Times are milliseconds since 1970. */
export type Login = typeof logins.$inferSelect;

export interface NewLogin {
  readonly userId: string | null;
  readonly keyId: string | null;
  readonly provider?: string | null;
  readonly idToken?: string | null;
  readonly agent: string | null;
  readonly expiresAt: number;
}

/** Minimum interval between updates of a log-in's last use. */
const SEEN_MS = 60_000;
const AGENT_CHARS = 300;

/** Creates a log-in. @returns its token, which only the browser keeps. */
export async function beginLogin(
  records: Database,
  order: NewLogin,
  by: Acting,
  organizationId: string | null,
): Promise<{ readonly id: string; readonly token: string }> {
  const id = randomUUID();
  const token = randomBytes(32).toString("base64url");
  const now = Date.now();
  const { userId, keyId, provider = null, idToken = null, agent, expiresAt } = order;
  const db = over(records);
  const place = { organization_id: organizationId, address: by.address, agent: agent?.slice(0, AGENT_CHARS) ?? null };
  const login = {
    id,
    token_hash: hashKey(token),
    user_id: userId,
    key_id: keyId,
    provider,
    id_token: idToken,
    ...place,
  };
  const statements = [
    db.delete(logins).where(lt(logins.expires_at, now)),
    db.insert(logins).values({ ...login, begun_at: now, seen_at: now, expires_at: expiresAt }),
    ...(userId === null ? [] : [db.update(users).set({ last_login_at: now }).where(eq(users.id, userId))]),
  ];
  await recorded(records, statements, by, {
    action: "login.done",
    organizationId,
    object: { kind: "session", id, name: provider ?? (userId === null ? "key" : "password") },
  });
  return { id, token };
}

/** The log-in of a token; undefined when it has ended. */
export async function findLogin(records: Database, token: string): Promise<Login | undefined> {
  const which = and(eq(logins.token_hash, hashKey(token)), gt(logins.expires_at, Date.now()));
  return over(records).select().from(logins).where(which).get();
}

/** Updates the last use and the expiry of a log-in, at most once a minute. */
export async function touchLogin(records: Database, { id, seen_at }: Login, expiresAt: number): Promise<void> {
  const now = Date.now();
  if (now - seen_at < SEEN_MS) return;
  const change = { seen_at: now, expires_at: expiresAt };
  await patiently(() => over(records).update(logins).set(change).where(eq(logins.id, id)));
}

export async function endLogin(
  records: Database,
  login: Pick<Login, "id" | "organization_id">,
  by: Acting,
  action: "logout" | "session.ended",
): Promise<void> {
  await recorded(records, [over(records).delete(logins).where(eq(logins.id, login.id))], by, {
    action,
    organizationId: login.organization_id,
    object: { kind: "session", id: login.id, name: "" },
  });
}

/** A log-in as the API shows it. */
export interface ShownLogin {
  readonly id: string;
  readonly user_id: string | null;
  readonly user: string | null;
  readonly key_id: string | null;
  /** `password`, `key`, or the name of a single sign-on. */
  readonly method: string;
  readonly address: string | null;
  readonly agent: string | null;
  /** Whether this request used it. */
  readonly current: boolean;
  readonly begun_at: string;
  readonly seen_at: string;
  readonly expires_at: string;
}

/** The owner of the listed log-ins: a user, a key, or all members and keys of an organization. */
type WhoseLogins = { readonly userId: string } | { readonly keyId: string } | { readonly organizationId: string };

export async function listLogins(records: Database, whose: WhoseLogins, currentId?: string): Promise<ShownLogin[]> {
  const rows = await over(records)
    .select({ login: logins, user: users.email })
    .from(logins)
    .leftJoin(users, eq(users.id, logins.user_id))
    .where(and(areTheirs(records, whose), gt(logins.expires_at, Date.now())))
    .orderBy(desc(logins.seen_at), logins.id);
  return rows.map(({ login: row, user }) => ({
    ...{ id: row.id, user_id: row.user_id, user, key_id: row.key_id },
    method: row.provider ?? (row.user_id === null ? "key" : "password"),
    ...{ address: row.address, agent: row.agent, current: row.id === currentId },
    ...{ begun_at: isoTime(row.begun_at), seen_at: isoTime(row.seen_at), expires_at: isoTime(row.expires_at) },
  }));
}

function areTheirs(records: Database, whose: WhoseLogins): SQL | undefined {
  if ("userId" in whose) return eq(logins.user_id, whose.userId);
  if ("keyId" in whose) return eq(logins.key_id, whose.keyId);
  const db = over(records);
  const { organizationId } = whose;
  const users = db.select({ id: members.user_id }).from(members).where(eq(members.organization_id, organizationId));
  const own = db.select({ id: keys.id }).from(keys).where(eq(keys.organization_id, organizationId));
  return or(inArray(logins.user_id, users), inArray(logins.key_id, own));
}

/** Logs a refused log-in. @param name - the e-mail address or the beginning of what was tried, never a secret. */
export function noteFailedLogin(records: Database, name: string, by: Acting): Promise<void> {
  const object = { kind: "session", id: "", name: name.slice(0, 200) };
  return noted(records, by, { action: "login.failed", organizationId: null, object }, "refused");
}
