import { Elysia } from "elysia";
import type { RouteAnswer } from "../../plugin-host/contract.ts";
import type { RouteView } from "../../plugin-host/routes.ts";
import { firstOrganizationId } from "../../store/people/organization-names.ts";
import { actingOf, may } from "../access/caller.ts";
import type { Callers } from "../access/callers.ts";
import { PLUGIN_NEEDS } from "../access/needs.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { codeOfStatus, failed, success } from "../envelope.ts";

/** Plugins' endpoints. They run in the gateway's thread, which has the plugins' state. */
export function pluginEndpoints(context: ApiContext, callers: Callers, routes: readonly RouteView[]) {
  const app = new Elysia();
  for (const { method, path, scope, summary, body: schema } of routes) {
    app.route(
      method,
      path,
      async ({ params, query, body, request }) => {
        const asking = callers.of(request);
        const { organizationId, user } = asking;
        const isFirst = async () => (await firstOrganizationId(context.home.reader.records)) === organizationId;
        const operator = user === undefined ? await isFirst() : may(asking, "operator");
        const caller = { organizationId, name: asking.actor.name, admin: may(asking, "admin"), operator };
        const call = {
          params: params as Record<string, string>,
          query: query as Record<string, string>,
          body,
          caller,
        };
        return toResponse(await context.gateway.callRoute({ method, path }, call, actingOf(asking)));
      },
      endpoint(tagOf(path), summary, "", { body: schema, reads: "optional", needs: PLUGIN_NEEDS[scope] }),
    );
  }
  return app;
}

function toResponse(response: RouteAnswer): Response {
  if ("data" in response) return success(response.data);
  const { status, code = codeOfStatus(status), message, path = null } = response;
  return failed({ status, code, message, path });
}

/** For example `Rate limits` for `/v1/rate-limits/:id`. */
function tagOf(path: string): string {
  const name = path.split("/")[2]!.replaceAll("-", " ");
  return name.charAt(0).toUpperCase() + name.slice(1);
}
