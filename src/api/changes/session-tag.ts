import { Elysia, t } from "elysia";
import { GatewayError } from "../../errors.ts";
import { storable } from "../../record/storable.ts";
import { patiently } from "../../store/database/patiently.ts";
import type { Gate } from "../access/gate.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import type { ApiRoom } from "../room.ts";
import { settled } from "../settled.ts";

const TAG = t.Object(
  {
    tag: t.Union([t.String({ maxLength: 1_000 }), t.Null()], {
      expects: "give text of up to 1,000 characters, or null to remove the tag",
    }),
  },
  { additionalProperties: false },
);

/** A tag on a session, which filters then find as `session_tag`. */
export function sessionTagEndpoints(room: ApiRoom, gate: () => Gate) {
  return new Elysia()
    .get(
      "/v1/session/:id/tag",
      async ({ params, request }) => {
        const { organizationId } = gate().caller(request);
        const sessionId = storable(params.id);
        const [row] = await room.reader.records.query<{ tag: string }>({
          sql: "select tag from session_tags where organization_id = ? and session_id = ?",
          args: [organizationId, sessionId],
        });
        return success({ session_id: sessionId, tag: row?.tag ?? null });
      },
      endpoint("read", "Sessions", "Read a session's tag", "null where there is none."),
    )
    .put(
      "/v1/session/:id/tag",
      async ({ params, body, request }) => {
        const { organizationId } = gate().caller(request);
        const sessionId = storable(params.id);
        const tag = body.tag === null ? null : storable(body.tag);
        await settled(room);
        const known = await room.reader.records.query({
          sql: "select 1 from requests where organization_id = ? and session_id = ? limit 1",
          args: [organizationId, sessionId],
        });
        if (known.length === 0) throw new GatewayError("not_found", "there is no session of this id");
        const { records } = await room.writer();
        const removal = {
          sql: "delete from session_tags where organization_id = ? and session_id = ?",
          args: [organizationId, sessionId],
        };
        const insertion = {
          sql: "insert into session_tags (organization_id, session_id, tag, updated_at) values (?, ?, ?, ?)",
          args: [organizationId, sessionId, tag, Date.now()],
        };
        await patiently(() => records.batch(tag === null ? [removal] : [removal, insertion]));
        return success([{ session_id: sessionId, tag }]);
      },
      { body: TAG, ...endpoint("write", "Sessions", "Tag a session", "null removes the tag.") },
    );
}
