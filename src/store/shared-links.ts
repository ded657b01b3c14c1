import { createHash } from "node:crypto";
import type { Role } from "../people/permissions.ts";
import { patiently } from "./database/patiently.ts";
import type { Database } from "./store.ts";

/** Leads to one request or one session, for whoever has its token. */
export interface SharedLink {
  readonly id: string;
  readonly token_hash: string;
  readonly organization_id: string;
  readonly kind: "request" | "session";
  /** Id of the request or the session. */
  readonly subject: string;
  /** Whose it is: `key:<id>`. */
  readonly owner_id: string;
  readonly owner_name: string;
  readonly created_at: number;
  readonly expires_at: number;
}

/** Links that an organization has at most, expired ones left out. */
export const LINKS_MAX = 10_000;

const COLUMNS = [
  ...(["id", "token_hash", "organization_id", "kind", "subject", "owner_id", "owner_name"] as const),
  ...(["created_at", "expires_at"] as const),
];
const SELECT = `select ${COLUMNS.join(", ")} from shared_links`;

export const hashOfToken = (token: string): string => createHash("sha256").update(token).digest("hex");

/** Those that have not expired, the newest first. */
export async function listLinks(records: Database, organizationId: string, now: number): Promise<SharedLink[]> {
  const sql = `${SELECT} where organization_id = ? and expires_at > ? order by created_at desc, id`;
  return records.query<SharedLink>({ sql, args: [organizationId, now] });
}

export async function findLink(records: Database, organizationId: string, id: string): Promise<SharedLink | undefined> {
  const [link] = await records.query<SharedLink>({
    sql: `${SELECT} where id = ? and organization_id = ?`,
    args: [id, organizationId],
  });
  return link;
}

/** The link of a token, until it expires. */
export async function linkOfToken(records: Database, token: string, now: number): Promise<SharedLink | undefined> {
  const [link] = await records.query<SharedLink>({
    sql: `${SELECT} where token_hash = ? and expires_at > ?`,
    args: [hashOfToken(token), now],
  });
  return link;
}

/** Adds a link; those of the organization that have expired go. */
export async function addLink(records: Database, link: SharedLink): Promise<void> {
  const insertion = `insert into shared_links (${COLUMNS.join(", ")}) values (${COLUMNS.map(() => "?").join(", ")})`;
  await patiently(() =>
    records.batch([
      {
        sql: "delete from shared_links where organization_id = ? and expires_at <= ?",
        args: [link.organization_id, link.created_at],
      },
      { sql: insertion, args: COLUMNS.map((name) => link[name]) },
    ]),
  );
}

export async function removeLink(records: Database, id: string): Promise<void> {
  await patiently(() => records.batch([{ sql: "delete from shared_links where id = ?", args: [id] }]));
}

/** What a user is in an organization; undefined for who is disabled, gone or no member. */
export async function roleIn(home: Database, userId: string, organizationId: string): Promise<Role | undefined> {
  const sql = `select iif(u.operator = 1, 'operator', m.role) as role from users u
    left join members m on m.user_id = u.id and m.organization_id = ? where u.id = ? and u.disabled_at is null`;
  const [found] = await home.query<{ role: Role | null }>({ sql, args: [organizationId, userId] });
  return found?.role ?? undefined;
}
