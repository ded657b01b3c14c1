import { Elysia, t } from "elysia";
import { changeOrganization, createOrganization, shownOrganizations } from "../../store/people/organizations.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { NAME, noSuch } from "./bodies.ts";
import { deleteOrganization } from "./delete-organization.ts";

const DAYS = t.Union([t.Number({ minimum: 0, maximum: 36_500, multipleOf: 1 }), t.Null()]);

/** Organizations, for operators. */
export function organizationEndpoints(context: ApiContext, callers: Callers) {
  const { records } = context.home.reader;
  const writable = async () => (await context.home.writer()).records;
  return new Elysia()
    .get(
      "/v1/organizations",
      async () => success(await shownOrganizations(records)),
      endpoint("Organizations", "List organizations"),
    )
    .post(
      "/v1/organizations",
      async ({ body, request }) =>
        success(await createOrganization(await writable(), body.name.trim(), callers.of(request))),
      {
        body: t.Object({ name: NAME }, { additionalProperties: false }),
        ...endpoint("Organizations", "Create an organization"),
      },
    )
    .patch(
      "/v1/organizations/:id",
      async ({ params, body, request }) => {
        const changed = await changeOrganization(await writable(), params.id, body, callers.of(request));
        if (changed === undefined) throw noSuch("organization");
        return success(changed);
      },
      {
        body: t.Object({ name: t.Optional(NAME), max_key_days: t.Optional(DAYS) }, { additionalProperties: false }),
        ...endpoint("Organizations", "Rename an organization, or limit the lifetime of its keys"),
      },
    )
    .delete(
      "/v1/organizations/:id",
      async ({ params, body, request }) =>
        success(
          await deleteOrganization(context, request, callers.of(request), {
            ...{ id: params.id, name: body.name, isExported: body.export === true },
          }),
        ),
      {
        body: t.Object(
          {
            name: NAME,
            export: t.Optional(
              t.Boolean({ description: "Writes each record to a file on the service's machine before it is deleted." }),
            ),
          },
          { additionalProperties: false },
        ),
        ...endpoint(
          "Organizations",
          "Delete an organization with all it has",
          "The body repeats its name. One call deletes records for some seconds and returns how many remain; call again until `done`. With `export` the records are in `exported` first, a file in the data directory that `weir import` reads.",
        ),
      },
    );
}
