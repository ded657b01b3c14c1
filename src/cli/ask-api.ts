import { schemeOf } from "../config.ts";
import { networkProblem } from "../network-problem.ts";
import type { Json } from "../plugin-host/contract.ts";
import { publicOrigin } from "../sso/provider.ts";
import type { Invocation } from "./command.ts";
import { CommandError, UsageError } from "./usage-error.ts";

const RESPONSE_MS = 60_000;

/**
 * Calls a running service: at `--api-url`, else `WEIR_API_URL`, else at the address in this configuration.
 *
 * @param scope - that the key of `WEIR_API_KEY` needs, for the error message.
 * @returns the response's `data`.
 * @throws UsageError if the service responds with 400, CommandError if it cannot be reached or fails otherwise.
 */
export async function postToApi(invocation: Invocation, path: string, body: unknown, scope: string): Promise<Json> {
  return (await wholeResponse(invocation, path, body, scope)).data;
}

/** Calls a running service like `postToApi`. @returns the response with the members beside `data`, such as `next_cursor`. */
export function wholeResponse(invocation: Invocation, path: string, body: unknown, scope: string): Promise<Json> {
  return askApi(invocation, { method: "POST", path, body, scope });
}

interface Question {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  readonly scope: string;
}

/** Calls a running service like `postToApi`, with any method. */
export async function askApi(invocation: Invocation, { method, path, body, scope }: Question): Promise<Json> {
  const { terminal } = invocation;
  const key = terminal.env["WEIR_API_KEY"]?.trim() ?? "";
  if (key === "") throw new UsageError(`no key: set WEIR_API_KEY to a service key with the scope ${scope}`);
  // fetch would refuse it too, but with a message that shows the key.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError("WEIR_API_KEY has characters that cannot be in a key");
  const address = addressOf(invocation);
  const request = {
    method,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: "error",
    signal: AbortSignal.timeout(RESPONSE_MS),
  } as const;
  let status: number;
  let text: string;
  try {
    const response = await fetch(address + path, request);
    status = response.status;
    text = await response.text();
  } catch (error) {
    throw new CommandError(`no Weir service responds at ${address}: ${networkProblem(error)}`);
  }
  const json = parsed(text);
  if (status === 200 && json?.data !== undefined) return json;
  const said = typeof json?.message === "string" ? json.message : `${address} responded with ${status}`;
  if (status === 400) throw new UsageError(typeof json?.path === "string" ? `${said} (${json.path})` : said);
  throw new CommandError(status === 401 ? `${said}; is WEIR_API_KEY a key that has not expired?` : said);
}

function addressOf({ options, terminal, config }: Invocation): string {
  const { host, api_port } = config;
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  // A certificate names the public address, not this machine's loopback.
  const isPublic = schemeOf(config) === "https" && publicOrigin(config) !== "";
  const own = isPublic
    ? publicOrigin(config)
    : `${schemeOf(config)}://${reachable.includes(":") ? `[${reachable}]` : reachable}:${api_port}`;
  const given = options["api-url"]?.toString() ?? (terminal.env["WEIR_API_URL"] || own);
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new UsageError("the API address must be http:// or https:// with a host and optionally a path");
  return (url.origin + url.pathname).replace(/\/+$/, "");
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // another program responds there
  }
}
