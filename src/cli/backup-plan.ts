import type { Config } from "../config.ts";
import { openObjectStore } from "../store/objects/open-objects.ts";
import { regionsOf } from "../upkeep/places.ts";

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
    const records = databases.map(({ path }) => path);
    lines.push(`# records and settings: ${records.length > 0 ? records.join(", ") : "the libSQL server"}`);
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
  return `${[...lines, ...copies].join("\n")}\n`;
}
