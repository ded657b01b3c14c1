import type { Config } from "../config.ts";
import { identifier } from "../engine/clickhouse/literal.ts";
import { regionsOf } from "../maintenance/database-places.ts";
import { openObjectStore } from "../store/objects/open-objects.ts";

/** The locations of data and the commands to back it up, in their order. */
export function backupPlan(config: Config): string {
  const regions = regionsOf(config);
  const stores = regions.flatMap(({ config: theirs }) => {
    const store = openObjectStore(theirs);
    return store === undefined ? [] : [{ store, config: theirs }];
  });
  const copies = stores.map(({ config: { bodies_bucket: bucket, bodies_prefix: prefix } }) => {
    const from = `objects:${bucket}${prefix === "" ? "" : `/${prefix}`}`;
    return `rclone copy ${from} backup:${bucket}${prefix === "" ? "" : `/${prefix}`}`;
  });
  const lines = ["# Locations"];
  for (const { config: theirs, databases, spool } of regions) {
    const files = databases.map(({ path }) => path);
    const isApart = theirs.records_engine === "clickhouse";
    const what = isApart ? "settings" : "records and settings";
    lines.push(`# ${what}: ${files.length > 0 ? files.join(", ") : "the libSQL server"}`);
    if (isApart) lines.push(`# records: ClickHouse, database ${theirs.records_database}`);
    const store = openObjectStore(theirs);
    if (store !== undefined) lines.push(`# bodies: bucket ${store.place}`);
    lines.push(`# not recorded yet: ${spool}`);
  }
  lines.push("");
  if (copies.length > 0) {
    lines.push(
      "# Objects are never changed, so `copy` only takes new ones. Those that the database below refers to are kept",
    );
    lines.push("# for at least an hour after it: the second copy must be done by then.", ...copies);
  }
  lines.push("weir backup /backups/weir.tar");
  if (regions.some(({ databases }) => databases.length === 0)) {
    lines.push("# then the libSQL server's own backup");
  }
  const records = regions.flatMap(({ config: theirs }) => recordsBackup(theirs));
  if (records.length > 0) {
    lines.push(
      "# Records after the position that the backup above holds: what a restored spool reads again is known by its ids.",
      "# Give a name that is not taken, and a key that may write there. curl asks for the password.",
      ...records,
    );
  }
  return `${[...lines, ...copies].join("\n")}\n`;
}

/** The statement that copies records into a bucket, as a command. A backup of a cluster has all its shards. */
function recordsBackup(config: Config): string[] {
  if (config.records_engine !== "clickhouse") return [];
  const cluster = config.records_cluster === "" ? "" : ` ON CLUSTER ${identifier(config.records_cluster)}`;
  const place = "S3('https://OBJECTS/BUCKET/records-DATE', 'KEY', 'SECRET')";
  const statement = `BACKUP DATABASE ${identifier(config.records_database)}${cluster} TO ${place}`;
  const url = new URL(config.records_url.split(",")[0]!.trim());
  [url.username, url.password] = ["", ""];
  const user = quoted(config.records_user || "default");
  return [`curl --user ${user} ${quoted(url.href)} --data-binary ${quoted(statement)}`];
}

/** Quotes a word for the shell. */
const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
