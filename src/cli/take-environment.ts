import { variableOf } from "../config/load.ts";
import type { KeyName } from "../config/value.ts";
import { type Config, SECRET_KEYS } from "../config.ts";

/** Database addresses may contain a token. */
const ADDRESSES = ["database_url", "eu_database_url", "database_read_url", "eu_database_read_url"] as const;
/** For commands that call the API. */
const OTHERS = ["WEIR_API_KEY"] as const;

const SECRET_VARIABLES: ReadonlySet<string> = new Set([
  ...[...SECRET_KEYS, ...ADDRESSES].map((key) => variableOf(key as KeyName)),
  ...OTHERS,
]);

/**
 * The environment that this program was started with, for its own use: secrets are removed from the process's
 * environment, so that plugins, threads and child processes do not see them. Call it before a thread starts.
 */
export function takeEnvironment(env: NodeJS.ProcessEnv): Readonly<Record<string, string | undefined>> {
  const whole = { ...env };
  for (const name of SECRET_VARIABLES) delete env[name];
  return whole;
}

/**
 * Removes the variables that credentials and identity providers of `weir.toml` refer to with `env:NAME`; their values are
 * read from the copy. The secrets of an object store and of ClickHouse have been read already.
 */
export function dropReferenced(env: NodeJS.ProcessEnv, config: Config): void {
  const { credentials, sso } = config;
  const secrets = [config.bodies_secret_access_key, config.records_password];
  const european = [config.eu_bodies_secret_access_key, config.eu_records_password];
  const read = [...secrets, ...european].filter((secret) => secret !== "");
  for (const [name, value] of Object.entries(env)) if (read.includes(value?.trim() ?? "")) delete env[name];
  for (const table of [...Object.values(credentials), ...Object.values(sso)]) {
    for (const value of Object.values(table)) {
      const name = typeof value === "string" ? /^env:(.+)$/.exec(value)?.[1] : undefined;
      if (name !== undefined) delete env[name];
    }
  }
}
