import type { Config } from "../config.ts";

/** What Helicone calls the path on the left. Its other paths that Weir has are called the same. */
const PATHS: Readonly<Record<string, string>> = {
  "/v1/request/query-clickhouse": "/v1/request/query-fast",
};

/** Whether programs that were written for Helicone call this Weir: their headers are set to be understood. */
export function servesHelicone({ header_aliases }: Pick<Config, "header_aliases">): boolean {
  return header_aliases.some((alias) => /^helicone-*$/i.test(alias));
}

/** The request at the path that Weir has for it. */
export function atOwnPath(request: Request): Request {
  const url = new URL(request.url);
  const path = Object.hasOwn(PATHS, url.pathname) ? PATHS[url.pathname] : undefined;
  if (path === undefined) return request;
  url.pathname = path;
  return new Request(url, request);
}

/** Properties as Weir takes them: Helicone sends one at a time, as `{"key": name, "value": text}`. */
export function asProperties(body: Readonly<Record<string, string | null>>): Readonly<Record<string, string | null>> {
  const { key, value, ...others } = body;
  const isPair = typeof key === "string" && key !== "" && value !== undefined && Object.keys(others).length === 0;
  return isPair ? { [key]: value } : body;
}
