import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../../src/mapping/json.ts";
import { type ExchangeInput, readExchange, toLlmSchema } from "../../src/mapping/read-exchange.ts";
import type { Json, ProviderPlugin } from "../../src/plugin-host/contract.ts";
import type { LlmSchema } from "../../src/record/llm-schema.ts";
import { encodeEventStream, type Frame } from "./eventstream.ts";
import { responseIn } from "./recording.ts";

/**
 * One exchange in the shape of a provider, written by us, with what must be read from it.
 *
 * `body` is JSON, or text, or text as a list of lines; `frames` are the messages of an AWS event stream.
 */
export interface Fixture {
  readonly name: string;
  readonly request: { readonly method?: string; readonly url: string; readonly body?: Json };
  readonly response: {
    readonly status?: number;
    readonly type?: string;
    readonly headers?: Record<string, string>;
    readonly body?: Json;
    readonly frames?: readonly Frame[];
  };
  /** Members that the reading must have; `usage` is compared whole, and `null` means that there must be none. */
  readonly reading: Json;
  /** Members that the neutral schema must have. */
  readonly llm?: Json;
}

const FOLDER = join(import.meta.dirname, "../fixtures");

export function fixturesOf(name: string): Fixture[] {
  const folder = join(FOLDER, name);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")));
}

export function bodyBytes({ response }: Fixture): Buffer {
  if (response.frames !== undefined) return encodeEventStream(response.frames);
  const { body } = response;
  const isLines = Array.isArray(body) && body.every((line) => typeof line === "string");
  const text = isLines ? body.join("\n") : body;
  return Buffer.from(typeof text === "string" ? text : (JSON.stringify(text) ?? ""));
}

/** What the recorder would hand in for a fixture, whose response may have been cut off after `bytesMax`. */
export function inputOf(fixture: Fixture, provider: ProviderPlugin | undefined, bytesMax = Infinity): ExchangeInput {
  const { request, response } = fixture;
  const url = new URL(request.url);
  const type =
    response.type ?? (response.frames === undefined ? "application/json" : "application/vnd.amazon.eventstream");
  const headers = { "content-type": type, ...response.headers };
  const bytes = bodyBytes(fixture).subarray(0, bytesMax);
  const path = url.pathname + url.search;
  return {
    method: request.method ?? "POST",
    path,
    host: url.hostname,
    requestHeaders: new Headers(),
    requestBody: isObject(request.body) ? request.body : undefined,
    status: response.status ?? 200,
    responseHeaders: new Headers(headers),
    provider,
    ...responseIn(bytes, type === "" ? undefined : type, path),
    modelOverride: undefined,
  };
}

/** Reading and neutral schema of an exchange, as the recorder and the API get them. */
export function readAll(input: ExchangeInput) {
  const reading = readExchange(input);
  const schema: LlmSchema | null = toLlmSchema({
    wireSchema: reading.wireSchema,
    provider: input.provider?.name ?? "CUSTOM",
    model: reading.responseModel ?? reading.requestModel ?? null,
    path: input.path,
    requestBody: input.requestBody,
    responseBody: reading.responseBody,
    status: input.status,
  });
  return { reading, schema };
}
