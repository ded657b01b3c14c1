import { GatewayError } from "../../../errors.ts";

/** Of no site; only the path of an address is used. */
const NOWHERE = "http://weir.invalid";
const CHARS_MAX = 1_000;
/** Browsers read a backslash as a slash, and leave control characters out. */
const PATH = /^\/[^\\\s\p{C}]*$/u;
/** What a browser, or a proxy that decodes, would take for the address of another site. */
const OTHER_SITE = /^\/(?:[/\\]|%2f|%5c)/i;
/** Below it are no pages: such an address would log in again, or show JSON. */
const API = /^\/v1(?:\/|$)/;

/**
 * The page that somebody comes back to after a log-in: a path of the dashboard with what follows it.
 *
 * @throws GatewayError `invalid_body` for everything that could lead elsewhere.
 */
export function returnPath(text: string | null): string {
  if (text === null || text === "") return "/";
  const isPath = text.length <= CHARS_MAX && PATH.test(text) && URL.canParse(text, NOWHERE);
  const url = isPath ? new URL(text, NOWHERE) : undefined;
  if (
    url === undefined ||
    url.origin !== NOWHERE ||
    [text, url.pathname].some((path) => OTHER_SITE.test(path) || API.test(path))
  )
    throw new GatewayError("invalid_body", "return: give the path of a page of the dashboard, such as /requests", {
      path: "return",
    });
  return url.pathname + url.search + url.hash;
}
