/**
 * Bodies, headers, files and texts as ranges of packs. Older contents stay in their place until they are moved, and are read
 * there.
 *
 * `contents` is ordered by `home`, so that rows that refer to the same pack are adjacent.
 */
export const PACKS = [
  `create table packs (
    id integer primary key not null,
    bytes integer not null,
    shared integer not null,
    node text,
    data blob not null
  )`,
  `create table contents (
    home integer not null,
    request_id blob not null,
    parts blob not null,
    primary key (home, request_id)
  ) without rowid`,
  "create unique index contents_id on contents (request_id)",
  `create table pack_erasures (
    pack integer primary key not null,
    marks integer not null
  )`,
];
