import { lookUpSecret } from "./secret.ts";

type Values = Record<string, unknown>;
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Checks the keys of ClickHouse, and replaces `env:NAME` and `file:/path` with its password.
 *
 * @returns a line for each problem; none contains a secret.
 */
export function readRecordsKeys(values: Values, env: Environment): string[] {
  return ["records", "eu_records"].flatMap((section) => {
    const [engine, url, password] = [`${section}_engine`, `${section}_url`, `${section}_password`];
    if (values[engine] === "clickhouse" && values[url] === "") {
      return [`${url}: must be set if ${engine} is clickhouse`];
    }
    const found = lookUpSecret(values[password] as string, env);
    if ("problem" in found) return [`${password}: ${found.problem}`];
    values[password] = found.secret;
    return [];
  });
}
