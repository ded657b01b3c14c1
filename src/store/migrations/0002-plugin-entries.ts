export const PLUGIN_ENTRIES = [
  `create table plugin_entries (
    plugin text not null,
    key text not null,
    value text,
    version integer not null,
    primary key (plugin, key)
  )`,
  "create index plugin_entries_version on plugin_entries (version)",
];
