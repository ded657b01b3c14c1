import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parse, TomlError } from "smol-toml";
import { CONFIG_SCHEMA, type Config, SECRET_KEYS } from "../config.ts";
import { fileProblem } from "../file-problem.ts";
import { nearestName } from "../nearest.ts";
import { readBodiesKeys } from "./bodies.ts";
import { readRecordsKeys } from "./records.ts";
import { MASK, withoutPasswords } from "./secret.ts";
import { allowedFor, checkValue, KEYS, type KeyName, readVariable, SECTIONS, schemaOf, TABLE_KEYS } from "./value.ts";

/** The origin of a value: `default`, the name of a file, or the name of a variable. */
type Source = string;

export interface LoadedConfig {
  readonly config: Config;
  readonly sources: Readonly<Record<KeyName, Source>>;
  /** The file that was read; undefined if there is none. */
  readonly file: string | undefined;
}

/** All errors of a configuration, one line each: key, value, what is allowed. */
export class ConfigError extends Error {
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join("\n"));
    this.name = "ConfigError";
    this.lines = lines;
  }
}

export interface ConfigInputs {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Base of all relative paths. */
  readonly workingDirectory: string;
  /** The file of `--config`; null reads none. If undefined, `weir.toml` of the working directory is read if it exists. */
  readonly file?: string | null | undefined;
}

/** Weir's variables that are not part of the service's configuration. */
const OTHER_VARIABLES: ReadonlySet<string> = new Set([
  "WEIR_STARTED",
  "WEIR_API_KEY",
  "WEIR_API_URL",
  "WEIR_EU_API_URL",
]);

/** Variables that Kubernetes sets for a service named weir. */
const SERVICE_LINK = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP)(_(ADDR|PORT|PROTO))?)?)$/;

/** Any of these keys enables the European pair. */
const EUROPEAN_KEYS: readonly KeyName[] = ["eu_database_url", "eu_api_port", "eu_gateway_port", "eu_unified_port"];

interface Found {
  readonly value: unknown;
  readonly source: Source;
}

/**
 * Reads file and environment. A variable takes precedence over the file; an empty variable counts as unset.
 *
 * @throws ConfigError with a line for each unknown key and each invalid value.
 */
export function loadConfig(inputs: ConfigInputs): LoadedConfig {
  const problems: string[] = [];
  const { file, found: inFile } = readFile(inputs, problems);
  const found = new Map<KeyName, Found>([...inFile, ...readEnvironment(inputs.env, problems)]);
  const values: Record<string, unknown> = {};
  const sources: Record<string, Source> = {};
  for (const key of KEYS) {
    const each = found.get(key) ?? { value: structuredClone(schemaOf(key)["default"]), source: "default" };
    values[key] = each.value;
    sources[key] = each.source;
    if (checkValue(key, each.value)) continue;
    problems.push(`${key} = ${shown(key, each.value)} (${each.source}): must be ${allowedFor(key)}`);
  }
  const hasPair = EUROPEAN_KEYS.some((key) => sources[key] !== "default");
  if (problems.length === 0) problems.push(...portsTaken(values, sources, hasPair));
  if (problems.length === 0 && hasPair && values["region"] === "eu") {
    problems.push(
      `region = "eu" (${sources["region"]}): must be us beside ${EUROPEAN_KEYS.filter((key) => sources[key] !== "default").join(", ")}`,
    );
  }
  if (problems.length === 0 && values["smtp_url"] !== "" && values["smtp_from"] === "") {
    problems.push('smtp_from = "" (default): must be an e-mail address where smtp_url is set');
  }
  if (problems.length === 0) problems.push(...readRecordsKeys(values, inputs.env));
  if (problems.length === 0) problems.push(...readBodiesKeys(values, inputs.env));
  if (problems.length === 0) problems.push(...halfPair(values, sources));
  if (problems.length > 0) throw new ConfigError(problems);
  const config = withPaths(values as Config, inputs.workingDirectory, hasPair);
  if (hasPair && config.eu_database_url === (config.database_url || `file:${config.data_dir}/weir.db`)) {
    throw new ConfigError(["eu_database_url: must not be the database of the first region"]);
  }
  return { config, sources: sources as Record<KeyName, Source>, file };
}

function readFile(inputs: ConfigInputs, problems: string[]): { file: string | undefined; found: Map<KeyName, Found> } {
  if (inputs.file === null) return { file: undefined, found: new Map() };
  const named = inputs.file !== undefined;
  const name = inputs.file ?? "weir.toml";
  const path = resolve(inputs.workingDirectory, name);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (named || (error as { code?: string }).code !== "ENOENT") {
      problems.push(`${name}: cannot be read: ${fileProblem(error)}`);
    }
    return { file: undefined, found: new Map() };
  }
  const found = new Map<KeyName, Found>();
  try {
    for (const [key, value] of Object.entries(parse(text)).flatMap(membersOf)) {
      if (isKey(key)) found.set(key, { value, source: name });
      else problems.push(`${key} = ${shown(key, value)} (${name}): ${unknownKey(key, KEYS)}`);
    }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split("\n")[0]!.replace("Invalid TOML document: ", "");
    problems.push(`${name}: line ${error.line}, column ${error.column}: ${reason}`);
  }
  return { file: path, found };
}

/** The keys in a table such as `[bodies]`. */
function membersOf([key, value]: [string, unknown]): [string, unknown][] {
  if (!SECTIONS.includes(key) || typeof value !== "object" || value === null || Array.isArray(value)) {
    return [[key, value]];
  }
  return Object.entries(value).map(([member, each]) => [`${key}_${member}`, each]);
}

function readEnvironment(env: ConfigInputs["env"], problems: string[]): Map<KeyName, Found> {
  const found = new Map<KeyName, Found>();
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith("WEIR_") || text === undefined || text === "" || OTHER_VARIABLES.has(name)) continue;
    const key = name.slice("WEIR_".length).toLowerCase();
    if (isKey(key) && !TABLE_KEYS.has(key) && name === variableOf(key)) {
      found.set(key, { value: readVariable(key, text), source: name });
    } else if (!SERVICE_LINK.test(name)) {
      const variables = [...KEYS.filter((each) => !TABLE_KEYS.has(each)).map(variableOf), ...OTHER_VARIABLES];
      problems.push(`${name} = ${shown(key, text)} (environment): ${unknownKey(name, variables)}`);
    }
  }
  return found;
}

export function variableOf(key: KeyName): string {
  return `WEIR_${key.toUpperCase()}`;
}

function isKey(name: string): name is KeyName {
  return Object.hasOwn(CONFIG_SCHEMA.properties, name);
}

function unknownKey(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return `there is no such key${near === undefined ? "" : `; did you mean ${near}?`}`;
}

/** A value as shown in messages: one line, and without secrets, even those of a misspelt key. */
function shown(key: string, value: unknown): string {
  const masked = [...SECRET_KEYS].some((secret) => key === secret || nearestName(key, [secret]) !== undefined);
  if (masked || /key|token|secret|password|credential/.test(key)) return `"${MASK}"`;
  const text =
    JSON.stringify(value, (_name, each) => (typeof each === "bigint" ? String(each) : each)) ?? String(value);
  const safe = withoutPasswords(text);
  return safe.length > 100 ? `${safe.slice(0, 100)}…` : safe;
}

/** A certificate without its key, or the reverse. */
function halfPair(values: Readonly<Record<string, unknown>>, sources: Readonly<Record<string, Source>>): string[] {
  const keys = ["tls_cert_file", "tls_key_file"];
  const missing = keys.filter((key) => values[key] === "");
  if (missing.length !== 1) return [];
  const given = keys.find((key) => !missing.includes(key));
  return [`${missing[0]} = "" (${sources[missing[0]!]}): must be set if ${given} is`];
}

/** Two listeners on one port. */
function portsTaken(
  values: Readonly<Record<string, unknown>>,
  sources: Readonly<Record<string, Source>>,
  pair: boolean,
) {
  const european = pair ? ["eu_gateway_port", "eu_api_port", "eu_unified_port"] : [];
  const keys = ["gateway_port", "api_port", "unified_port", ...european];
  return keys.flatMap((key, at) => {
    const same =
      Number(values[key]) <= 0 ? undefined : keys.slice(0, at).find((other) => values[other] === values[key]);
    return same === undefined ? [] : [`${key} = ${values[key]} (${sources[key]}): must differ from ${same}`];
  });
}

function withPaths(config: Config, directory: string, hasPair: boolean): Config {
  const dataDirectory = resolve(directory, config.data_dir);
  const absolute = (url: string) =>
    url.startsWith("file:") && !url.startsWith("file:/")
      ? `file:${resolve(directory, url.slice("file:".length))}`
      : url;
  return {
    ...config,
    data_dir: dataDirectory,
    database_url: absolute(config.database_url),
    eu_database_url: hasPair ? absolute(config.eu_database_url || `file:${dataDirectory}/eu/weir.db`) : "",
    providers_dir: resolve(directory, config.providers_dir || resolve(dataDirectory, "providers")),
    plugins_dir: resolve(directory, config.plugins_dir || resolve(dataDirectory, "plugins")),
    credentials_key_file: config.credentials_key_file && resolve(directory, config.credentials_key_file),
    tls_cert_file: config.tls_cert_file && resolve(directory, config.tls_cert_file),
    tls_key_file: config.tls_key_file && resolve(directory, config.tls_key_file),
    extra_ca_file: config.extra_ca_file && resolve(directory, config.extra_ca_file),
  };
}
