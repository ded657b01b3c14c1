import { isIP } from "node:net";
import type { TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { Cron } from "croner";
import { CONFIG_SCHEMA, type Config, OWN_PRICE_SCHEMA } from "../config.ts";

export type KeyName = keyof Config;

/** Every key, in the order of the documentation. */
export const KEYS = Object.keys(CONFIG_SCHEMA.properties) as readonly KeyName[];

/** Tables: in the file only; they have no variable. */
export const TABLE_KEYS: ReadonlySet<KeyName> = new Set([
  "prices",
  "rate_limits",
  "credentials",
  "routes",
  "sso",
  "plugins",
]);

export function schemaOf(key: KeyName): TSchema {
  return CONFIG_SCHEMA.properties[key];
}

interface Form {
  readonly fits: (value: string) => boolean;
  readonly allowed: string;
}

const orEmpty = ({ fits, allowed }: Form): Form => ({
  fits: (value) => value === "" || fits(value),
  allowed: `${allowed}, or empty`,
});

const isPort = (text: string) => /^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) < 65_536;
const isName = (text: string) =>
  /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?$/i.test(text);
const isNameOrAddress = (text: string) => isName(text) || isIP(text.replace(/^\[(.*)\]$/, "$1")) !== 0;

/** Parsed as the jobs parse it: a pattern that never matches is invalid. */
function isCronPattern(text: string): boolean {
  const fields = text.trim().split(/\s+/).length;
  if (fields !== 5 && fields !== 6) return false;
  try {
    return new Cron(text, { paused: true, timezone: "UTC" }).nextRun() !== null;
  } catch {
    return false;
  }
}

function isNetwork(text: string): boolean {
  const [address = "", bits = "", ...rest] = text.split("/");
  const family = isIP(address);
  return family !== 0 && rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}

function isSealKey(text: string): boolean {
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) && Buffer.from(text, "base64").length === 32;
}

/** Host and port; undefined without a port. An IPv6 address with a port is in brackets. */
function splitPort(text: string): { readonly host: string; readonly port: string } | undefined {
  const [, bracketed, plain, port] = /^(?:\[(.*)\]|([^:]*)):(\d+)$/.exec(text) ?? [];
  return port === undefined ? undefined : { host: bracketed ?? plain ?? "", port };
}

function isNameServer(text: string): boolean {
  if (isIP(text) !== 0) return true;
  const { host = "", port = "" } = splitPort(text) ?? {};
  return isIP(host) !== 0 && isPort(port);
}

function isPrivateTarget(text: string): boolean {
  const { host, port } = splitPort(text) ?? { host: text, port: "1" };
  return (isNameOrAddress(host) || isNetwork(host)) && isPort(port);
}

const DATABASE = orEmpty({
  fits: (text) => /^file:.+/.test(text) || (/^(https?|wss?|libsql):\/\/[^/]/.test(text) && URL.canParse(text)),
  allowed: "a file:, http(s)://, ws(s):// or libsql:// address",
});
const SERVER = orEmpty({
  fits: (text) => /^(https?|wss?|libsql):\/\/[^/]/.test(text) && URL.canParse(text),
  allowed: "an http(s)://, ws(s):// or libsql:// address",
});
const PUBLIC_ADDRESS = orEmpty({
  fits: (text) => /^https?:\/\//.test(text) && URL.canParse(text) && !/[?#]/.test(text),
  allowed: "an http(s):// address without query",
});
const OBJECT_STORE = orEmpty({
  fits: (text) => /^https?:\/\/[^/]/.test(text) && URL.canParse(text) && !/[?#@]/.test(text),
  allowed: "an http(s):// address without query and without a password",
});
const CLICKHOUSE = orEmpty({
  fits: (text) =>
    text.split(",").every((each) => /^https?:\/\/[^/?#@]+\/?$/.test(each.trim()) && URL.canParse(each.trim())),
  allowed: "http:// or https:// addresses of ClickHouse, with commas, without a path and without a password",
});
const TABLES_NAME: Form = {
  fits: (text) => /^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/.test(text),
  allowed: "1 to 64 letters, digits, underscores and hyphens",
};
const BUCKET = orEmpty({
  fits: (text) => /^[a-z0-9A-Z][a-z0-9A-Z._-]{1,62}$/.test(text),
  allowed: "the name of a bucket",
});
const PREFIX = orEmpty({
  fits: (text) => /^[A-Za-z0-9][A-Za-z0-9!_.*'()/-]{0,255}$/.test(text) && !/\/\/|(^|\/)\.{1,2}(\/|$)/.test(text),
  allowed: "the beginning of an object's name, such as weir/",
});
const REGION: Form = { fits: (text) => /^[A-Za-z0-9-]{1,64}$/.test(text), allowed: "a region such as us-east-1" };
const CRON: Form = {
  fits: isCronPattern,
  allowed: 'five or six fields of a cron pattern such as "0 3 * * *"',
};

/** Tables of `weir.toml` whose members are keys: `url` in `[bodies]` is `bodies_url`. */
export const SECTIONS: readonly string[] = ["records", "eu_records", "bodies", "eu_bodies"];

/** The required form of a text; for a list, of each entry. */
const FORMS: Readonly<Partial<Record<KeyName, Form>>> = {
  host: { fits: isNameOrAddress, allowed: "a host name or address" },
  gateway_domain: { fits: isName, allowed: "a domain name" },
  data_dir: { fits: (text) => text !== "", allowed: "a directory" },
  database_url: DATABASE,
  eu_database_url: DATABASE,
  database_read_url: SERVER,
  eu_database_read_url: SERVER,
  limits_url: orEmpty({
    fits: (text) =>
      /^rediss?:\/\/[^/]/.test(text) && URL.canParse(text) && /^(\/\d{0,5})?$/.test(new URL(text).pathname),
    allowed: "a redis:// or rediss:// address, with the number of a database or without",
  }),
  limits_prefix: {
    fits: (text) => /^[A-Za-z0-9._:-]{1,64}$/.test(text),
    allowed: "1 to 64 letters, digits, dots, colons, hyphens and underscores",
  },
  records_url: CLICKHOUSE,
  eu_records_url: CLICKHOUSE,
  records_database: TABLES_NAME,
  eu_records_database: TABLES_NAME,
  records_cluster: orEmpty(TABLES_NAME),
  eu_records_cluster: orEmpty(TABLES_NAME),
  bodies_url: OBJECT_STORE,
  eu_bodies_url: OBJECT_STORE,
  bodies_bucket: BUCKET,
  eu_bodies_bucket: BUCKET,
  bodies_region: REGION,
  eu_bodies_region: REGION,
  bodies_prefix: PREFIX,
  eu_bodies_prefix: PREFIX,
  bootstrap_key: orEmpty({
    fits: (text) => /^[\x21-\x7e]{32,512}$/.test(text),
    allowed: "32 to 512 printable ASCII characters without spaces",
  }),
  api_hosts: { fits: isNameOrAddress, allowed: "host names or addresses without port" },
  public_url: PUBLIC_ADDRESS,
  public_api_url: PUBLIC_ADDRESS,
  eu_public_api_url: PUBLIC_ADDRESS,
  public_gateway_url: PUBLIC_ADDRESS,
  eu_public_gateway_url: PUBLIC_ADDRESS,
  allow_private_targets: {
    fits: isPrivateTarget,
    allowed: "host names, addresses or networks such as 10.0.0.0/8, each with :port or not",
  },
  approved_domains: { fits: isNameOrAddress, allowed: "host names or addresses without port" },
  dns_servers: { fits: isNameServer, allowed: "addresses such as 10.0.0.2 or 10.0.0.2:5353" },
  mapper_cron: CRON,
  alerts_cron: CRON,
  retention_cron: CRON,
  credentials_key: orEmpty({
    fits: (text) => text.split(/[\s,]+/).every((key) => key === "" || isSealKey(key)) && /[^\s,]/.test(text),
    allowed: "32 bytes in base64, several of them separated by commas",
  }),
  smtp_url: orEmpty({
    fits: (text) => /^smtps?:\/\/[^/]/.test(text) && URL.canParse(text),
    allowed: "an address such as smtp://user:password@mail.example.com:587",
  }),
  smtp_from: orEmpty({
    fits: (text) => /^[^\r\n]*[^\s@<>]+@[^\s@<>]+>?$/.test(text),
    allowed: "an e-mail address, with a name such as Weir <weir@example.com> or without",
  }),
  header_aliases: {
    fits: (text) => /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/i.test(text),
    allowed: "header prefixes such as Acme",
  },
};

const PRICE_MEMBERS = Object.keys(OWN_PRICE_SCHEMA.properties);

/** Whether the value is valid in the effective configuration. */
export function checkValue(key: KeyName, value: unknown): boolean {
  const schema = schemaOf(key);
  if (Array.isArray(schema["enum"])) return schema["enum"].includes(value);
  if (!Value.Check(schema, value)) return false;
  const form = FORMS[key];
  if (form === undefined) return true;
  return Array.isArray(value) ? value.every((entry) => form.fits(entry)) : form.fits(value as string);
}

/** The allowed values of a key, as text after "must be". */
export function allowedFor(key: KeyName): string {
  const schema = schemaOf(key);
  const form = FORMS[key]?.allowed;
  if (Array.isArray(schema["enum"])) return `one of ${schema["enum"].join(", ")}`;
  if (schema["type"] === "integer") return `a whole number from ${schema["minimum"]} to ${schema["maximum"]}`;
  if (schema["type"] === "boolean") return "true or false";
  if (key === "prices") return `a list of tables [[prices]] with provider, model and ${PRICE_MEMBERS.join(", ")}`;
  if (key === "rate_limits") return "a list of tables [[rate_limits]]";
  if (schema["type"] === "array") return `a list of ${form ?? "texts"}`;
  if (key === "sso") return "a table [sso.<name>] for each identity provider";
  if (schema["type"] === "object") return `a table for each ${key === "plugins" ? "plugin" : key.slice(0, -1)}`;
  return form ?? "text";
}

/** The value of a variable's text for its key. Text that cannot be parsed stays text, and is refused as a value. */
export function readVariable(key: KeyName, text: string): unknown {
  const { type } = schemaOf(key);
  if (type === "integer") return /^[+-]?\d{1,15}$/.test(text.trim()) ? Number(text) : text;
  if (type === "boolean") return { true: true, false: false, 1: true, 0: false }[text.trim().toLowerCase()] ?? text;
  if (type !== "array") return text;
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}
