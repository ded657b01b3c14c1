import { randomBytes, randomUUID } from "node:crypto";
import { hashKey } from "../../keys.ts";
import type { Acting } from "../../people/actor.ts";
import { isoTime } from "../../record/iso-time.ts";
import { noted, recorded } from "../audit/recorded.ts";
import { patiently } from "../database/patiently.ts";
import type { Database } from "../store.ts";

/** A log-in of a person, as the database has it. Times are milliseconds since 1970. */
export interface Login {
  readonly id: string;
  readonly user_id: string | null;
  readonly key_id: string | null;
  readonly provider: string | null;
  readonly id_token: string | null;
  readonly organization_id: string | null;
  readonly address: string | null;
  readonly agent: string | null;
  readonly begun_at: number;
  readonly seen_at: number;
  readonly expires_at: number;
}

export interface NewLogin {
  readonly userId: string | null;
  readonly keyId: string | null;
  readonly provider?: string | null;
  readonly idToken?: string | null;
  readonly agent: string | null;
  readonly expiresAt: number;
}

/** Times between which a log-in's last use is not written again. */
const SEEN_MS = 60_000;
const AGENT_CHARS = 300;

/** Begins a log-in. @returns its token, which only the browser keeps. */
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
  const sql = `insert into logins (id, token_hash, user_id, key_id, provider, id_token, organization_id, address, agent, begun_at, seen_at, expires_at)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
  const place = [organizationId, by.address, agent?.slice(0, AGENT_CHARS) ?? null];
  const statements = [
    { sql: "delete from logins where expires_at < ?", args: [now] },
    { sql, args: [id, hashKey(token), userId, keyId, provider, idToken, ...place, now, now, expiresAt] },
    ...(userId === null ? [] : [{ sql: "update users set last_login_at = ? where id = ?", args: [now, userId] }]),
  ];
  await recorded(records, statements, by, {
    action: "login.done",
    organizationId,
    object: { kind: "session", id, name: provider ?? (userId === null ? "key" : "password") },
  });
  return { id, token };
}

/** The log-in of a token, unless it has ended. */
export async function findLogin(records: Database, token: string): Promise<Login | undefined> {
  const sql = "select * from logins where token_hash = ? and expires_at > ?";
  const [found] = await records.query<Login>({ sql, args: [hashKey(token), Date.now()] });
  return found;
}

/** Notes the use of a log-in and when it ends now, at most once a minute. */
export async function touchLogin(records: Database, { id, seen_at }: Login, expiresAt: number): Promise<void> {
  const now = Date.now();
  if (now - seen_at < SEEN_MS) return;
  const sql = "update logins set seen_at = ?, expires_at = ? where id = ?";
  await patiently(() => records.batch([{ sql, args: [now, expiresAt, id] }]));
}

export async function endLogin(
  records: Database,
  login: Pick<Login, "id" | "organization_id">,
  by: Acting,
  action: "logout" | "session.ended",
): Promise<void> {
  await recorded(records, [{ sql: "delete from logins where id = ?", args: [login.id] }], by, {
    action,
    organizationId: login.organization_id,
    object: { kind: "session", id: login.id, name: "" },
  });
}

/** A log-in as it is shown to people. */
export interface ShownLogin {
  readonly id: string;
  readonly user_id: string | null;
  readonly user: string | null;
  readonly key_id: string | null;
  /** `password`, `key`, or the name of a single sign-on. */
  readonly method: string;
  readonly address: string | null;
  readonly agent: string | null;
  /** Whether the request came with it. */
  readonly current: boolean;
  readonly begun_at: string;
  readonly seen_at: string;
  readonly expires_at: string;
}

/** Whose log-ins are listed: of a user, of a key, or of all members and keys of an organization. */
export type WhoseLogins =
  | { readonly userId: string }
  | { readonly keyId: string }
  | { readonly organizationId: string };

export async function listLogins(records: Database, whose: WhoseLogins, currentId?: string): Promise<ShownLogin[]> {
  const [condition, value] =
    "userId" in whose
      ? ["l.user_id = ?1", whose.userId]
      : "keyId" in whose
        ? ["l.key_id = ?1", whose.keyId]
        : [
            `(l.user_id in (select user_id from members where organization_id = ?1)
              or l.key_id in (select id from keys where organization_id = ?1))`,
            whose.organizationId,
          ];
  const sql = `select l.*, u.email as user from logins l left join users u on u.id = l.user_id
    where ${condition} and l.expires_at > ?2 order by l.seen_at desc, l.id`;
  const rows = await records.query<Login & { user: string | null }>({ sql, args: [value, Date.now()] });
  return rows.map((row) => ({
    ...{ id: row.id, user_id: row.user_id, user: row.user, key_id: row.key_id },
    method: row.provider ?? (row.user_id === null ? "key" : "password"),
    ...{ address: row.address, agent: row.agent, current: row.id === currentId },
    ...{ begun_at: isoTime(row.begun_at), seen_at: isoTime(row.seen_at), expires_at: isoTime(row.expires_at) },
  }));
}

/** Notes that a log-in was refused. @param name - the address or the beginning of what was tried, never a secret. */
export function noteFailedLogin(records: Database, name: string, by: Acting): Promise<void> {
  const object = { kind: "session", id: "", name: name.slice(0, 200) };
  return noted(records, by, { action: "login.failed", organizationId: null, object }, "refused");
}
