/**
 * The audit log. `audit_chain` is one row: the newest entry, so that entries missing at the end are noticed, and the last
 * entry that was removed because of its age, whose hash the oldest kept entry continues from. The triggers guard against bugs
 * in this program; the hash chain reveals changes by others.
 */
export const AUDIT = [
  `create table audit (
    seq integer primary key not null,
    time integer not null,
    organization_id text,
    organization text,
    actor_kind text not null,
    actor_id text not null,
    actor_name text not null,
    address text,
    action text not null,
    object_kind text not null,
    object_id text not null,
    object_name text not null,
    before text,
    after text,
    request_id text,
    outcome text not null,
    hash text not null
  )`,
  "create index audit_time on audit (time)",
  ...["organization_id", "action", "actor_id", "actor_name", "object_id", "object_name"].map(
    (column) => `create index audit_${column} on audit (${column}, time)`,
  ),
  `create table audit_chain (
    id integer primary key not null,
    newest_seq integer not null,
    newest_hash text not null,
    removed_seq integer not null,
    removed_hash text not null
  )`,
  "insert into audit_chain (id, newest_seq, newest_hash, removed_seq, removed_hash) values (1, 0, '', 0, '')",
  `create trigger audit_update before update on audit
    begin select raise(abort, 'an entry of the audit log is never changed'); end`,
  `create trigger audit_delete before delete on audit when old.seq > (select removed_seq from audit_chain)
    begin select raise(abort, 'an entry of the audit log is never deleted before its time'); end`,
  `alter table webhooks add column events text not null default '["request.finished"]'`,
];
