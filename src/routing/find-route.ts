import { fits } from "./pattern.ts";
import type { Route } from "./route.ts";

/** The route of a name: exactly, else the longest matching pattern; the file's has precedence over a stored one of the same name. */
export function findRoute(routes: readonly Route[], name: string): Route | undefined {
  let found: Route | undefined;
  for (const route of routes) {
    if (route.name === name) {
      if (found?.name !== name || route.source === "file") found = route;
    } else if (found?.name !== name && route.name.includes("*") && fits(route.name, name)) {
      const longer = found === undefined ? 1 : route.name.length - found.name.length;
      if (longer > 0 || (longer === 0 && route.source === "file")) found = route;
    }
  }
  return found;
}
