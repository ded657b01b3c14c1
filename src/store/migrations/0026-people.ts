/** Users, their memberships, invitations and log-ins, and the owners of keys. */
export const PEOPLE = [
  `create table users (
    id text primary key not null,
    email text not null,
    name text not null,
    password text,
    operator integer not null default 0,
    created_at integer not null,
    updated_at integer not null,
    disabled_at integer,
    last_login_at integer
  )`,
  "create unique index users_email_unique on users (email)",
  `create table members (
    user_id text not null,
    organization_id text not null,
    role text not null,
    source text not null,
    created_at integer not null,
    updated_at integer not null,
    primary key (user_id, organization_id)
  )`,
  "create index members_organization on members (organization_id)",
  `create table identities (
    provider text not null,
    subject text not null,
    user_id text not null,
    created_at integer not null,
    primary key (provider, subject)
  )`,
  "create index identities_user on identities (user_id)",
  `create table invitations (
    id text primary key not null,
    token_hash text not null,
    email text not null,
    organization_id text not null,
    role text not null,
    invited_by text not null,
    created_at integer not null,
    expires_at integer not null,
    used_at integer
  )`,
  "create unique index invitations_token_hash_unique on invitations (token_hash)",
  "create index invitations_organization on invitations (organization_id)",
  `create table logins (
    id text primary key not null,
    token_hash text not null,
    user_id text,
    key_id text,
    provider text,
    id_token text,
    organization_id text,
    address text,
    agent text,
    begun_at integer not null,
    seen_at integer not null,
    expires_at integer not null
  )`,
  "create unique index logins_token_hash_unique on logins (token_hash)",
  "create index logins_user on logins (user_id)",
  "alter table keys add column user_id text",
  "alter table keys add column previous_hash text",
  "alter table keys add column previous_until integer",
  "alter table keys add column changed_at integer",
  "alter table organizations add column max_key_days integer",
  // Any change of a user or a member may change what their keys may do: the version increases, so that followers reload the
  // keys.
  "create table people_version (id integer primary key not null, version integer not null)",
  "insert into people_version (id, version) values (1, 0)",
  ...["users", "members"].flatMap((table) =>
    ["insert", "update", "delete"].map(
      (event) => `create trigger ${table}_${event} after ${event}${event === "update" ? columns(table) : ""} on ${table}
        begin update people_version set version = version + 1; end`,
    ),
  ),
];

/** A log-in only changes the time of the last log-in, not permissions. */
function columns(table: string): string {
  return table === "users" ? " of operator, disabled_at, email" : " of role";
}
