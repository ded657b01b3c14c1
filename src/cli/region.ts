import { type Config, europeanConfig } from "../config.ts";
import { type Database, openStore } from "../store/store.ts";
import type { Invocation } from "./command.ts";
import { UsageError } from "./usage-error.ts";

/** The configuration of the region of `--region`. @throws UsageError if this Weir does not serve it. */
export function regionConfig({ config, options }: Pick<Invocation, "config" | "options">): Config {
  const region = options["region"] ?? config.region;
  if (region === config.region) return config;
  const european = europeanConfig(config);
  if (region === "eu" && european !== undefined) return european;
  throw new UsageError(`--region ${region}: this Weir serves ${european === undefined ? config.region : "us and eu"}`);
}

/** Runs with the database that holds custom prices; undefined if it is the region's own. */
export async function withHome<T>(
  { config }: Pick<Invocation, "config">,
  regional: Config,
  work: (home: Database | undefined) => Promise<T>,
): Promise<T> {
  if (regional === config) return work(undefined);
  const home = await openStore(config, "current");
  try {
    return await work(home.records);
  } finally {
    await home.close();
  }
}
