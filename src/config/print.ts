import { stringify } from "smol-toml";
import { SECRET_KEYS } from "../config.ts";
import type { LoadedConfig } from "./load.ts";
import { MASK, withoutPasswords } from "./secret.ts";
import { KEYS, type KeyName, TABLE_KEYS } from "./value.ts";

/** Tables with named entries: `[plugins.<name>]`. */
const NAMED_TABLES = ["credentials", "routes", "sso", "plugins"] as const satisfies readonly KeyName[];
type NamedTable = (typeof NAMED_TABLES)[number];

/** A reference to a credential's secret; the reference itself is not secret. */
const REFERENCE = /^(env|file):/;

/** The effective configuration as TOML, with the origin of each value. Secrets are masked. */
export function printConfig({ config, sources }: LoadedConfig): string {
  const isTable = (key: KeyName) =>
    NAMED_TABLES.includes(key as NamedTable) || (TABLE_KEYS.has(key) && (config[key] as unknown[]).length > 0);
  const lines = KEYS.filter((key) => !isTable(key)).map((key) => {
    const value = masked(key, config[key]);
    return [stringify({ [key]: value }).trimEnd(), `# ${sources[key]}`] as const;
  });
  const width = Math.min(48, Math.max(...lines.map(([text]) => text.length)));
  const tables = NAMED_TABLES.flatMap((key) =>
    Object.entries(config[key]).map(([name, options]) => {
      const shown = key === "routes" ? options : maskedOptions(options);
      return `\n${stringify({ [key]: { [name]: shown } }).trim()}\n`;
    }),
  );
  // Tables come last: a key after a table would belong to it.
  const lists = KEYS.filter((key) => !NAMED_TABLES.includes(key as NamedTable) && isTable(key)).map(
    (key) => `\n${stringify({ [key]: config[key] }).trim()}\n`,
  );
  return `${lines.map(([text, comment]) => `${text.padEnd(width)}  ${comment}\n`).join("")}${lists.join("")}${tables.join("")}`;
}

function masked(key: string, value: unknown): unknown {
  if (SECRET_KEYS.has(key)) return value === "" ? "" : MASK;
  return typeof value === "string" ? withoutPasswords(value) : value;
}

/** Plugins do not declare which options are secret: options with secret-sounding names are masked. */
function maskedOptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskedOptions);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, isSecretOption(name, each) ? MASK : maskedOptions(each)]),
  );
}

function isSecretOption(name: string, value: unknown): boolean {
  if (typeof value === "object" || (typeof value === "string" && REFERENCE.test(value))) return false;
  return /key|token|secret|passw|credential|auth|service_account/i.test(name);
}
