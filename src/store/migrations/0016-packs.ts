/**
 * Bodies, headers, files and texts as ranges of packs. What was recorded before stays where it is until it is moved, and
 * is read there.
 *
 * `contents` is in the order of `home`, so that the rows which refer to a pack stand side by side.
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
