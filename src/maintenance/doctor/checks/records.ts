import { ClickHouse, type ClickHouseOptions } from "../../../engine/clickhouse/client.ts";
import { OLDEST_VERSION, probeServer, probeTable, serversApart } from "../../../engine/clickhouse/probe.ts";
import { messageOf } from "../../../log.ts";
import { regionsOf } from "../../database-places.ts";
import { type Check, type CheckResult, fail, ok, warn } from "../finding.ts";

/**
 * Gateways set the times of records: on a server whose clock differs by this much, the day for deletion and lists is another
 * one.
 */
const CLOCK_WARN_MS = 1_000;

/**
 * Whether Weir supports this ClickHouse version, and whether its user may create a table and write, read, change and delete a
 * row. Of several addresses: whether they are the same server, or replicas with the same version.
 */
export const recordsCheck: Check = {
  name: "ClickHouse",
  async run({ config }) {
    const outcomes: CheckResult[] = [];
    for (const { config: theirs } of regionsOf(config)) {
      if (theirs.records_engine !== "clickhouse") continue;
      const { records_database: database, records_user: user, records_password: password } = theirs;
      // Checks each address separately: the service switches to the next replica when one is unavailable, so that would go
      // unnoticed.
      const servers: Server[] = [];
      for (const url of theirs.records_url.split(","))
        servers.push(await checkServer({ urls: [url.trim()], database, user, password }));
      outcomes.push(...servers.flatMap((server) => server.outcomes));
      outcomes.push(...(await compared(servers, theirs.records_cluster !== "")));
    }
    return outcomes.length > 0 ? outcomes : [ok("none: records are kept in libSQL")];
  },
};

interface Server {
  readonly place: string;
  readonly outcomes: readonly CheckResult[];
  /** Undefined when the server could not be queried. */
  readonly found?: { readonly client: ClickHouse; readonly version: string };
}

/** Compares the servers that responded. Without a cluster, all addresses must lead to the same tables. */
async function compared(servers: readonly Server[], isCluster: boolean): Promise<CheckResult[]> {
  const usable = servers.flatMap(({ place, found }) => (found === undefined ? [] : { place, ...found }));
  const [first, ...others] = usable;
  if (first === undefined || others.length === 0) return [];
  const outcomes = others
    .filter(({ version }) => version !== first.version)
    .map(({ place, version }) =>
      warn(`${first.place} runs ${first.version}, and ${place} runs ${version}`, "run one version on all of them"),
    );
  if (isCluster) return outcomes;
  const apart = await serversApart(
    first.client,
    others.map(({ client }) => client),
  );
  for (const { place, client } of others) {
    if (!apart.includes(client)) continue;
    const message = `${place} is another server than ${first.place}: a row written through one is not seen through the other`;
    outcomes.push(fail(message, "set records_cluster if they are replicas, or name one of them in records_url"));
  }
  if (apart.length === 0) outcomes.push(ok(`${usable.length} addresses lead to the same tables`));
  return outcomes;
}

async function checkServer(options: ClickHouseOptions): Promise<Server> {
  const place = originOf(options.urls[0]!);
  try {
    const client = new ClickHouse(options);
    const { version, isTooOld, clockAheadMs, tables } = await probeServer(client);
    const oldest = OLDEST_VERSION.join(".");
    if (isTooOld)
      return {
        place,
        outcomes: [fail(`${place} runs ${version}`, `Weir needs ClickHouse ${oldest} or later: upgrade it`)],
      };
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
    return { place, outcomes, found: { client, version } };
  } catch (error) {
    const message = messageOf(error);
    const rights = `CREATE, DROP, INSERT, SELECT, ALTER UPDATE and ALTER DELETE on ${options.database}`;
    const fix = `check [records] in the configuration, the user's rights (${rights}) and the network between them`;
    return { place, outcomes: [fail(message.startsWith(place) ? message : `${place}: ${message}`, fix)] };
  }
}

/** The URL without a user name and password. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : "records_url";
}
