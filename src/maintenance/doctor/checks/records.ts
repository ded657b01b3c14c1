import { ClickHouse, type ClickHouseOptions } from "../../../engine/clickhouse/client.ts";
import { OLDEST_VERSION, probeServer, probeTable } from "../../../engine/clickhouse/probe.ts";
import { messageOf } from "../../../log.ts";
import { regionsOf } from "../../places.ts";
import { type Check, fail, type Outcome, ok, warn } from "../finding.ts";

/** Times of records are the gateways': a server that is this far from them deletes and lists by another day. */
const CLOCK_WARN_MS = 1_000;

/** Whether ClickHouse is one that Weir knows, and lets its user make a table and write, read, change and delete a row. */
export const recordsCheck: Check = {
  name: "ClickHouse",
  async run({ config }) {
    const outcomes: Outcome[] = [];
    for (const { config: theirs } of regionsOf(config)) {
      if (theirs.records_engine !== "clickhouse") continue;
      const { records_database: database, records_user: user, records_password: password } = theirs;
      // Each by itself: a service takes the next replica where one is away, and that one would stay unnoticed.
      for (const url of theirs.records_url.split(","))
        outcomes.push(...(await checkServer({ urls: [url], database, user, password })));
    }
    return outcomes.length > 0 ? outcomes : [ok("none: records are kept in libSQL")];
  },
};

async function checkServer(options: ClickHouseOptions): Promise<Outcome[]> {
  const place = originOf(options.urls[0]!);
  try {
    const client = new ClickHouse(options);
    const { version, isTooOld, clockAheadMs, tables } = await probeServer(client);
    const oldest = OLDEST_VERSION.join(".");
    if (isTooOld) return [fail(`${place} runs ${version}`, `Weir needs ClickHouse ${oldest} or later: upgrade it`)];
    const startedMs = performance.now();
    await probeTable(client);
    const ms = Math.round(performance.now() - startedMs);
    const made = tables === undefined ? "tables are made at the first start" : `tables of version ${tables}`;
    const outcomes = [ok(`${place}: version ${version}, ${made}; wrote, read, changed and deleted a row in ${ms} ms`)];
    if (Math.abs(clockAheadMs) > CLOCK_WARN_MS) {
      const seconds = (Math.abs(clockAheadMs) / 1_000).toFixed(0);
      const message = `the clock of ${place} is ${seconds} s ${clockAheadMs > 0 ? "ahead of" : "behind"} this machine's`;
      outcomes.push(warn(message, "set both by NTP"));
    }
    return outcomes;
  } catch (error) {
    const message = messageOf(error);
    const rights = `CREATE, DROP, INSERT, SELECT, ALTER UPDATE and ALTER DELETE on ${options.database}`;
    return [
      fail(
        message.startsWith(place) ? message : `${place}: ${message}`,
        `check [records] in the configuration, the user's rights (${rights}) and the way there`,
      ),
    ];
  }
}

/** The address without a name and a password that somebody put into it. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : "records_url";
}
