/**
 * Packs whose bytes are in an object store: `object` is its name, `at` and `stored` are the offset and length in it, and
 * `data` is empty.
 *
 * `partly` is 1 when a pack has left the object; `dead_at` is the time since which nothing in it is needed.
 */
export const OBJECTS = [
  "alter table packs add column object text",
  "alter table packs add column at integer",
  "alter table packs add column stored integer",
  "create index packs_object on packs (object) where object is not null",
  "create index packs_here on packs (id) where object is null",
  `create table objects (
    name text primary key not null,
    bytes integer not null,
    node text,
    partly integer not null,
    dead_at integer
  ) without rowid`,
  "create index objects_partly on objects (name) where partly = 1 and dead_at is null",
  "create index objects_dead on objects (dead_at) where dead_at is not null",
  "create index objects_small on objects (bytes) where dead_at is null",
  `create table object_names (
    id integer primary key not null,
    prefix text not null
  )`,
];
