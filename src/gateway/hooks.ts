import type { IncomingMessage } from "node:http";
import type { KeySnapshot } from "../keys.ts";
import type { GatewayRequest, Refusal } from "../plugin/contract.ts";
import type { Exchange } from "./exchange.ts";
import type { RequestHooks } from "./gateway-parts.ts";
import type { RequestHeaders } from "./headers.ts";
import { MASKED, maskOf, maskPath } from "./secrets.ts";
import type { Route } from "./target.ts";

/** A plugin's refusal, thrown so that it takes the way of every other one. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.name = "Refused";
    this.refusal = refusal;
  }
}

export interface Asked {
  readonly exchange: Exchange;
  readonly incoming: IncomingMessage;
  readonly headers: RequestHeaders;
  /** The client's headers as they may be shown. */
  readonly shown: readonly string[];
  readonly key: KeySnapshot;
  readonly route: Route;
  /** Whether it will be answered without a call to its provider. */
  readonly cached: boolean;
}

/**
 * Lets the plugins look at a request before its target is called.
 *
 * @throws Refused where one of them refuses; GatewayError `plugin_failed` where one of them fails.
 */
export async function askHooks(hooks: RequestHooks, asked: Asked): Promise<void> {
  const refusal = await hooks.onRequest(describe(asked));
  if (refusal !== undefined) throw new Refused(refusal);
}

function describe({ exchange, incoming, headers, shown, key, route, cached }: Asked): GatewayRequest {
  const userId = headers.gateway.findLast(({ setting }) => setting === "user-id")?.value;
  return {
    id: exchange.id,
    method: incoming.method ?? "",
    path: maskPath(incoming.url ?? "", maskOf(route.provider).query),
    target: { origin: route.target.origin, host: route.target.host },
    provider: route.providerName,
    headers: toHeaders(shown),
    organizationId: key.organizationId,
    userId: userId === undefined ? undefined : fromWire(userId),
    properties: readProperties(headers),
    cached,
  };
}

/** The properties that a request sets by header, by name. */
export function readProperties(headers: RequestHeaders): Record<string, string> {
  const properties: Record<string, string> = {};
  for (const { name, setting, value } of headers.gateway)
    if (setting.startsWith("property-")) properties[name.slice("Gateway-Property-".length)] = fromWire(value);
  return properties;
}

/** Without the masked ones: a plugin sees no credential, not even that there is one. */
function toHeaders(pairs: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at < pairs.length; at += 2) if (pairs[at + 1] !== MASKED) headers.append(pairs[at]!, pairs[at + 1]!);
  return headers;
}

/** Header values cross the parser as Latin-1; what they mean is UTF-8. */
function fromWire(value: string): string {
  return Buffer.from(value, "latin1").toString("utf8");
}
