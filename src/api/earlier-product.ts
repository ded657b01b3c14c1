import type { Config } from "../config.ts";

/** Helicone's name for a path on the left, Weir's on the right. All other paths that Weir shares with Helicone are equal. */
const PATHS: Readonly<Record<string, string>> = {
  "/v1/request/query-clickhouse": "/v1/request/query-fast",
};

/** Whether programs written for Helicone call this Weir: the configuration accepts their headers. */
export function servesHelicone({ header_aliases }: Pick<Config, "header_aliases">): boolean {
  return header_aliases.some((alias) => /^helicone-*$/i.test(alias));
}

/** The request with Weir's own path. */
export function atOwnPath(request: Request): Request {
  const url = new URL(request.url);
  const path = Object.hasOwn(PATHS, url.pathname) ? PATHS[url.pathname] : undefined;
  if (path === undefined) return request;
  url.pathname = path;
  return new Request(url, request);
}

/** Properties in Weir's form: Helicone sends one at a time, as `{"key": name, "value": text}`. */
export function asProperties(body: Readonly<Record<string, string | null>>): Readonly<Record<string, string | null>> {
  const { key, value, ...others } = body;
  const isPair = typeof key === "string" && key !== "" && value !== undefined && Object.keys(others).length === 0;
  return isPair ? { [key]: value } : body;
}
