import { Elysia, t } from "elysia";
import { GatewayError } from "../../errors.ts";
import { storable } from "../../record/storable.ts";
import { sessionTag, setSessionTag } from "../../store/session-tags.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { isSessionNamed } from "../named.ts";

const TAG = t.Object(
  {
    tag: t.Union([t.String({ maxLength: 1_000 }), t.Null()], {
      expects: "give text of up to 1,000 characters, or null to remove the tag",
    }),
  },
  { additionalProperties: false },
);

/** A tag on a session; filters find it as `session_tag`. */
export function sessionTagEndpoints(context: ApiContext, callers: Callers) {
  return new Elysia()
    .get(
      "/v1/session/:id/tag",
      async ({ params, request }) => {
        const { organizationId } = callers.of(request);
        const sessionId = storable(params.id);
        const tag = await sessionTag(context.reader.records, organizationId, sessionId);
        return success({ session_id: sessionId, tag });
      },
      endpoint("Sessions", "Read a session's tag", "null if there is none."),
    )
    .put(
      "/v1/session/:id/tag",
      async ({ params, body, request }) => {
        const { organizationId } = callers.of(request);
        const sessionId = storable(params.id);
        const tag = body.tag === null ? null : storable(body.tag);
        if (!(await isSessionNamed(context, organizationId, sessionId))) {
          throw new GatewayError("not_found", "there is no session with this id");
        }
        await setSessionTag((await context.writer()).records, organizationId, sessionId, tag);
        return success([{ session_id: sessionId, tag }]);
      },
      { body: TAG, ...endpoint("Sessions", "Tag a session", "null removes the tag.") },
    );
}
