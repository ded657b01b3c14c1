import { isUsageFailure, usageFailure } from "../api-client/failure.ts";
import { readAll } from "../api-client/read-all.ts";
import { readArguments } from "../api-client/read-arguments.ts";
import { type Environment, oneOf, type Region, readKey, readService } from "../api-client/service.ts";

const FORMATS = ["jsonl", "json", "csv", "parquet"] as const;
const ORDERS = ["asc", "desc"] as const;

export type Format = (typeof FORMATS)[number];
export type Order = (typeof ORDERS)[number];

/** One row per option, for the parser and for help. */
export const OPTIONS = {
  "start-date": { type: "string", value: "DATE", description: "first day or time, included (default: 30 days ago)" },
  "end-date": { type: "string", value: "DATE", description: "last day or time, included (default: now)" },
  limit: { type: "string", value: "N", description: "keep the first N records in this order" },
  order: { type: "string", value: "asc|desc", description: "oldest first (default) or newest first" },
  property: {
    type: "string",
    multiple: true,
    value: "NAME=VALUE",
    description: "only records with this property; may be repeated",
  },
  filter: { type: "string", value: "JSON", description: "a filter tree of the query API, in addition to the dates" },
  search: {
    type: "string",
    value: "WORDS",
    description: 'only records with these words, beginnings (wor*) and "phrases"; newest first',
  },
  "include-body": { type: "boolean", description: "request and response bodies and llmSchema as well" },
  format: { type: "string", value: "FORMAT", description: "jsonl (default), json, csv or parquet" },
  output: {
    type: "string",
    short: "o",
    value: "FILE|-",
    description: "where to (default: weir-export.<format>); - is stdout",
  },
  region: { type: "string", value: "us|eu", description: "which address to use: WEIR_API_URL or WEIR_EU_API_URL" },
  "api-url": { type: "string", value: "URL", description: "the address itself, before the region's" },
  resume: { type: "boolean", description: "continue a stopped export with the same options" },
  force: { type: "boolean", description: "replace the output and forget its checkpoint" },
  quiet: { type: "boolean", short: "q", description: "print failures only" },
} as const;

/** The text below the options in help. */
export const NOTES: readonly string[] = [
  "The key comes from WEIR_API_KEY. The address comes from WEIR_API_URL (default http://127.0.0.1:8788), or from\nWEIR_EU_API_URL (default http://127.0.0.1:8789) with --region eu.",
  "Dates are YYYY-MM-DD, a whole day in UTC, or ISO 8601; without an offset they are UTC.",
  "A checkpoint is beside the output until it is complete: continue a killed export with --resume and the same\noptions; the finished file is the same as that of an uninterrupted export.",
  "Exits with status 0 when done, 1 when failed, 2 on bad usage, and 128 + the signal's number when stopped.",
];

export interface Property {
  readonly name: string;
  readonly value: string;
}

export interface ExportOptions {
  /** As given; `period.ts` converts them to times. */
  readonly startDate: string | undefined;
  readonly endDate: string | undefined;
  /** Maximum number of records; undefined for all. */
  readonly limit: number | undefined;
  readonly order: Order;
  readonly properties: readonly Property[];
  /** A filter node as given, checked by the service; `"all"` when absent. */
  readonly filter: unknown;
  /** Words to search for. */
  readonly search: string | undefined;
  readonly includeBody: boolean;
  readonly format: Format;
  /** A path, or `-` for stdout. */
  readonly output: string;
  readonly region: Region;
  /** Address of the API without a trailing slash. */
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly resume: boolean;
  readonly force: boolean;
  readonly quiet: boolean;
}

/**
 * Reads the command line after `weir export`.
 *
 * @throws ExportFailure of kind `usage`.
 */
export function readOptions(argv: readonly string[], env: Environment): ExportOptions {
  const given = readArguments(argv, OPTIONS, false).values;
  if (given.resume && given.force) throw usageFailure("--resume and --force exclude each other");

  const { search } = given;
  const read = readAll(
    {
      format: () => oneOf("format", FORMATS, given.format ?? "jsonl"),
      limit: () => readLimit(given.limit),
      order: () => oneOf("order", ORDERS, given.order ?? (search === undefined ? "asc" : "desc")),
      properties: () => (given.property ?? []).map(readProperty),
      filter: () => readFilter(given.filter),
      service: () => readService(given, env),
      apiKey: () => readKey(env, "read"),
    },
    isUsageFailure,
  );
  const output = given.output ?? `weir-export.${read.format}`;
  if (output === "") throw usageFailure("--output needs a file name, or - for stdout");
  if (search?.trim() === "") throw usageFailure("--search needs a word");
  if (search !== undefined && given.order === "asc")
    throw usageFailure("--search finds the newest records first: leave --order out, or use --order desc");
  if (output === "-" && given.resume) throw usageFailure("--resume needs a file: stdout cannot be resumed");

  const { service, ...others } = read;
  return {
    ...others,
    ...service,
    startDate: given["start-date"],
    endDate: given["end-date"],
    search,
    includeBody: given["include-body"] ?? false,
    output,
    resume: given.resume ?? false,
    force: given.force ?? false,
    quiet: given.quiet ?? false,
  };
}

function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const limit = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(limit)) throw usageFailure(`--limit takes a number, not "${text}"`);
  return limit;
}

/** `name=value`; the value may be empty and may have more `=` in it. */
function readProperty(text: string): Property {
  const at = text.indexOf("=");
  if (at < 1) throw usageFailure(`--property takes NAME=VALUE, not "${text}"`);
  return { name: text.slice(0, at), value: text.slice(at + 1) };
}

function readFilter(text: string | undefined): unknown {
  if (text === undefined || text === "all") return "all";
  try {
    const filter: unknown = JSON.parse(text);
    if (filter === "all" || (typeof filter === "object" && filter !== null && !Array.isArray(filter))) return filter;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw usageFailure(`--filter is not JSON: ${cause.message}`);
  }
  throw usageFailure('--filter takes a filter tree, such as {"request_response_rmt":{"model":{"equals":"m-1"}}}');
}
