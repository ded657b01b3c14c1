import type { UpstreamOrigin } from "../runtime/http/upstream.ts";

/** The origin of an http(s) URL: the host in lower case, an IPv6 address without brackets. */
export function originOf(url: URL): UpstreamOrigin {
  const secure = url.protocol === "https:";
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return { secure, host, port: url.port === "" ? (secure ? 443 : 80) : Number(url.port) };
}

/** A host name without trailing dots; a rooted name means the same host. */
export function withoutDots(host: string): string {
  return host.replace(/\.+$/, "");
}
