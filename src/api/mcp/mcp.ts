import { Elysia } from "elysia";
import { GatewayError } from "../../errors.ts";
import { calledFrom, noteAddress } from "../access/addresses.ts";
import { ownOrigin } from "../access/called-origin.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { plainJson } from "../envelope.ts";
import { overflows, readText } from "../input/body.ts";
import { type Ask, ToolError } from "./tool.ts";
import { toolsFor } from "./tools.ts";

/** Messages are small: tools take a filter, or scores. */
const BODY_BYTES_MAX = 1024 * 1024;
/** Messages in one request: clients of an older protocol version send several. */
const BATCH_MAX = 20;

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

type Fetch = (request: Request) => Response | Promise<Response>;

/** The MCP server: `POST /mcp`, by the "streamable HTTP" transport. */
export function mcpEndpoints(context: ApiContext, callers: Callers, api: Fetch) {
  return new Elysia().post(
    "/mcp",
    async ({ request }) => {
      const caller = callers.of(request);
      refuse(request, context);
      const text = await readText(request, BODY_BYTES_MAX);
      if (overflows(text)) return rpcError(PARSE_ERROR, "the body is nested too deeply");
      let body: unknown;
      try {
        body = JSON.parse(text);
      } catch {
        return rpcError(PARSE_ERROR, "the body is not JSON");
      }
      if (Array.isArray(body) && (body.length === 0 || body.length > BATCH_MAX))
        return rpcError(INVALID_REQUEST, `a batch has 1 to ${BATCH_MAX} messages`);
      // Loaded on first use: loading the SDK would slow the start.
      const { respondToMcp } = await import("./server.ts");
      return respondToMcp(request, body, toolsFor(caller), asking(request, api));
    },
    endpoint(
      "Operation",
      "Model Context Protocol",
      "An MCP server with streamable HTTP, without sessions. Its tools are those that the key may use. See the page on MCP.",
      { takes: { "application/json": { type: "object" } }, responses: { "application/json": { type: "object" } } },
    ),
  );
}

/** Browsers send a log-in's cookie with requests that any page triggers, but never a key. Pages of other sites are refused in either case. */
function refuse(request: Request, { config }: ApiContext): void {
  if (!request.headers.has("authorization"))
    throw new GatewayError("missing_auth", undefined, { headers: { "www-authenticate": "Bearer" } });
  const origin = request.headers.get("origin");
  if (origin !== null && origin !== ownOrigin(config, request))
    throw new GatewayError("insufficient_permission", "pages of other sites may not call this address");
}

/** Calls endpoints as the caller of `request`: the guard checks each call. */
function asking(request: Request, api: Fetch): Ask {
  return async (method, path, body) => {
    const headers = new Headers();
    for (const name of ["authorization", "x-request-id", "host", "x-forwarded-proto"]) {
      const value = request.headers.get(name);
      if (value !== null) headers.set(name, value);
    }
    if (body !== undefined) headers.set("content-type", "application/json");
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const inner = new Request(new URL(path, request.url), { method, headers, ...text });
    noteAddress(inner, calledFrom(request));
    const response = await (await api(inner)).json();
    if (response.error === null) return response;
    throw new ToolError(response.path ? `${response.message} (${response.path})` : response.message);
  };
}

function rpcError(code: number, message: string): Response {
  return plainJson({ jsonrpc: "2.0", error: { code, message }, id: null }, 400);
}
