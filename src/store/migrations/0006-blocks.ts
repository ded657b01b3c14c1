const changed = (row: "new" | "old") => `when ${row}.seq <= (select seq from block_watch) begin
    insert into block_changes (seq) values (${row}.seq) on conflict (seq) do update set taken = 0;
  end`;

/**
 * Columns of many records side by side, for metrics over long periods. A block never changes: triggers note changes of its
 * records in the same transaction, and those records are then read individually.
 */
export const BLOCKS = [
  `create table blocks (
    id integer primary key autoincrement not null,
    first_seq integer not null,
    last_seq integer not null,
    rows integer not null,
    odd_rows integer not null,
    names_complete integer not null
  )`,
  "create index blocks_last on blocks (last_seq)",
  `create table block_parts (
    organization_id text not null,
    block integer not null,
    first_row integer not null,
    rows integer not null,
    first_created integer not null,
    last_created integer not null,
    primary key (organization_id, block)
  ) without rowid`,
  `create table block_columns (
    block integer not null,
    name text not null,
    data blob not null,
    primary key (block, name)
  )`,
  "create table block_changes (seq integer primary key not null, taken integer default 0 not null)",
  `create table block_watch (
    id integer primary key not null,
    seq integer not null,
    token text not null
  )`,
  "insert into block_watch (id, seq, token) values (1, 0, '')",
  `create trigger block_inserted after insert on requests ${changed("new")}`,
  `create trigger block_updated after update on requests ${changed("old")}`,
  `create trigger block_deleted after delete on requests ${changed("old")}`,
];
