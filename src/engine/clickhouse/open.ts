import type { Config } from "../../config.ts";
import { ClickHouse } from "./client.ts";
import type { Layout } from "./tables.ts";

const opened = new WeakMap<Config, ClickHouse>();

/** The servers that a configuration names; those who ask with one configuration share a client. */
export function clickhouseOf(config: Config): ClickHouse {
  const known = opened.get(config);
  if (known !== undefined) return known;
  const client = new ClickHouse({
    urls: config.records_url.split(","),
    database: config.records_database,
    user: config.records_user,
    password: config.records_password,
    cluster: config.records_cluster,
  });
  opened.set(config, client);
  return client;
}

/** How the tables lie. Replicas of a cluster agree by Keeper. */
export const layoutOf = ({ records_cluster: cluster }: Config): Layout => ({ cluster, hasKeeper: cluster !== "" });
