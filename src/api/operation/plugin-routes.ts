import { Elysia } from "elysia";
import { hasScope } from "../../keys.ts";
import type { RouteAnswer } from "../../plugin/contract.ts";
import type { RouteView } from "../../plugin/routes.ts";
import { firstOrganizationId } from "../../store/keys.ts";
import type { Gate } from "../access/gate.ts";
import { codeOfStatus, failed, success } from "../envelope.ts";
import type { ApiRoom } from "../room.ts";

/** Endpoints that plugins answer, in the gateway's thread: there is what they speak of. */
export function pluginEndpoints(room: ApiRoom, gate: () => Gate, routes: readonly RouteView[]) {
  const app = new Elysia();
  for (const { method, path, scope, summary, body } of routes) {
    const detail = { summary, description: "", tags: [tagOf(path)], "x-access": scope, "x-body": body };
    app.route(
      method,
      path,
      async ({ params, query, body: given, request }) => {
        const key = gate().caller(request);
        const operator = (await firstOrganizationId(room.home.reader.records)) === key.organizationId;
        const caller = { organizationId: key.organizationId, name: key.name, admin: hasScope(key, "admin"), operator };
        const call = {
          params: params as Record<string, string>,
          query: query as Record<string, string>,
          body: body === undefined ? undefined : given,
          caller,
        };
        return toResponse(await room.gateway.callRoute({ method, path }, call));
      },
      { detail },
    );
  }
  return app;
}

function toResponse(answer: RouteAnswer): Response {
  if ("data" in answer) return success(answer.data);
  const { status, code = codeOfStatus(status), message, path = null } = answer;
  return failed({ status, code, message, path });
}

/** Of `/v1/rate-limits/:id`: `Rate limits`. */
function tagOf(path: string): string {
  const name = path.split("/")[2]!.replaceAll("-", " ");
  return name.charAt(0).toUpperCase() + name.slice(1);
}
