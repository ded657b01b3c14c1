import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ClickHouse } from "../../../src/engine/clickhouse/client.ts";
import { TABLES_VERSION, tableStatements } from "../../../src/engine/clickhouse/tables.ts";
import { temporaryDirectory } from "../../directory.ts";
import { freePort } from "../../ports.ts";
import { type ClickHouseServer, ownDatabase, startClickHouse } from "./server.ts";

/** Keeper cannot be had in these tests: each shard has one replica. */
export const LAYOUT = { cluster: "two", hasKeeper: false } as const;
const ON_CLUSTER = ` on cluster \`${LAYOUT.cluster}\``;

/** Two servers of one cluster, each of which holds a shard. */
export interface Cluster extends AsyncDisposable {
  readonly servers: readonly [ClickHouseServer, ClickHouseServer];
  /** An address of the first one, in front of which statements for the cluster are run on both: what Keeper is for. */
  readonly url: string;
  /** Makes the tables on both. @returns clients of each, and the database. */
  makeDatabase(): Promise<{ readonly clients: readonly [ClickHouse, ClickHouse]; readonly database: string }>;
}

export async function startCluster(): Promise<Cluster> {
  const directory = temporaryDirectory();
  const ports = [await freePort(), await freePort()] as const;
  const config = join(directory.path, "cluster.xml");
  const shard = (port: number) => `<shard><replica><host>127.0.0.1</host><port>${port}</port></replica></shard>`;
  const shards = `<${LAYOUT.cluster}>${ports.map(shard).join("")}</${LAYOUT.cluster}>`;
  writeFileSync(config, `<clickhouse><remote_servers>${shards}</remote_servers></clickhouse>`);
  const servers = await Promise.all([
    startClickHouse({ config, tcpPort: ports[0] }),
    startClickHouse({ config, tcpPort: ports[1] }),
  ]);
  const front = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: (request) => passOn(request, servers),
  });
  return {
    servers,
    url: `http://127.0.0.1:${front.port}`,
    async makeDatabase() {
      const database = ownDatabase();
      const client = ({ url }: ClickHouseServer) => new ClickHouse({ urls: [url], database, cluster: LAYOUT.cluster });
      const clients = [client(servers[0]), client(servers[1])] as const;
      for (const each of clients) {
        await each.command(`create database ${database}`, { isOutside: true });
        for (const statement of tableStatements(LAYOUT, database)) await each.command(statement);
      }
      await clients[0].insert("versions", [{ version: TABLES_VERSION, made_at: 0 }]);
      return { clients, database };
    },
    async [Symbol.asyncDispose]() {
      await front.stop(true);
      for (const server of servers) await server[Symbol.asyncDispose]();
      directory[Symbol.dispose]();
    },
  };
}

/** Hands a statement to the first server, or to each if it is for the cluster. */
async function passOn(request: Request, servers: readonly ClickHouseServer[]): Promise<Response> {
  const { search } = new URL(request.url);
  const body = await request.text();
  const isOfAll = body.slice(0, 1_000).includes(ON_CLUSTER);
  let response: Response | undefined;
  for (const { url } of isOfAll ? servers : servers.slice(0, 1)) {
    try {
      // The response is passed on as it is.
      const headers = { "accept-encoding": "identity" };
      response = await fetch(`${url}/${search}`, {
        method: "POST",
        headers,
        body: isOfAll ? body.replace(ON_CLUSTER, "") : body,
      });
    } catch {
      return new Response("a server is away", { status: 502 });
    }
    if (!response.ok) break;
  }
  return response!;
}
