import { Elysia, t } from "elysia";
import { listMembers, putMember, readRole, removeMember } from "../../store/people/members.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { noSuch, ROLE } from "./bodies.ts";

/** Members of the caller's organization. */
export function memberEndpoints(context: ApiContext, callers: Callers) {
  const { records } = context.home.reader;
  const writable = async () => (await context.home.writer()).records;
  return new Elysia()
    .get(
      "/v1/members",
      async ({ request }) => success(await listMembers(records, callers.of(request).organizationId)),
      endpoint("Members", "List members"),
    )
    .patch(
      "/v1/members/:id",
      async ({ params, body, request }) => {
        const caller = callers.of(request);
        const { organizationId } = caller;
        const [known] = await listMembers(records, organizationId, params.id);
        if (known === undefined) throw noSuch("member");
        const user = { id: known.user_id, email: known.email };
        const member = { organizationId, role: readRole(body.role), source: known.source };
        await putMember(await writable(), user, member, caller);
        await context.keys.spread();
        return success((await listMembers(records, organizationId, params.id))[0]);
      },
      {
        body: t.Object({ role: ROLE }, { additionalProperties: false }),
        ...endpoint("Members", "Change a member's role"),
      },
    )
    .delete(
      "/v1/members/:id",
      async ({ params, request }) => {
        const caller = callers.of(request);
        if (!(await removeMember(await writable(), caller.organizationId, params.id, caller))) throw noSuch("member");
        await context.keys.spread();
        return success({ user_id: params.id });
      },
      endpoint("Members", "Remove a member", "Their keys in the organization stop working."),
    );
}
