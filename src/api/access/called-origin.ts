import type { Config } from "../../config.ts";

const HOST = /^[a-z0-9._-]+(:\d{1,5})?$|^\[[0-9a-f:.]+\](:\d{1,5})?$/i;

/** The API's own address: as configured, else as the client called it. Without a trailing slash. */
export function calledOrigin({ public_api_url, host, api_port }: Config, request: Request): string {
  if (public_api_url !== "") return public_api_url.replace(/\/+$/, "");
  const called = request.headers.get("host") ?? "";
  return `${isHttps(request) ? "https" : "http"}://${HOST.test(called) ? called : `${host}:${api_port}`}`;
}

/** The gateway's address: as configured, else the host that the client called, with the gateway's port. */
export function gatewayOrigin(config: Config, request: Request, port: number): string {
  if (config.public_gateway_url !== "") return config.public_gateway_url.replace(/\/+$/, "");
  const url = new URL(calledOrigin(config, request));
  return `http://${url.hostname}:${port}`;
}

/** Whether the client speaks TLS, to us or to the proxy before us. */
export function isHttps(request: Request): boolean {
  return request.headers.get("x-forwarded-proto") === "https";
}
