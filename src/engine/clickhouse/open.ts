import type { Config } from "../../config.ts";
import { ClickHouse } from "./client.ts";
import type { Layout } from "./tables.ts";

const opened = new WeakMap<Config, ClickHouse>();

/** A client for the configured servers; callers with the same configuration object share it. */
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

/** The layout of the tables. Replicas of a cluster coordinate through Keeper. */
export const layoutOf = ({ records_cluster: cluster }: Config): Layout => ({ cluster, hasKeeper: cluster !== "" });
