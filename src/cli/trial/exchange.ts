import { readFile } from "node:fs/promises";
import { fileProblem } from "../../file-problem.ts";
import type { Json } from "../../plugin-host/contract.ts";
import { whyUnfit } from "../../plugin-host/schema.ts";
import { CommandError } from "../usage-error.ts";

/** An exchange for testing a provider or a plugin. */
export interface TrialExchange {
  readonly name: string;
  readonly request: {
    readonly method?: string;
    readonly url: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: Json;
  };
  readonly response: {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    /** JSON, a string, or a string as a list of its lines. */
    readonly body?: Json;
  };
  /** Expected results of the trial, by name. */
  readonly expect?: Readonly<Record<string, Json>>;
}

const HEADERS = { type: "object", additionalProperties: { type: "string" } };
const EXCHANGE = {
  type: "object",
  required: ["request", "response"],
  properties: {
    name: { type: "string" },
    request: {
      type: "object",
      required: ["url"],
      properties: { method: { type: "string" }, url: { type: "string" }, headers: HEADERS, body: {} },
      additionalProperties: false,
    },
    response: {
      type: "object",
      properties: { status: { type: "integer" }, headers: HEADERS, body: {} },
      additionalProperties: false,
    },
    expect: { type: "object" },
  },
  additionalProperties: false,
};

/** Reads a file with one exchange, or a list of them. @throws CommandError that names the wrong member. */
export async function readExchanges(path: string): Promise<readonly TrialExchange[]> {
  const text = await readFile(path, "utf8").catch((error: Error) => {
    throw new CommandError(`${path}: ${fileProblem(error)}`);
  });
  const value = parsed(path, text);
  const list: readonly Json[] = Array.isArray(value) ? value : [value];
  return list.map((each, at) => checked(Array.isArray(value) ? `${path}: [${at}]` : path, each, at));
}

function checked(place: string, value: Json, at: number): TrialExchange {
  const wrong = whyUnfit(EXCHANGE, value);
  if (wrong !== undefined) throw new CommandError(`${place}: ${wrong.path} ${wrong.message}`);
  if (!URL.canParse(value.request.url))
    throw new CommandError(
      `${place}: request.url is not an address such as https://api.example.com/v1/chat/completions`,
    );
  return { name: `exchange ${at + 1}`, ...value };
}

function parsed(path: string, text: string): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandError(`${path}: ${(error as Error).message}`);
  }
}

/** The body as a server sends it. */
export function bytesOf(body: Json): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  const isLines = Array.isArray(body) && body.every((line) => typeof line === "string");
  return Buffer.from(isLines ? body.join("\n") : typeof body === "string" ? body : JSON.stringify(body));
}
