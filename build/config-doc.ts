import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { variableOf } from "../src/config/load.ts";
import { allowedFor, KEYS, type KeyName, schemaOf, TABLE_KEYS } from "../src/config/value.ts";

/** Writes docs/configuration.md from the table of keys: `bun build/config-doc.ts`. A test compares them. */
export function configurationPage(): string {
  const rows = KEYS.filter((key) => !TABLE_KEYS.has(key)).map((key) => [
    `\`${key}\``,
    `\`${variableOf(key)}\``,
    fallback(key),
    allowed(key),
    schemaOf(key).description ?? "",
  ]);
  return `# Configuration

<!-- Written by build/config-doc.ts from the keys in src/config.ts. -->

Every key can stand in \`weir.toml\` in the working directory, or in the file that \`--config FILE\` names, and in the
environment. The variable wins over the file, the file over the default. Lists are arrays in TOML and comma-separated in
a variable; an empty variable counts as not set. Relative paths start in the working directory.

An unknown key or a bad value stops the start, with one line each that says what is allowed. \`weir config\` prints the
effective configuration, secrets masked, and where each value came from.

${table(["Key", "Variable", "Default", "Takes", "Meaning"], rows)}

## Bodies in an object store

\`bodies_engine = "s3"\` keeps what is said in requests in an object store. In \`weir.toml\` the keys may stand in a table; those of the
European pair in \`[eu_bodies]\`. A secret may be \`env:NAME\`, the variable of that name, or \`file:/path\`. See [scale.md](scale.md#bodies-in-an-object-store).

\`\`\`toml
[bodies]
engine = "s3"
url = "https://objects.internal:3900"
bucket = "weir-bodies"
access_key_id = "env:S3_ACCESS_KEY_ID"
secret_access_key = "env:S3_SECRET_ACCESS_KEY"
\`\`\`

## Prices

${schemaOf("prices").description} \`provider\` and \`model\` say what they are of (a model may end in \`*\`); the other members are
US dollars per million tokens: \`input\`, \`output\`, \`cache_read\`, \`cache_write\`, \`cache_write_1h\`, \`input_audio\`, \`output_audio\`, and \`request\`,
US dollars for each request. They hold before every other price; see [models.md](models.md).

## Rate limits

${schemaOf("rate_limits").description} What they take is in [rate-limits.md](rate-limits.md).

\`\`\`toml
[[rate_limits]]
name = "ten thousand a day and user"
quota = 10000
window_seconds = 86400
unit = "request"
segment = "user"
\`\`\`

## Credentials and routes

${schemaOf("credentials").description} A secret is \`env:NAME\`, the variable of that name, or \`file:/path\`; a secret that
stands in the file itself stops the start. ${schemaOf("routes").description} What both take is in [unified.md](unified.md).

\`\`\`toml
[credentials.openai]
provider = "openai"
api_key = "env:OPENAI_API_KEY"

[routes.fast]
targets = ["groq/llama-3.3-70b", { model = "openai/gpt-5-mini", body = { reasoning_effort = "low" } }]
\`\`\`

## Single sign-on

${schemaOf("sso").description} What they take is in [people.md](people.md).

\`\`\`toml
public_url = "https://weir.example.com"

[sso.corp]
issuer = "https://login.example.com/realms/main"
client_id = "weir"
client_secret = "env:OIDC_CLIENT_SECRET"
rules = [{ group = "ml-platform", organization = "default", role = "developer" }]
\`\`\`

## Options of plugins

${schemaOf("plugins").description} Each plugin says what it takes; a table for a plugin that is not loaded stops the start.

\`\`\`toml
gateway_port = 8080
allow_private_targets = ["10.0.0.0/8", "ollama.internal"]

[plugins.office-hours]
host = "api.openai.com"
\`\`\`
`;
}

/** Columns are padded, so that the table is readable as text and the formatter does not change it. */
function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((_heading, at) => Math.max(...[headings, ...rows].map((row) => row[at]!.length)));
  const line = (cells: readonly string[], fill = " ") =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at]!, fill)).join(" | ")} |`;
  return [
    line(headings),
    line(
      headings.map(() => ""),
      "-",
    ),
    ...rows.map((row) => line(row)),
  ].join("\n");
}

function fallback(key: KeyName): string {
  const value: unknown = schemaOf(key)["default"];
  return value === "" ? "" : Array.isArray(value) && value.length === 0 ? "" : `\`${value}\``;
}

function allowed(key: KeyName): string {
  return allowedFor(key).replaceAll("|", "\\|");
}

if (import.meta.main) writeFileSync(join(import.meta.dir, "../docs/configuration.md"), configurationPage());
