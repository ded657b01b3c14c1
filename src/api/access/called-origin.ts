import { isIP } from "node:net";
import { hostname } from "node:os";
import { type Config, schemeOf } from "../../config.ts";

const HOST = /^[a-z0-9._-]+(:\d{1,5})?$|^\[[0-9a-f:.]+\](:\d{1,5})?$/i;

/** The API's own origin: as configured, else as the client called it. Without a trailing slash. */
export function calledOrigin(config: Config, request: Request): string {
  const { public_api_url, host, api_port } = config;
  if (public_api_url !== "") return public_api_url.replace(/\/+$/, "");
  const called = request.headers.get("host") ?? "";
  return `${isHttps(config, request) ? "https" : "http"}://${HOST.test(called) ? called : `${host}:${api_port}`}`;
}

/**
 * The origin of the dashboard's own pages, or undefined if the client called an unknown host name: it may belong to another
 * site that resolves it to this address (DNS rebinding).
 *
 * IP addresses always count as known: no name is resolved, so another site cannot use one this way.
 */
export function ownOrigin(config: Config, request: Request): string | undefined {
  const origin = calledOrigin(config, request);
  return config.public_api_url !== "" || isKnownHost(config, new URL(origin).hostname) ? origin : undefined;
}

function isKnownHost({ host, api_hosts, public_url }: Config, called: string): boolean {
  const name = called.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (public_url !== "" && new URL(public_url).hostname === called) return true;
  if (isIP(name) !== 0 || name === "localhost" || name.endsWith(".localhost")) return true;
  return [host, hostname(), ...api_hosts].some((known) => known.toLowerCase().replace(/\.$/, "") === name);
}

/** The gateway's origin: as configured, else the host that the client called, with the gateway's port. */
export function gatewayOrigin(config: Config, request: Request, port: number): string {
  if (config.public_gateway_url !== "") return config.public_gateway_url.replace(/\/+$/, "");
  const url = new URL(calledOrigin(config, request));
  return `${schemeOf(config)}://${url.hostname}:${port}`;
}

/** Whether the client uses TLS, with us or with a proxy in front of us. */
export function isHttps(config: Config, request: Request): boolean {
  if (schemeOf(config) === "https") return true;
  return request.headers.get("x-forwarded-proto") === "https" || isCalledPublicly(config, request, "https:");
}

/** Whether a request came to `public_url`, the dashboard's public address: its scheme then decides. */
export function isCalledPublicly({ public_url }: Config, request: Request, protocol?: "https:"): boolean {
  if (public_url === "") return false;
  const url = new URL(public_url);
  return url.host === request.headers.get("host")?.toLowerCase() && (protocol ?? url.protocol) === url.protocol;
}
