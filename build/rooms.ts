import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** One row of the matrix: rooms that do not import each other, and what their files may import from other rooms. */
export interface RoomRow {
  /** Folders and single files of `src/`. */
  readonly rooms: readonly string[];
  /** The rooms from which they may import; if missing, all rows above. */
  readonly only?: readonly string[];
  /** Rooms from which they may also import types. */
  readonly typesOf?: readonly string[];
  /** Rooms of the rows above from which they may not import. */
  readonly not?: readonly string[];
  /** Whether they may import only types from other rooms. */
  readonly typesOnly?: true;
  /** Files without code that they may also import. */
  readonly files?: readonly string[];
  readonly holds: string;
}

/**
 * Which room may import which, lowest first: a file may import from its own room and from the rows above.
 * `test/architecture.test.ts` enforces it, and the table in ARCHITECTURE.md is generated from it.
 */
export const ROOMS: readonly RoomRow[] = [
  {
    rooms: ["runtime"],
    only: [],
    holds:
      "one interface over Bun (`bun.ts`) and Deno (`deno.ts`), chosen in `platform.ts`; threads, codings, shipped files, restart; in `http/` the HTTP server and client",
  },
  {
    rooms: ["counted.ts", "errors.ts", "file-problem.ts", "log.ts", "nearest.ts", "network-problem.ts"],
    only: [],
    holds: "numbers with their nouns, error table, why a file or a server cannot be used, log, the most similar name",
  },
  {
    rooms: ["json-text"],
    only: [],
    holds: "JSON as text: one scanner that finds values without parsing them, and what is built on it",
  },
  {
    rooms: ["masking"],
    only: [],
    holds: "which names and forms are credentials, and how they are masked in what is recorded",
  },
  {
    rooms: ["people"],
    only: ["errors.ts"],
    holds: "permissions, roles and scopes; the acting user or key; passwords, e-mail addresses",
  },
  {
    rooms: ["record"],
    only: ["runtime", "json-text", "masking"],
    typesOf: ["people"],
    holds: "drizzle tables, the Request record, TypeBox schemas of llmSchema and of mappings",
  },
  {
    rooms: ["keys.ts", "config.ts", "checked.ts"],
    holds: "service keys; configuration table; checking values from outside against a schema",
  },
  { rooms: ["egress"], holds: "which addresses may be called; resolving and checking names" },
  {
    rooms: ["config"],
    holds: "values of the configuration, read from file, environment and flags, and printed",
  },
  {
    rooms: ["sso"],
    not: ["config"],
    holds: "identity providers: their tables, log-ins by OpenID Connect, claims, and rules that turn claims into roles",
  },
  {
    rooms: ["plugin-host"],
    not: ["config", "sso"],
    holds:
      "public contract, set-up; in folders: finding, loading and checking files, calling hooks, plugins' storage, the registry of providers",
  },
  {
    rooms: ["filter"],
    not: ["config", "sso", "plugin-host"],
    holds: "filter trees, fields, operators, groups, sort, cursors → SQL; in `written/` filters as text",
  },
  { rooms: ["spool"], not: ["config", "sso", "filter"], holds: "frame, writer, reader" },
  {
    rooms: ["mapping"],
    not: ["config", "sso", "filter", "spool"],
    holds: "wire schemas: what bodies contain, llmSchema, cost",
  },
  {
    rooms: ["routing"],
    not: ["config", "sso", "filter", "spool"],
    holds: "which provider, model and credential serves a request of the unified address",
  },
  {
    rooms: ["credentials"],
    not: ["config", "sso", "filter", "spool"],
    holds: "providers' keys: checking, encrypting and decrypting them; the keys for that",
  },
  {
    rooms: ["unified"],
    not: ["config", "sso", "filter", "spool", "credentials"],
    holds:
      "writing a request of the unified address for a target, paying for it, translating its response; sending such requests from this program",
  },
  {
    rooms: ["threads"],
    not: ["config", "sso", "filter"],
    typesOnly: true,
    holds: "what each thread can be asked, a file a thread",
  },
  { rooms: ["threads.ts"], only: ["threads"], typesOnly: true, holds: "all of it together" },
  {
    rooms: ["store"],
    not: ["config", "sso"],
    holds:
      "migrations, keys; in folders: databases and their connections, bodies, the index of words, and other stored data: alerts, webhooks, deliveries, models and prices, nodes, retention, sizes of what is stored",
  },
  {
    rooms: ["engine"],
    not: ["config", "sso"],
    holds:
      "the database of records, as ports: `record-source.ts` finds and reads records, `record-sink.ts` writes and changes them, `aggregates.ts` computes metrics, `record-walk.ts` goes through old records; `storable.ts` is the stored part of a record; in `libsql/` everything for libSQL: finding, printing, metrics with their blocks, and the statements that write records; in `clickhouse/` the same for ClickHouse: its HTTP interface, the tables and rows of them, finding and reading them, and in `print/` filters and orders in its dialect",
  },
  {
    rooms: ["bodies"],
    not: ["config", "sso", "filter", "routing", "credentials", "unified", "engine"],
    holds:
      "what an exchange holds, read from its bytes: bodies, headers, files in bodies, and how they are stored; read for new records and for old ones",
  },
  {
    rooms: ["recorder"],
    not: ["config", "sso"],
    holds: "the loop; in folders its three steps: frames become exchanges, a record is prepared, rows are written",
  },
  {
    rooms: ["gateway"],
    not: ["config", "sso", "filter", "store", "engine", "bodies", "recorder"],
    holds:
      "one proxied request from key to relay; in folders: headers, request bodies, the built-in echo, WebSockets, retries, the cache, the unified address, further threads",
  },
  {
    rooms: ["api"],
    not: ["config", "bodies", "recorder", "gateway"],
    holds:
      "Elysia app; in folders: access (keys and the guard), input (bodies and queries checked) and families of endpoints: requests, changes (import and log among them), notes (comments, shared links), saved views, dashboards, aggregates, logins, people, models, rules, storage, operation, reference, and the MCP server, whose tools call these",
  },
  {
    rooms: ["api-client"],
    only: ["nearest.ts", "egress"],
    holds: "what export and import share: calling the API with retries, its envelope, arguments, failures, progress",
  },
  {
    rooms: ["export"],
    only: ["file-problem.ts", "json-text", "record", "runtime", "api-client"],
    holds: "the export client; knows the API, not the store",
  },
  {
    rooms: ["import"],
    only: ["errors.ts", "file-problem.ts", "json-text", "record", "api-client"],
    holds: "the import client",
  },
  {
    rooms: ["jobs"],
    not: ["config", "sso", "recorder", "gateway", "api", "api-client", "export", "import"],
    holds:
      "scheduled work: blocks; in folders: rereading with newer mappings, alerts, deliveries, retention, runs of datasets",
  },
  {
    rooms: ["maintenance"],
    not: ["recorder", "gateway", "api", "api-client", "export", "import", "jobs"],
    holds: "backup and restore; doctor, with the check before an upgrade",
  },
  {
    rooms: ["web"],
    typesOnly: true,
    files: ["record/columns.ts", "json-text/indented.ts"],
    holds: "the dashboard, which runs in browsers and knows the API",
  },
  { rooms: ["serve"], not: ["web"], holds: "regions, threads and their supervision, metrics of the process" },
  { rooms: ["serve.ts"], not: ["web"], holds: "composition root" },
  { rooms: ["cli"], not: ["recorder", "web"], holds: "commands, a file each" },
  { rooms: ["main.ts"], not: ["web"], holds: "entry" },
];

const PAGE = join(import.meta.dir, "../ARCHITECTURE.md");
const [FROM, TO] = ["<!-- Written by build/rooms.ts. -->\n", "<!-- End of what build/rooms.ts writes. -->"];

/** ARCHITECTURE.md with its table of rooms generated from the matrix: `bun build/rooms.ts`. A test compares them. */
export function architecturePage(page = readFileSync(PAGE, "utf8")): string {
  const [start, end] = [page.indexOf(FROM) + FROM.length, page.indexOf(TO)];
  const rows = ROOMS.map((row) => `| ${row.rooms.map(code).join(" ")} | ${mayImport(row)} | ${row.holds} |\n`);
  return `${page.slice(0, start)}\n| Room | May import | Holds |\n| --- | --- | --- |\n${rows.join("")}\n${page.slice(end)}`;
}

function mayImport({ only, typesOf = [], not = [], typesOnly, files = [] }: RoomRow): string {
  if (only?.length === 0) return "nothing of ours";
  const rooms =
    only?.map(code).join(", ") ?? (not.length === 0 ? "all above" : `all above, not ${not.map(code).join(", ")}`);
  const types = typesOf.map((room) => `types of ${code(room)}`);
  return [typesOnly ? `types of ${rooms}` : rooms, ...types, ...files.map(code)].join("; ");
}

function code(room: string): string {
  return `\`${room.includes(".") ? room : `${room}/`}\``;
}

if (import.meta.main) writeFileSync(PAGE, architecturePage());
