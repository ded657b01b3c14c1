import { GatewayError } from "../../../errors.ts";

/** A placeholder origin: only the path of the URL is used. */
const NOWHERE = "http://weir.invalid";
const CHARS_MAX = 1_000;
/** Browsers treat a backslash as a slash, and drop control characters. */
const PATH = /^\/[^\\\s\p{C}]*$/u;
/** Paths that a browser, or a decoding proxy, would take for another site's address. */
const OTHER_SITE = /^\/(?:[/\\]|%2f|%5c)/i;
/** There are no pages below it: such a path would log in again, or show JSON. */
const API = /^\/v1(?:\/|$)/;

/**
 * The page that a user returns to after a log-in: a path of the dashboard with its query and fragment.
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
