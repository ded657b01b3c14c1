import type { AnyElysia } from "elysia";
import { GatewayError } from "../errors.ts";
import { nearestName } from "../nearest.ts";
import { NEEDS } from "./access/needs.ts";
import { type Endpoint, methodOf, type Unusual } from "./endpoint.ts";

/** The table of the API's endpoints, for the guard, the API description and the hints in error responses. */
export class Endpoints {
  readonly #byPath = new Map<string, Map<string, Endpoint>>();

  /** Registers the app's endpoints, and adds all other methods to each of their paths, so that the guard refuses them. */
  complete(app: AnyElysia): void {
    for (const route of app.routes) {
      const methods = this.#byPath.get(route.path) ?? new Map();
      this.#byPath.set(route.path, methods.set(route.method, described(route)));
    }
    const used = new Set(app.routes.map(({ method }) => method));
    for (const [path, methods] of this.#byPath) {
      app.all(path, () => {});
      // Otherwise a literal name in this path would match the `:id` of another path that has the method.
      for (const method of used)
        if (!methods.has(method) && app.router.http.find(method, path) !== null) app.route(method, path, () => {});
    }
  }

  get all(): readonly Endpoint[] {
    return [...this.#byPath.values()].flatMap((methods) => [...methods.values()]);
  }

  /** The endpoint of a request. @param path - as the router found it. @throws GatewayError `not_found`, `method_not_allowed`. */
  at(path: string, request: Request): Endpoint {
    const methods = this.#byPath.get(path)!;
    const method = methodOf(request);
    const found = methods.get(method);
    if (found !== undefined) return found;
    // A misspelt name may have matched `:id`.
    const meant = this.#nearest(new URL(request.url).pathname, { method, path });
    if (meant !== undefined) throw noSuchPath(meant);
    const allow = [...methods.keys()].sort().join(", ");
    throw new GatewayError("method_not_allowed", `this path takes ${allow}`, { headers: { allow } });
  }

  /** The error for a request whose address matches no endpoint. */
  missing(request: Request): GatewayError {
    return noSuchPath(this.#nearest(new URL(request.url).pathname));
  }

  /**
   * The path that differs from this one in the spelling of one name.
   *
   * @param matched - the endpoint's path that the router found: only paths with the method, and other names for its parameters.
   */
  #nearest(pathname: string, matched?: { readonly method: string; readonly path: string }): string | undefined {
    const requested = pathname.replace(/\/$/, "").split("/");
    const known = matched?.path.split("/") ?? [];
    const meant: string[] = [];
    for (const [path, methods] of this.#byPath) {
      const segments = path.split("/");
      if (segments.length !== requested.length || (matched && !methods.has(matched.method))) continue;
      const isFixed = (segment: string) => !segment.startsWith(":");
      const [at, ...more] = [...segments.keys()].filter(
        (at) => isFixed(segments[at]!) && segments[at] !== requested[at],
      );
      if (at === undefined || more.length > 0 || known[at] === requested[at]) continue;
      if (nearestName(requested[at]!, [segments[at]!]) === undefined) continue;
      meant.push(segments.map((segment, place) => (isFixed(segment) ? segment : requested[place])).join("/"));
    }
    return nearestName(pathname, meant);
  }
}

function noSuchPath(meant: string | undefined): GatewayError {
  const hint = meant === undefined ? "see /docs" : `did you mean ${meant}?`;
  return new GatewayError("not_found", `there is no such path here; ${hint}`);
}

/** An endpoint as it was declared. If the table of needs lacks it, that is a bug in this program. */
function described({ method, path, hooks }: AnyElysia["routes"][number]): Endpoint {
  const { body, detail } = hooks as { body?: unknown; detail?: Record<string, unknown> };
  const own = `${method} ${path}`;
  const unusual = (detail?.["x-unusual"] ?? {}) as Unusual;
  const needs = unusual.needs ?? (Object.hasOwn(NEEDS, own) ? NEEDS[own] : undefined);
  if (detail === undefined || needs === undefined) throw new Error(`the table of needs does not have ${own}`);
  return {
    method,
    path,
    needs,
    summary: String(detail["summary"]),
    description: String(detail["description"] ?? ""),
    tags: detail["tags"] as string[],
    body: body ?? unusual.body,
    unusual,
  };
}
