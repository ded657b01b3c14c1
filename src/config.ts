import { type Static, Type } from "@sinclair/typebox";

/**
 * Every configuration key, defined once: the loader, `weir config`, the documentation and the tests read this table.
 *
 * A key `gateway_port` is `gateway_port` in `weir.toml` and `WEIR_GATEWAY_PORT` in the environment; the variable wins. Lists
 * are arrays in TOML and comma-separated in a variable.
 */
const text = (fallback: string, description: string) => Type.String({ default: fallback, description });
const list = (description: string) => Type.Array(Type.String({ minLength: 1 }), { default: [], description });
const count = (fallback: number, minimum: number, maximum: number, description: string) =>
  Type.Integer({ default: fallback, minimum, maximum, description });
const choice = <const T extends string>(fallback: T, options: readonly T[], description: string) =>
  Type.Unsafe<T>({ ...Type.String(), enum: [...options], default: fallback, description });

const flag = (fallback: boolean, description: string) => Type.Boolean({ default: fallback, description });

const PORT = [0, 65_535] as const;

const BODIES_ENGINES = ["records", "s3"] as const;

/** Where bodies are stored. @param european - for the European pair. */
const bodies = (european: boolean) => {
  const meaning = (key: string, text: string) => (european ? `As bodies_${key}, for the European pair.` : text);
  return {
    engine: choice(
      "records",
      BODIES_ENGINES,
      meaning("engine", "Where new bodies are kept: with the records, or in an object store that speaks S3."),
    ),
    url: text("", meaning("url", "Address of the object store; buckets are part of the path.")),
    bucket: text("", meaning("bucket", "Bucket that holds the bodies; it must exist.")),
    region: text("us-east-1", meaning("region", "Region that requests to the object store are signed for.")),
    prefix: text("", meaning("prefix", "Beginning of the name of every object.")),
    access_key_id: text("", meaning("access_key_id", "Access key, env:NAME or file:/path.")),
    secret_access_key: text("", meaning("secret_access_key", "Secret of the access key, env:NAME or file:/path.")),
    pack_bytes: count(
      8_388_608,
      65_536,
      268_435_456,
      meaning("pack_bytes", "Size up to which small bodies share an object, in bytes."),
    ),
  };
};

const RECORDS_ENGINES = ["libsql", "clickhouse"] as const;

/** Where records are stored. @param european - for the European pair. */
const records = (european: boolean) => {
  const meaning = (key: string, text: string) => (european ? `As records_${key}, for the European pair.` : text);
  return {
    engine: choice(
      "libsql",
      RECORDS_ENGINES,
      meaning("engine", "Where records are kept: in the libSQL database, or in ClickHouse. All else stays in libSQL."),
    ),
    url: text("", meaning("url", "Address of ClickHouse's HTTP interface; several, with commas, are replicas.")),
    database: text(
      "weir",
      meaning("database", "Database of ClickHouse that holds the tables; made where it is missing."),
    ),
    user: text("", meaning("user", "User of ClickHouse; empty means its default one.")),
    password: text("", meaning("password", "Password of that user, env:NAME or file:/path.")),
    cluster: text(
      "",
      meaning(
        "cluster",
        "Cluster of ClickHouse on which tables are made, replicated and distributed; empty for one server.",
      ),
    ),
    open_rows: flag(true, meaning("open_rows", "Whether ClickHouse has rows of requests in flight.")),
    search_texts: flag(
      true,
      meaning("search_texts", "Whether prompts and responses are columns in ClickHouse, for searching and filtering."),
    ),
  };
};

/** Prefixes keys with the name of their table in the file. */
const prefixed = <const Prefix extends string, Keys extends object>(prefix: Prefix, keys: Keys) =>
  Object.fromEntries(Object.entries(keys).map(([name, schema]) => [`${prefix}_${name}`, schema])) as {
    readonly [Name in keyof Keys & string as `${Prefix}_${Name}`]: Keys[Name];
  };

const rate = (description: string) => Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000, description }));

/** Allowed names of a priced model. A star that is not at the end would look like a pattern but match nothing. */
export const PRICED_MODEL = "^[^*]*\\*?$";

/** The operator's own price of a model, in US dollars per million tokens; `request` is in dollars per request. */
export const OWN_PRICE_SCHEMA = Type.Object(
  {
    input: rate("Input that is in no other part."),
    output: rate("Output that is in no other part."),
    cache_read: rate("Input from a cache; as `input` where it is missing."),
    cache_write: rate("Input written to a cache; as `input` where it is missing."),
    cache_write_1h: rate("Input written to a cache for an hour; as `cache_write` where it is missing."),
    input_audio: rate("Spoken input; as `input` where it is missing."),
    output_audio: rate("Spoken output; as `output` where it is missing."),
    request: rate("US dollars for each request, whatever it holds."),
  },
  { additionalProperties: false, minProperties: 1 },
);

export const CONFIG_SCHEMA = Type.Object(
  {
    host: text("127.0.0.1", "Address that every listener binds to."),
    gateway_port: count(8787, ...PORT, "Port of the gateway; 0 takes a free one."),
    gateway_port_shared: choice(
      "no",
      ["no", "yes"],
      "Whether other nodes on this machine may listen on the gateway's port too; the system divides connections among them. Linux.",
    ),
    gateway_threads: count(
      1,
      1,
      64,
      "Threads that serve the gateway's port; the system divides connections among them. More than one is experimental and needs Linux.",
    ),
    api_port: count(8788, ...PORT, "Port of the API, the dashboard and the metrics; 0 takes a free one."),
    gateway_domain: text("localhost", "Domain below which each provider has its own gateway address."),
    unified_port: count(
      -1,
      -1,
      65_535,
      "Port of the unified address, besides ai.<gateway_domain> at the gateway's port; -1 opens none, 0 takes a free one.",
    ),
    data_dir: text("./weir-data", "Directory that holds everything Weir writes."),
    database_url: text("", "libSQL address; empty means the file weir.db in the data directory."),
    database_auth_token: text("", "Token for a libSQL server."),
    database_read_url: text(
      "",
      "A replica of the libSQL server, for the API's queries; rows that it does not have yet are read from the server itself.",
    ),
    limits_url: text(
      "",
      "Redis or Valkey that divides limits among nodes exactly: redis://user:password@host:6379, or rediss:// for TLS. Empty: the libSQL server does.",
    ),
    limits_prefix: text(
      "weir",
      "What the keys of limits_url begin with; deployments that share a server need different ones.",
    ),
    ...prefixed("records", records(false)),
    ...prefixed("bodies", bodies(false)),
    eu_gateway_port: count(
      8790,
      ...PORT,
      "Port of the gateway of the European pair, which is open if this, eu_api_port, eu_unified_port or eu_database_url is set.",
    ),
    eu_api_port: count(8789, ...PORT, "Port of the API of the European pair."),
    eu_unified_port: count(-1, -1, 65_535, "As unified_port, for the European pair."),
    eu_database_url: text(
      "",
      "libSQL address of the European pair; empty means the file eu/weir.db in the data directory.",
    ),
    eu_database_read_url: text("", "As database_read_url, for the European pair."),
    eu_database_auth_token: text("", "Token for the European pair's libSQL server."),
    ...prefixed("eu_records", records(true)),
    ...prefixed("eu_bodies", bodies(true)),
    eu_public_api_url: text("", "As public_api_url, for the European pair."),
    eu_public_gateway_url: text("", "As public_gateway_url, for the European pair."),
    providers_dir: text("", "Directory of drop-in providers; empty means providers/ in the data directory."),
    plugins_dir: text("", "Directory of drop-in plugins; empty means plugins/ in the data directory."),
    bootstrap_key: text(
      "",
      "Value of the first key, which is otherwise random. A database that has keys does not change; the log says so if this is none of them.",
    ),
    region: choice("us", ["us", "eu"], "Region that this deployment's keys and records belong to."),
    drain_seconds: count(30, 0, 86_400, "Seconds that streams in flight get to finish at shutdown."),
    upstream_timeout_seconds: count(600, 1, 86_400, "Seconds a provider has to send response headers."),
    upload_stall_seconds: count(120, 1, 86_400, "Seconds that a client may pause in a request's body to the gateway."),
    unified_hold_seconds: count(
      10,
      0,
      600,
      "Seconds that a stream of the unified address is held back before its first content, so that another target can still take over.",
    ),
    unified_stall_seconds: count(
      300,
      1,
      86_400,
      "Seconds without a byte from the provider after which the unified address ends a response that has begun.",
    ),
    unified_fetch: choice(
      "yes",
      ["yes", "no"],
      "Whether the unified address fetches files by address for providers that take bytes only.",
    ),
    credentials_key: text(
      "",
      "Key that encrypts the secrets of credentials: 32 bytes in base64. Several are separated by commas; the first encrypts, all decrypt.",
    ),
    credentials_key_file: text(
      "",
      "File with such keys, one a line. Without either, credentials.key is made in the data directory, unless the database is a server.",
    ),
    query_timeout_seconds: count(30, 1, 3_600, "Seconds a query may take."),
    signed_url_seconds: count(900, 1, 31_536_000, "Seconds that a signed address stays valid."),
    shared_link_days_max: count(
      90,
      0,
      3_650,
      "The longest time in days that a shared link works; 0 switches shared links off.",
    ),
    public_api_url: text("", "Address under which clients reach the API; empty means as the client called it."),
    public_url: text(
      "",
      "Address under which people reach the dashboard, for invitations and single sign-on; empty means public_api_url.",
    ),
    local_login: flag(true, "Whether users log in with a password."),
    key_login: flag(true, "Whether the dashboard takes a service key as a log-in."),
    session_idle_hours: count(12, 1, 8_760, "Hours after which a log-in ends that was not used."),
    session_hours: count(168, 1, 8_760, "Hours after which a log-in ends in any case."),
    max_key_days: count(
      0,
      0,
      36_500,
      "Days that a new service key works at most, unless its organization says otherwise; 0 is no limit.",
    ),
    audit_days: count(400, 0, 36_500, "Days that entries of the audit log are kept; 0 keeps all."),
    audit_body_views: flag(true, "Whether the audit log has an entry when a person looks at bodies."),
    api_hosts: list("Host names under which browsers reach the dashboard, beside its own, localhost and addresses."),
    tls_cert_file: text(
      "",
      "PEM file of the certificate, and those that it was issued by, of every listener; with it they speak TLS.",
    ),
    tls_key_file: text("", "PEM file of the certificate's private key, without a passphrase."),
    public_gateway_url: text(
      "",
      "Address under which clients reach the gateway; empty means the API's host with the gateway's port.",
    ),
    max_body_bytes: count(104_857_600, 1, 4_294_967_296, "Largest request body that is passed on, in bytes."),
    whole_bodies_max_bytes: count(
      536_870_912,
      1_048_576,
      1_099_511_627_776,
      "Memory for complete request bodies: for plugins, the cache, retries and the unified address.",
    ),
    max_recorded_body_bytes: count(10_485_760, 0, 1_000_000_000, "Largest body that is recorded completely, in bytes."),
    max_api_body_bytes: count(10_485_760, 1_024, 1_073_741_824, "Largest body that the API takes, in bytes."),
    cache_max_bytes: count(
      1_073_741_824,
      0,
      1_099_511_627_776,
      "Maximum bytes of all cached responses; 0 switches the cache off.",
    ),
    cache_max_entry_bytes: count(10_485_760, 1, 268_435_456, "Largest response that is cached, in bytes."),
    cache_max_entries: count(100_000, 1, 10_000_000, "Responses that may be cached at once."),
    allow_private_targets: list("Private host names, addresses or CIDR blocks that may be targets."),
    approved_domains: list("Target domains approved from configuration."),
    dns_servers: list("Name servers, ip or ip:port, for every lookup; empty means the system's."),
    extra_ca_file: text("", "PEM file of authorities trusted for providers besides the system's."),
    header_aliases: list("Other header prefixes that mean Gateway, such as Acme."),
    spool_sync: choice(
      "second",
      ["second", "always"],
      "When the spool is forced to disk: each second, or before each response.",
    ),
    accept_missing_database: choice(
      "no",
      ["no", "yes"],
      "Whether a start makes an empty database in place of weir.db or bodies.db that is gone. Set it for one start only.",
    ),
    on_spool_full: choice("serve", ["serve", "refuse"], "What to do with traffic that cannot be recorded."),
    log_format: choice(
      "auto",
      ["auto", "json", "text"],
      "Form of log lines; auto is text on a terminal and JSON elsewhere.",
    ),
    log_level: choice("info", ["debug", "info", "warn", "error"], "Least important level that is logged."),
    mapper_cron: text("0 3 * * *", "When models that are pending are mapped: five or six fields, UTC."),
    alerts_cron: text("* * * * *", "When alerts are checked: five or six fields, UTC."),
    delivery_retry_seconds: count(
      86_400,
      0,
      2_592_000,
      "Seconds for which a webhook or e-mail that is not taken is sent again.",
    ),
    search_index: choice(
      "yes",
      ["yes", "no"],
      "Whether the words of requests and responses are indexed for search; `no` leaves new records out.",
    ),
    mask_webhook_bodies: choice(
      "yes",
      ["yes", "no"],
      "Whether credentials in bodies are masked in webhooks; what is stored stays as sent.",
    ),
    smtp_url: text("", "Mail server for alerts, smtp:// or smtps://, with user and password if it needs them."),
    smtp_from: text("", "Address that e-mail of alerts comes from."),
    retention_days: count(
      0,
      0,
      36_500,
      "Days that records are kept, unless an organization sets its own; 0 means forever.",
    ),
    body_retention_days: count(
      0,
      0,
      36_500,
      "Days that bodies are kept, unless an organization sets its own; 0 means forever.",
    ),
    retention_cron: text("40 3 * * *", "When what is older is removed: five or six fields, UTC."),
    prices: Type.Array(
      Type.Object(
        {
          provider: Type.String({ minLength: 1 }),
          model: Type.String({ minLength: 1, pattern: PRICED_MODEL }),
          ...OWN_PRICE_SCHEMA.properties,
        },
        { additionalProperties: false },
      ),
      { default: [], description: "Prices of your own, as tables [[prices]]; only in the configuration file." },
    ),
    rate_limits: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      default: [],
      description: "Rate-limit policies for every key, as tables [[rate_limits]]; only in the configuration file.",
    }),
    credentials: Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown()), {
      default: {},
      description: "Credentials of providers, as tables [credentials.<name>]; only in the configuration file.",
    }),
    routes: Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown()), {
      default: {},
      description: "Routes of the unified address, as tables [routes.<name>]; only in the configuration file.",
    }),
    sso: Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown()), {
      default: {},
      description: "Identity providers that people log in by, as tables [sso.<name>]; only in the configuration file.",
    }),
    plugins: Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown()), {
      default: {},
      description: "Options of each plugin, as tables [plugins.<name>]; only in the configuration file.",
    }),
  },
  { additionalProperties: false },
);

/** The effective configuration: every key is present; `data_dir` and the two drop-in directories are absolute paths. */
export type Config = Readonly<Static<typeof CONFIG_SCHEMA>>;

/** Keys whose values are never printed. */
export const SECRET_KEYS: ReadonlySet<string> = new Set([
  "bootstrap_key",
  "database_auth_token",
  "eu_database_auth_token",
  "limits_url",
  "smtp_url",
  "credentials_key",
  "records_password",
  "eu_records_password",
  "bodies_access_key_id",
  "bodies_secret_access_key",
  "eu_bodies_access_key_id",
  "eu_bodies_secret_access_key",
]);

/** The scheme of all listeners of a program with this configuration. */
export function schemeOf({ tls_cert_file }: Pick<Config, "tls_cert_file">): "http" | "https" {
  return tls_cert_file === "" ? "http" : "https";
}

/** Ports of all listeners of a program with this configuration, where fixed. */
export function listenerPorts(config: Config): readonly number[] {
  const { gateway_port, api_port, unified_port, eu_gateway_port, eu_api_port, eu_unified_port } = config;
  const pair = config.eu_database_url === "" ? [] : [eu_gateway_port, eu_api_port, eu_unified_port];
  return [gateway_port, api_port, unified_port, ...pair].filter((port) => port > 0);
}

/**
 * Configuration of the European pair: the same except for its addresses, its database and its file location, `eu/` in the
 * data directory. Undefined when only one region is served.
 */
export function europeanConfig(config: Config): Config | undefined {
  if (config.eu_database_url === "") return undefined;
  return {
    ...config,
    region: "eu",
    gateway_port: config.eu_gateway_port,
    api_port: config.eu_api_port,
    unified_port: config.eu_unified_port,
    data_dir: `${config.data_dir}/eu`,
    database_url: config.eu_database_url,
    database_read_url: config.eu_database_read_url,
    database_auth_token: config.eu_database_auth_token,
    ...storesOf(config),
    public_api_url: config.eu_public_api_url,
    public_url: config.eu_public_api_url,
    public_gateway_url: config.eu_public_gateway_url,
    eu_database_url: "",
  };
}

/** Where the European pair stores records and bodies. */
function storesOf(config: Config): Partial<Config> {
  const keys = Object.entries(config).filter(([key]) => /^eu_(records|bodies)_/.test(key));
  return Object.fromEntries(keys.map(([key, value]) => [key.slice("eu_".length), value]));
}
