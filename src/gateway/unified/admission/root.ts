import type { ServerResponse } from "../../../runtime/http/server.ts";
import type { ClientRequest } from "../../admitted.ts";
import type { GatewayParts } from "../../gateway-parts.ts";
import type { RequestHeaders } from "../../headers/headers.ts";
import { isUnifiedHost } from "./address.ts";

const BODY = Buffer.from('{"name":"weir","unified":true}');
const HEADERS = ["Content-Type", "application/json", "Content-Length", String(BODY.byteLength)];

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/** Whether a client without a key requests the description of the unified address. */
export function isForRoot(
  { domain }: Pick<GatewayParts, "domain">,
  { incoming, client, unified }: ClientRequest,
  { hosts, gateway }: RequestHeaders,
): boolean {
  if (client !== undefined || !METHODS.has(incoming.method) || !/^\/(?:\?|$)/.test(incoming.url)) return false;
  if (unified !== true && !isUnifiedHost(hosts[0], domain)) return false;
  return hosts.length === 1 && !gateway.some(({ setting }) => setting === "target-url");
}

/** Describes this address. It is not a model request: nothing is recorded. */
export function respondAtRoot(response: ServerResponse): void {
  response.head(200, "OK", HEADERS);
  response.end(BODY);
}
