import { GatewayError } from "../../../errors.ts";
import type { KeySnapshot } from "../../../keys.ts";
import type { IncomingRequest } from "../../../runtime/http/server.ts";
import { MAPPINGS, UNMAPPED } from "../../../unified/body-mapping.ts";
import { type ClientApi, clientShapesOf } from "../../../unified/client-api.ts";
import { apiOf, type Endpoint, endpointOf } from "../../../unified/endpoints.ts";
import type { Arrival } from "../../admitted.ts";
import { sentKey, usable } from "../../authenticate.ts";
import type { GatewayParts } from "../../gateway-parts.ts";
import type { GatewayHeader } from "../../headers/gateway-header.ts";
import { fromWire } from "../../headers/headers.ts";
import type { Route } from "../../target.ts";
import { readFallbacks } from "./fallbacks.ts";
import { isKeyLine, ownKeys } from "./own-keys.ts";
import { providerNamed } from "./provider-named.ts";
import type { UnifiedAdmission, UnifiedArrival } from "./unified-admission.ts";

/** The placeholder route of a unified request until its body names a target. */
export const NO_ROUTE: Route = {
  target: { origin: "", authority: "", host: "", upstream: { secure: true, host: "", port: 443 } },
  provider: undefined,
  providerName: "",
  owner: undefined,
};

/** The API of a client of this path; errors of unknown endpoints have the shape of chat completions. */
export function clientApi(parts: GatewayParts, incoming: IncomingRequest): ClientApi {
  const endpoint = endpointFor(parts, incoming);
  if (endpoint?.kind === "same" && endpoint.path.startsWith(":")) return "generate-content";
  return endpoint !== undefined && "shape" in endpoint ? apiOf(endpoint) : "chat-completions";
}

const endpointFor = ({ providers }: GatewayParts, { method, url }: IncomingRequest) =>
  endpointOf(method, url, clientShapesOf(providers().providers));

/** The service key of a unified request: `Gateway-Auth`, or else the first key in the places where SDKs put theirs. */
export function identifyUnified(
  parts: GatewayParts,
  { exchange, request, headers }: Arrival,
  { sdkKey: key }: UnifiedArrival,
): KeySnapshot | GatewayError {
  const { sentFor } = request;
  if (sentFor !== undefined)
    return typeof sentFor === "string" ? usable(parts.keys.ofHash(sentFor, exchange.startedAt)) : sentFor;
  if (headers.auth.length > 0) return sentKey(parts.keys, headers.auth, exchange.startedAt);
  if (key === undefined)
    return new GatewayError(
      "missing_gateway_auth",
      "send a service key where your SDK sends its key: Authorization: Bearer, x-api-key or x-goog-api-key",
    );
  const found = usable(parts.keys.ofText(key, exchange.startedAt));
  if (!(found instanceof GatewayError)) return found;
  const isExpired = found.code === "expired_gateway_auth";
  return new GatewayError(
    found.code,
    isExpired
      ? "the service key has expired; create a new one with: weir keys create"
      : "this is no service key of this gateway; create one with: weir keys create",
  );
}

/** @throws GatewayError `unknown_endpoint`, `invalid_header`. */
export function admitUnified(
  parts: GatewayParts,
  { request, headers }: Arrival,
  { sdkKey }: UnifiedArrival,
): UnifiedAdmission {
  const { incoming, client } = request;
  const { namesTarget, mapping, keyLines, ...said } = headers.settings.once(readLines);
  if (namesTarget)
    throw new GatewayError(
      "invalid_header",
      "Gateway-Target-Url has no meaning at the unified address; the model names the target",
    );
  const endpoint = client === undefined ? endpointFor(parts, incoming) : undefined;
  if (endpoint === undefined) throw new GatewayError("unknown_endpoint");
  const { provider } = said;
  if (provider !== undefined && providerNamed(parts.providers(), provider) === undefined)
    throw new GatewayError("invalid_header", `Gateway-Target-Provider names no provider: "${provider}"`);
  return {
    endpoint,
    // If there is a Gateway-Auth, the key where SDKs put theirs is the provider's.
    own: ownKeys(keyLines, headers.auth.length > 0 ? sdkKey : undefined, parts.providers()),
    ...said,
    sameOnly: mapping !== undefined && readMapping(mapping, endpoint),
  };
}

/** Reads the settings lines for the unified address. @throws GatewayError `invalid_header`. */
function readLines(lines: readonly GatewayHeader[]) {
  return {
    namesTarget: lineOf(lines, "target-url") !== undefined,
    model: textOf(lines, "model"),
    provider: textOf(lines, "target-provider"),
    // With an aliased prefix, the body-mapping header of another gateway becomes `Gateway-Gateway-Body-Mapping`.
    mapping: lineOf(lines, "body-mapping") ?? lineOf(lines, "gateway-body-mapping"),
    refuseLosses: readUnsupported(lines),
    fallbacks: readFallbacks(lines),
    keyLines: lines.filter(isKeyLine),
  };
}

function readMapping(found: GatewayHeader, endpoint: Endpoint): boolean {
  const value = found.value.trim().toUpperCase();
  const shapes = Object.hasOwn(MAPPINGS, value) ? MAPPINGS[value]! : undefined;
  if (value === UNMAPPED) return true;
  if (shapes === undefined || !("shape" in endpoint && shapes.includes(endpoint.shape)))
    throw new GatewayError("invalid_header", `${found.name} must be NO_MAPPING, or the mapping that fits the path`);
  return false;
}

function readUnsupported(lines: readonly GatewayHeader[]): boolean {
  const found = lineOf(lines, "unsupported");
  const value = found?.value.trim().toLowerCase() ?? "drop";
  if (value !== "drop" && value !== "refuse")
    throw new GatewayError("invalid_header", `${found!.name} must be drop or refuse`);
  return value === "refuse";
}

function lineOf(lines: readonly GatewayHeader[], name: string): GatewayHeader | undefined {
  return lines.findLast(({ setting }) => setting === name);
}

function textOf(lines: readonly GatewayHeader[], name: string): string | undefined {
  const line = lineOf(lines, name);
  const text = line && fromWire(line.value).trim();
  if (text === "") throw new GatewayError("invalid_header", `${line!.name} is empty`);
  return text;
}
