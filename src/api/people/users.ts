import { Elysia, t } from "elysia";
import { changeUser, listUsers, removeUser, shownUser } from "../../store/people/users.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { NAME, noSuch } from "./bodies.ts";

/** Users of all organizations, for operators. */
export function userEndpoints(context: ApiContext, callers: Callers) {
  const { records } = context.home.reader;
  const writable = async () => (await context.home.writer()).records;
  return new Elysia()
    .get(
      "/v1/users",
      async () => success((await listUsers(records)).map(shownUser)),
      endpoint("Users", "List users of the deployment"),
    )
    .patch(
      "/v1/users/:id",
      async ({ params, body, request }) => {
        const changed = await changeUser(await writable(), params.id, body, callers.of(request));
        if (changed === undefined) throw noSuch("user");
        await context.keys.spread();
        return success(shownUser(changed));
      },
      {
        body: t.Object(
          { name: t.Optional(NAME), operator: t.Optional(t.Boolean()), disabled: t.Optional(t.Boolean()) },
          { additionalProperties: false },
        ),
        ...endpoint("Users", "Change a user", "A disabled user is logged out, and their keys stop working."),
      },
    )
    .delete(
      "/v1/users/:id",
      async ({ params, request }) => {
        if (!(await removeUser(await writable(), params.id, callers.of(request)))) throw noSuch("user");
        await context.keys.spread();
        return success({ id: params.id });
      },
      endpoint("Users", "Remove a user"),
    );
}
