import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { ConfigError, loadConfig, variableOf } from "../src/config/load.ts";
import { printConfig } from "../src/config/print.ts";
import { allowedFor, checkValue, KEYS, schemaOf, TABLE_KEYS } from "../src/config/value.ts";
import { europeanConfig } from "../src/config.ts";
import { temporaryDirectory } from "./directory.ts";

/** A working directory with this weir.toml in it. */
function directoryWith(toml?: string) {
  const directory = temporaryDirectory("config");
  if (toml !== undefined) writeFileSync(join(directory.path, "weir.toml"), toml);
  return directory;
}

function load(env: Record<string, string>, toml?: string) {
  using directory = directoryWith(toml);
  return loadConfig({ env, workingDirectory: directory.path });
}

function problems(env: Record<string, string>, toml?: string): readonly string[] {
  try {
    load(env, toml);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.lines;
  }
}

const PLANTED_KEY = Buffer.alloc(32, "planted").toString("base64");

test("without file and environment every key has its default, and paths are absolute", () => {
  using directory = directoryWith();
  const workingDirectory = directory.path;
  const { config, sources, file } = loadConfig({ env: {}, workingDirectory });
  expect(config.gateway_port).toBe(8787);
  expect(config.data_dir).toBe(join(workingDirectory, "weir-data"));
  expect(config.providers_dir).toBe(join(workingDirectory, "weir-data", "providers"));
  expect(config.plugins_dir).toBe(join(workingDirectory, "weir-data", "plugins"));
  expect(new Set(Object.values(sources))).toEqual(new Set(["default"]));
  expect(file).toBeUndefined();
});

test("a variable wins over the file, and the file over the default", () => {
  const toml = `gateway_port = 1000\napi_port = 1001\nallow_private_targets = ["10.0.0.0/8"]`;
  const { config, sources } = load({ WEIR_GATEWAY_PORT: "2000", WEIR_ALLOW_PRIVATE_TARGETS: " a.test , ::1,," }, toml);
  expect([config.gateway_port, config.api_port]).toEqual([2000, 1001]);
  expect(config.allow_private_targets).toEqual(["a.test", "::1"]);
  expect([sources.gateway_port, sources.api_port, sources.host]).toEqual(["WEIR_GATEWAY_PORT", "weir.toml", "default"]);
});

test("every key of the schema can be set by its variable to its own default", () => {
  for (const key of KEYS.filter((each) => !TABLE_KEYS.has(each))) {
    const fallback = schemaOf(key)["default"];
    const text = Array.isArray(fallback) ? fallback.join(",") : String(fallback);
    const { config, sources } = load({ [variableOf(key)]: text });
    expect(sources[key]).toBe(text === "" ? "default" : variableOf(key));
    if (!key.endsWith("_dir")) expect(config[key] as unknown).toEqual(fallback);
  }
});

test("options of plugins come from tables of the file", () => {
  const { config } = load({}, `[plugins.door]\ncode = "shut"\n[plugins.door.hours]\nfrom = 9`);
  expect(config.plugins).toEqual({ door: { code: "shut", hours: { from: 9 } } });
});

test("an empty variable counts as not set", () => {
  expect(load({ WEIR_GATEWAY_PORT: "" }).config.gateway_port).toBe(8787);
});

test("a relative path starts in the working directory, in file: addresses too", () => {
  using directory = directoryWith();
  const workingDirectory = directory.path;
  const env = { WEIR_DATA_DIR: "here", WEIR_DATABASE_URL: "file:db/weir.db", WEIR_PLUGINS_DIR: "/opt/plugins" };
  const { config } = loadConfig({ env, workingDirectory });
  expect(config.database_url).toBe(`file:${join(workingDirectory, "db/weir.db")}`);
  expect(config.plugins_dir).toBe("/opt/plugins");
  expect(config.providers_dir).toBe(join(workingDirectory, "here", "providers"));
});

test.each(["WEIR_EU_API_PORT", "WEIR_EU_GATEWAY_PORT", "WEIR_EU_DATABASE_URL"])(
  "%s alone opens the European pair, with a database of its own below the data directory",
  (name) => {
    const { config } = load({ [name]: name.endsWith("URL") ? "file:/somewhere/eu.db" : "0", WEIR_DATA_DIR: "/data" });
    const european = europeanConfig(config)!;
    expect(european).toMatchObject({ region: "eu", data_dir: "/data/eu", providers_dir: "/data/providers" });
    expect(european.database_url).toBe(name.endsWith("URL") ? "file:/somewhere/eu.db" : "file:/data/eu/weir.db");
    expect(europeanConfig(european)).toBeUndefined();
  },
);

test("without any of its keys there is no European pair, nor with a European region or on taken ports", () => {
  expect(europeanConfig(load({}).config)).toBeUndefined();
  expect(problems({ WEIR_EU_GATEWAY_PORT: "8787" })).toEqual([
    "eu_gateway_port = 8787 (WEIR_EU_GATEWAY_PORT): must differ from gateway_port",
  ]);
  expect(problems({ WEIR_EU_API_PORT: "0", WEIR_REGION: "eu" })).toEqual([
    'region = "eu" (WEIR_REGION): must be us beside eu_api_port',
  ]);
  const same = { WEIR_DATABASE_URL: "http://db.test", WEIR_EU_DATABASE_URL: "http://db.test" };
  expect(problems(same)).toEqual(["eu_database_url: must not be the database of the first region"]);
});

describe("records in ClickHouse", () => {
  const TABLE = `[records]
engine = "clickhouse"
url = "https://a.test:8443, https://b.test:8443"
`;

  test("are a table of the file, or variables", () => {
    const env = { WEIR_RECORDS_CLUSTER: "main", WEIR_RECORDS_OPEN_ROWS: "false", CH: "hidden-word" };
    const loaded = load(env, `${TABLE}password = "env:CH"`);
    expect(loaded.config).toMatchObject({
      records_engine: "clickhouse",
      records_url: "https://a.test:8443, https://b.test:8443",
      records_database: "weir",
      records_user: "",
      records_password: "hidden-word",
      records_cluster: "main",
      records_open_rows: false,
      records_search_texts: true,
    });
    expect(printConfig(loaded)).not.toContain("hidden-word");
  });

  test("of the European pair are others", () => {
    const european = TABLE.replace("[records]", "[eu_records]").replaceAll(".test", ".eu.test");
    const { config } = load({ WEIR_EU_API_PORT: "0" }, `${TABLE}${european}`);
    expect(europeanConfig(config)?.records_url).toBe("https://a.eu.test:8443, https://b.eu.test:8443");
    const { config: alone } = load({ WEIR_EU_API_PORT: "0" }, TABLE);
    expect(europeanConfig(alone)).toMatchObject({ records_engine: "libsql", records_url: "" });
  });

  test.each<[string, string, string]>([
    ["no address", '[records]\nengine = "clickhouse"', "records_url: must be set if records_engine is clickhouse"],
    ["another engine", '[records]\nengine = "postgres"', "must be one of libsql, clickhouse"],
    ["a variable that is not set", `${TABLE}password = "env:NOWHERE"`, "records_password: the variable NOWHERE is not"],
    ["a password in the address", '[records]\nurl = "http://a:b@c.test"', "records_url = "],
    ["an address of the native protocol", '[records]\nurl = "tcp://c.test:9000"', "must be http:// or https://"],
    ["a database with a quote", `${TABLE}database = "a'b"`, "1 to 64 letters"],
    ["no database", `${TABLE}database = ""`, "1 to 64 letters"],
    ["an unknown member", `${TABLE}databases = "a"`, "records_databases"],
  ])("are refused with %s", (_name, toml, message) => {
    expect(() => load({}, toml)).toThrow(message);
  });
});

describe("an object store for bodies", () => {
  const STORE = `[bodies]
engine = "s3"
url = "https://objects.test:3900"
bucket = "weir-bodies"
access_key_id = "AK"
`;
  const withSecret = (value: string) => `${STORE}secret_access_key = "${value}"`;

  test("is a table of the file, or variables, and each wins as for other keys", () => {
    const { config, sources } = load({ WEIR_BODIES_BUCKET: "other" }, withSecret("s"));
    expect(config).toMatchObject({
      bodies_engine: "s3",
      bodies_url: "https://objects.test:3900",
      bodies_bucket: "other",
      bodies_region: "us-east-1",
      bodies_prefix: "",
      bodies_pack_bytes: 8_388_608,
    });
    expect([sources.bodies_url, sources.bodies_bucket]).toEqual(["weir.toml", "WEIR_BODIES_BUCKET"]);
  });

  test("has its secrets from variables or files, and prints none", () => {
    using directory = temporaryDirectory("secrets");
    const file = join(directory.path, "secret");
    writeFileSync(file, "from-a-file\n");
    expect(load({}, withSecret(`file:${file}`)).config.bodies_secret_access_key).toBe("from-a-file");
    const loaded = load({ STORE_SECRET: "from-a-variable" }, withSecret("env:STORE_SECRET"));
    expect(loaded.config.bodies_secret_access_key).toBe("from-a-variable");
    expect(printConfig(loaded)).not.toMatch(/from-a-variable|"AK"/);
  });

  test("of the European pair is another one", () => {
    const european = withSecret("eu").replace("[bodies]", "[eu_bodies]").replace("weir-bodies", "weir-eu");
    const { config } = load({ WEIR_EU_API_PORT: "0" }, `${withSecret("us")}\n${european}`);
    expect(config).toMatchObject({ bodies_bucket: "weir-bodies", bodies_secret_access_key: "us" });
    expect(europeanConfig(config)).toMatchObject({ bodies_bucket: "weir-eu", bodies_secret_access_key: "eu" });
    const { config: alone } = load({ WEIR_EU_API_PORT: "0" }, withSecret("us"));
    expect(europeanConfig(alone)).toMatchObject({ bodies_engine: "records", bodies_url: "" });
  });

  test.each<[string, string, string]>([
    [
      "a missing bucket",
      withSecret("s").replace(/bucket.*\n/, ""),
      "bodies_bucket: must be set if bodies_engine is s3",
    ],
    ["a missing secret", STORE, "bodies_secret_access_key: must be set if bodies_engine is s3"],
    [
      "an address without the rest",
      '[bodies]\nurl = "http://a.test"\nbucket = "bodies"\naccess_key_id = "AK"',
      "bodies_secret_access_key: must be set if bodies_url is set",
    ],
    [
      "a variable that is not set",
      withSecret("env:NOWHERE"),
      "bodies_secret_access_key: the variable NOWHERE is not set",
    ],
    [
      "a file that is not there",
      withSecret("file:/no/such/file"),
      "bodies_secret_access_key: /no/such/file cannot be read",
    ],
    ["a relative file", withSecret("file:secret"), "bodies_secret_access_key: write file: and a path from the root"],
    ["an unknown member", `${withSecret("s")}\nbuckets = 1`, "bodies_buckets = 1 (weir.toml): there is no such key"],
    ["another engine", '[bodies]\nengine = "gcs"', 'bodies_engine = "gcs" (weir.toml): must be one of records, s3'],
    ["a password in the address", '[bodies]\nurl = "http://a:b@c.test"', "bodies_url = "],
    ["a prefix with dots", '[bodies]\nprefix = "../x"', 'bodies_prefix = "../x" (weir.toml): must be the beginning'],
    ["too small an object", "[bodies]\npack_bytes = 10", "bodies_pack_bytes = 10 (weir.toml): must be a whole number"],
  ])("with %s stops the start", (_name, toml, expected) => {
    expect(problems({}, toml).join("\n")).toContain(expected);
    expect(problems({}, toml)).toHaveLength(1);
  });
});

describe("one line names the key, the value and what is allowed", () => {
  test.each<[Record<string, string>, string | undefined, string]>([
    [
      { WEIR_GATEWAY_PORT: "80a" },
      undefined,
      'gateway_port = "80a" (WEIR_GATEWAY_PORT): must be a whole number from 0 to 65535',
    ],
    [
      { WEIR_GATEWAY_PORT: "65536" },
      undefined,
      "gateway_port = 65536 (WEIR_GATEWAY_PORT): must be a whole number from 0 to 65535",
    ],
    [{ WEIR_GATEWAY_PORT: "1e3" }, undefined, 'gateway_port = "1e3" (WEIR_GATEWAY_PORT): must be a whole number'],
    [{ WEIR_REGION: "asia" }, undefined, 'region = "asia" (WEIR_REGION): must be one of us, eu'],
    [
      { WEIR_DNS_SERVERS: "1.1.1.1,dns.test" },
      undefined,
      'dns_servers = ["1.1.1.1","dns.test"] (WEIR_DNS_SERVERS): must be a list of addresses',
    ],
    [
      { WEIR_DATABASE_URL: "postgres://x" },
      undefined,
      'database_url = "postgres://x" (WEIR_DATABASE_URL): must be a file:',
    ],
    [
      { WEIR_GATEWAY_PROT: "1" },
      undefined,
      'WEIR_GATEWAY_PROT = "1" (environment): there is no such key; did you mean WEIR_GATEWAY_PORT?',
    ],
    [{ WEIR_PLUGINS: "x" }, undefined, "WEIR_PLUGINS"],
    [{}, "gateway_prot = 80", "gateway_prot = 80 (weir.toml): there is no such key; did you mean gateway_port?"],
    [{}, 'gateway_port = "80"', 'gateway_port = "80" (weir.toml): must be a whole number from 0 to 65535'],
    [{}, "constructor = 1", "constructor = 1 (weir.toml): there is no such key"],
    [{}, "gateway_port = \n", "weir.toml: line 1, column"],
    [{}, "plugins = 3", "plugins = 3 (weir.toml): must be a table for each plugin"],
    [{ WEIR_API_PORT: "8787" }, undefined, "api_port = 8787 (WEIR_API_PORT): must differ from gateway_port"],
    [
      { WEIR_BOOTSTRAP_KEY: "sk-31-characters-are-not-enough" },
      undefined,
      'bootstrap_key = "…" (WEIR_BOOTSTRAP_KEY): must be 32 to 512 printable',
    ],
    [
      { WEIR_RECORDS_URL: "http://user:planted@db.test" },
      undefined,
      'records_url = "http://…@db.test" (WEIR_RECORDS_URL): must be http:// or https:// addresses',
    ],
    [
      {},
      'database_url = "mysql://user:planted@db.test?authToken=planted"',
      'database_url = "mysql://…@db.test?authToken=…" (weir.toml): must be a file:',
    ],
    [{ WEIR_BOOTSTRAP_KEYS: "sk-secret" }, undefined, 'WEIR_BOOTSTRAP_KEYS = "…" (environment): there is no such key'],
  ])("%#", (env, toml, line) => {
    const lines = problems(env, toml);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(line);
    expect(lines[0]).not.toContain("\n");
  });

  test("and all of them are reported", () => {
    expect(problems({ WEIR_REGION: "x", WEIR_NOPE: "1" }, "drain_seconds = -1\nnope = 2")).toHaveLength(4);
  });

  test("also of a file that is named and not there", () => {
    using directory = directoryWith();
    const inputs = { env: {}, workingDirectory: directory.path, file: "other.toml" };
    expect(() => loadConfig(inputs)).toThrow("other.toml: cannot be read");
  });
});

test("what Kubernetes adds for a service called weir is no unknown key", () => {
  const env = {
    WEIR_SERVICE_HOST: "10.0.0.1",
    WEIR_SERVICE_PORT: "8787",
    WEIR_SERVICE_PORT_HTTP: "8787",
    WEIR_PORT: "tcp://10.0.0.1:8787",
    WEIR_PORT_8787_TCP_ADDR: "10.0.0.1",
  };
  expect(problems(env)).toEqual([]);
});

test.each<[Parameters<typeof checkValue>[0], unknown, boolean]>([
  ["host", "::", true],
  ["host", "0.0.0.0", true],
  ["host", "a b", false],
  ["allow_private_targets", ["10.0.0.0/8", "fd00::/8", "db.internal", "127.0.0.1", "[::1]"], true],
  ["allow_private_targets", ["localhost:11434", "10.1.0.0/16:80", "[fd00::5]:8000", "127.0.0.1:9"], true],
  ["allow_private_targets", ["10.0.0.0/33"], false],
  ["allow_private_targets", ["localhost:0"], false],
  ["allow_private_targets", ["localhost:65536"], false],
  ["allow_private_targets", ["localhost:http"], false],
  ["allow_private_targets", ["http://a"], false],
  ["dns_servers", ["1.1.1.1", "1.1.1.1:53", "[::1]:5353", "::1"], true],
  ["dns_servers", ["1.1.1.1:0"], false],
  ["header_aliases", ["Acme", "X-Other"], true],
  ["header_aliases", ["Acme-"], false],
  ["public_api_url", "https://weir.example.com/api", true],
  ["public_api_url", "weir.example.com", false],
  ["database_url", "libsql://x.turso.io", true],
  ["data_dir", "", false],
  ["unified_port", -1, true],
  ["unified_port", -2, false],
  ["credentials_key", PLANTED_KEY, true],
  ["credentials_key", `${PLANTED_KEY},\n${PLANTED_KEY}`, true],
  ["credentials_key", "c2hvcnQ=", false],
  ["credentials_key", `${PLANTED_KEY},short`, false],
  ["credentials_key", ",", false],
])("%s = %p is allowed: %p", (key, value, allowed) => {
  expect(checkValue(key, value)).toBe(allowed);
  expect(allowedFor(key)).not.toBe("");
});

test("the effective configuration is printed as TOML, secrets masked, with the source of each value", () => {
  const env = {
    WEIR_BOOTSTRAP_KEY: "sk-planted-secret-of-32-characters",
    WEIR_DATABASE_URL: "libsql://user:planted-too@db.test?authToken=planted-three",
    WEIR_PUBLIC_API_URL: "https://user:planted-seven@weir.test",
  };
  const tables = `[plugins.door]\napi_key = "planted-four"\ncode = "shut"
    [credentials.team]\nprovider = "google"\nservice_account = "planted-five"\nmodels = ["gemini-*"]
    [credentials.main]\nprovider = "openai"\napi_key = "env:OPENAI_API_KEY"
    [routes."claude-*"]\ntargets = ["anthropic/claude-*"]
    [sso.corp]\nissuer = "https://login.test"\nclient_secret = "env:CORP"\nrules = [{ group = "a", role = "viewer" }]
    [sso.bad]\nclient_secret = "planted-six"`;
  const text = printConfig(load({ ...env, WEIR_CREDENTIALS_KEY: PLANTED_KEY }, tables));
  expect(text).not.toContain(PLANTED_KEY);
  expect(text).not.toContain("planted");
  expect(text).toMatch(/^gateway_port = 8787 +# default$/m);
  expect(text).toMatch(/^bootstrap_key = "…" +# WEIR_BOOTSTRAP_KEY$/m);
  const printed = parse(text);
  expect(Object.keys(printed).sort()).toEqual([...KEYS].sort());
  expect(printed["plugins"]).toEqual({ door: { api_key: "…", code: "shut" } });
  expect(printed["credentials"]).toEqual({
    team: { provider: "google", service_account: "…", models: ["gemini-*"] },
    main: { provider: "openai", api_key: "env:OPENAI_API_KEY" },
  });
  expect(printed["sso"]).toEqual({
    corp: { issuer: "https://login.test", client_secret: "env:CORP", rules: [{ group: "a", role: "viewer" }] },
    bad: { client_secret: "…" },
  });
  expect(printed["routes"]).toEqual({ "claude-*": { targets: ["anthropic/claude-*"] } });
});
