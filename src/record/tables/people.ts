import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Role } from "../../people/permissions.ts";

/** Role in one organization; an operator belongs to all of them. */
type MemberRole = Exclude<Role, "operator">;

export const users = sqliteTable("users", {
  id: text().primaryKey(),
  /** In lower case. */
  email: text().notNull().unique(),
  name: text().notNull(),
  /** Salt and hash with their parameters, as `people/password.ts` writes them; null for users without a password. */
  password: text(),
  operator: integer().notNull().default(0),
  created_at: integer().notNull(),
  updated_at: integer().notNull(),
  disabled_at: integer(),
  last_login_at: integer(),
});

/** A user's role in an organization. `source` is `weir`, or `sso:<name>` if a single sign-on rule assigned it. */
export const members = sqliteTable(
  "members",
  {
    user_id: text().notNull(),
    organization_id: text().notNull(),
    role: text().$type<MemberRole>().notNull(),
    source: text().notNull(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.organization_id] }), index("members_organization").on(t.organization_id)],
);

/** A user's identity at an identity provider: `provider` is its issuer. */
export const identities = sqliteTable(
  "identities",
  {
    provider: text().notNull(),
    subject: text().notNull(),
    user_id: text().notNull(),
    created_at: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.provider, t.subject] }), index("identities_user").on(t.user_id)],
);

export const invitations = sqliteTable(
  "invitations",
  {
    id: text().primaryKey(),
    /** SHA-256 of the link's token, hexadecimal. */
    token_hash: text().notNull().unique(),
    email: text().notNull(),
    organization_id: text().notNull(),
    role: text().$type<MemberRole>().notNull(),
    /** Name of the inviter. */
    invited_by: text().notNull(),
    created_at: integer().notNull(),
    expires_at: integer().notNull(),
    used_at: integer(),
  },
  (t) => [index("invitations_organization").on(t.organization_id)],
);

/** Log-ins of people, by user or by service key: one of the two is null. */
export const logins = sqliteTable(
  "logins",
  {
    id: text().primaryKey(),
    /** SHA-256 of the cookie's token, hexadecimal. */
    token_hash: text().notNull().unique(),
    user_id: text(),
    key_id: text(),
    /** Name of the single sign-on, if one was used. */
    provider: text(),
    /** Used for the log-out at the provider. */
    id_token: text(),
    organization_id: text(),
    address: text(),
    agent: text(),
    begun_at: integer().notNull(),
    seen_at: integer().notNull(),
    expires_at: integer().notNull(),
  },
  (t) => [index("logins_user").on(t.user_id)],
);

/** Counts changes of users' permissions, so that keys are read again; one row. */
export const peopleVersion = sqliteTable("people_version", {
  id: integer().primaryKey(),
  version: integer().notNull(),
});
