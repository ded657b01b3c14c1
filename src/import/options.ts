import { isUsageFailure, usageFailure } from "../api-client/failure.ts";
import { readAll } from "../api-client/read-all.ts";
import { readArguments } from "../api-client/read-arguments.ts";
import { type Environment, readKey, readService } from "../api-client/service.ts";

/** One row per option, for the parser and the help. */
export const OPTIONS = {
  brand: {
    type: "string",
    value: "NAME",
    description: "the product that wrote the files (default: Weir)",
  },
  region: { type: "string", value: "us|eu", description: "which address to use: WEIR_API_URL or WEIR_EU_API_URL" },
  "api-url": { type: "string", value: "URL", description: "the address itself, before the region's" },
  resume: { type: "boolean", description: "continue a stopped import of the same files" },
  quiet: { type: "boolean", short: "q", description: "print failures only" },
} as const;

/** The text below the options in help. */
export const NOTES: readonly string[] = [
  "Files contain records as written by `weir export` in the formats jsonl and json; - is stdin. Export with\n--include-body to move bodies too. CSV and parquet are not read.",
  "The key comes from WEIR_API_KEY and needs the scope `admin`; records go into its organization. The address comes from\nWEIR_API_URL (default http://127.0.0.1:8788), or from WEIR_EU_API_URL with --region eu.",
  "An existing record stays as it is, so an import can be stopped and run again at any time. A line that cannot\nbe imported is reported with its number, and the rest continues.",
  "Exits with status 0 when every record is stored, 1 when some or all are not, 2 on bad usage, and 128 + the signal's\nnumber when stopped.",
];

export interface ImportOptions {
  /** Paths, or `-` for stdin. */
  readonly files: readonly string[];
  /** Name of the product that wrote the records, in lower case; undefined for Weir's own. */
  readonly brand: string | undefined;
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly resume: boolean;
  readonly quiet: boolean;
}

/**
 * Reads the command line after `weir import`.
 *
 * @throws ExportFailure of kind `usage`.
 */
export function readOptions(argv: readonly string[], env: Environment): ImportOptions {
  const { values, positionals: files } = readArguments(argv, OPTIONS, true);
  if (files.length === 0) throw usageFailure("name the files to import, or - for stdin");
  if (files.filter((file) => file === "-").length > 1) throw usageFailure("stdin can be read only once");
  if (files.includes("")) throw usageFailure("a file name is empty");
  if (values.resume && files.includes("-")) throw usageFailure("--resume needs files: stdin cannot be resumed");
  const { service, ...read } = readAll(
    {
      brand: () => (values.brand === undefined ? undefined : readBrand(values.brand)),
      service: () => readService(values, env),
      apiKey: () => readKey(env, "admin"),
    },
    isUsageFailure,
  );
  return {
    files,
    ...read,
    apiUrl: service.apiUrl,
    resume: values.resume ?? false,
    quiet: values.quiet ?? false,
  };
}

function readBrand(text: string): string {
  if (!/^[a-z][a-z0-9]{0,39}$/i.test(text)) throw usageFailure(`--brand takes a name such as acme, not "${text}"`);
  return text.toLowerCase();
}
