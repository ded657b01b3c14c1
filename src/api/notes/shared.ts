import { Elysia, t } from "elysia";
import { keysOf, type RecordKey } from "../../engine/record-source.ts";
import { GatewayError } from "../../errors.ts";
import { whyUnusable } from "../../keys.ts";
import { ROLES, type Role } from "../../people/permissions.ts";
import { isoTime } from "../../record/iso-time.ts";
import type { RequestRow } from "../../record/request-record.ts";
import { assetIds, storedMembers } from "../../record/request-record.ts";
import { isUuid } from "../../runtime/uuid.ts";
import { bodyTexts, loadMappings, loadShownBodies } from "../../store/bodies/body-text.ts";
import { linkOfToken, roleIn, type SharedLink } from "../../store/shared-links.ts";
import { settled } from "../caught-up.ts";
import type { ApiContext } from "../context.ts";
import { UNSEEN } from "../dashboard.ts";
import { endpoint } from "../endpoint.ts";
import { success, successText } from "../envelope.ts";
import { bytesResponse } from "../requests/request-bodies.ts";

const TAG = "Shared links";

/** Members of a record that a link shows: the contents, the model, the time and the outcome. Nothing about the caller. */
const MEMBERS = [
  ...(["request_id", "provider", "model", "request_model", "response_model", "response_status", "outcome"] as const),
  ...(["finish_reason", "error_code", "error_message", "input", "output"] as const),
  ...(["total_tokens", "prompt_tokens", "completion_tokens", "reasoning_tokens"] as const),
] as const;

/** Steps of a session that a link lists, at most. */
const STEPS_MAX = 1_000;

/** What a shared link shows, without a key. An unknown, expired, revoked or deleted link gets the same 404. */
export function sharedEndpoints(context: ApiContext) {
  const followed = async (token: string): Promise<SharedLink> => {
    const link = await linkOfToken(context.current.records, token, Date.now());
    if (link === undefined || !(await isOwnersStill(context, link))) throw noSuchLink();
    await settled(context);
    return link;
  };
  const find = async (token: string, id: string): Promise<RequestRow> => {
    const link = await followed(token);
    const [row] = isUuid(id) ? await rowsOf(context, link, keysOf([id.toLowerCase()])) : [];
    if (row === undefined) throw noSuchLink();
    return row;
  };
  return new Elysia()
    .get(
      "/v1/shared/:token",
      async ({ params }) => {
        const link = await followed(params.token);
        const keys = await keysShown(context, link);
        const rows = await rowsOf(context, link, keys.slice(0, STEPS_MAX));
        if (rows.length === 0) throw noSuchLink();
        const { kind, created_at, expires_at } = link;
        const times = { created_at: isoTime(created_at), expires_at: isoTime(expires_at) };
        return success({ kind, ...times, requests: rows.map(shown), more: keys.length > STEPS_MAX }, UNSEEN);
      },
      endpoint(
        TAG,
        "Follow a shared link",
        "The requests that it shows, the oldest first, in short form; `more` if its session has others after the first 1,000.",
      ),
    )
    .get(
      "/v1/shared/:token/request/:id",
      async ({ params }) => {
        const row = await find(params.token, params.id);
        const response = successText(await recordText(context, row));
        for (const [name, value] of Object.entries(UNSEEN)) response.headers.set(name, value);
        return response;
      },
      endpoint(TAG, "Read one request of a shared link", "The conversation, without headers and labels."),
    )
    .get(
      "/v1/shared/:token/request/:id/assets/:asset",
      async ({ params }) => {
        const { request_id: id } = await find(params.token, params.id);
        const asset = await context.reader.content.asset(id, params.asset);
        if (asset === undefined) throw noSuchLink();
        const response = bytesResponse(asset.content, asset.contentType);
        for (const [name, value] of Object.entries(UNSEEN)) response.headers.set(name, value);
        return response;
      },
      endpoint(TAG, "Read an image, audio or file of a shared request", "", {
        responses: { "*/*": t.Unknown() },
      }),
    );
}

const noSuchLink = () =>
  new GatewayError("not_found", "there is nothing at this link: it is wrong, has expired or was revoked", {
    headers: UNSEEN,
  });

/** A link is valid only while the key or user that made it exists and may read bodies. */
async function isOwnersStill({ keys, home }: ApiContext, { owner_id, organization_id }: SharedLink): Promise<boolean> {
  const [kind, id = ""] = owner_id.split(":");
  if (kind === "key") {
    const key = keys.byId(id);
    return key !== undefined && whyUnusable(key, Date.now()) === undefined && key.permissions.includes("bodies");
  }
  return kind === "user" && maySee(await roleIn(home.reader.records, id, organization_id));
}

const maySee = (role: Role | undefined) => role !== undefined && ROLES[role].includes("bodies");

/** The records that a link shows: for a session, those that existed when the link was made, and one more than are listed. */
async function keysShown(
  { engine: { source } }: ApiContext,
  { kind, subject, organization_id: organizationId, created_at: upTo }: SharedLink,
): Promise<readonly RecordKey[]> {
  if (kind === "request") return keysOf([subject]);
  return source.ofSession({ organizationId, sessionId: subject, upTo, limit: STEPS_MAX + 1 });
}

/** The rows of records that the link shows. */
async function rowsOf(context: ApiContext, link: SharedLink, keys: readonly RecordKey[]): Promise<RequestRow[]> {
  const rows = await context.engine.source.records(link.organization_id, keys);
  return rows.filter(({ request_id, session_id, request_created_at }) =>
    link.kind === "request"
      ? request_id === link.subject
      : session_id === link.subject && request_created_at <= link.created_at,
  );
}

function shown(row: RequestRow) {
  const stored = storedMembers(row);
  return {
    ...Object.fromEntries(MEMBERS.map((name) => [name, stored[name]])),
    request_created_at: isoTime(row.request_created_at),
    ...{ delay_ms: row.delay_ms, time_to_first_token: row.time_to_first_token, cost: row.cost },
    streamed: Boolean(row.streamed),
    assets: assetIds(row),
  };
}

/** Bodies are included only if no mapping reads them: otherwise the conversation shows the same. */
async function recordText(context: ApiContext, row: RequestRow): Promise<string> {
  const { content, records } = context.reader;
  const bodies = (await loadShownBodies(content, [row.request_id], [])).get(row.request_id) ?? {};
  const mappings = await loadMappings(records, [row], context.gateway.providerMappings);
  const { request, response, llmSchema } = bodyTexts(row, bodies, mappings);
  const isRead = llmSchema !== "null";
  const fields = JSON.stringify(shown(row)).slice(0, -1);
  return `${fields},"request_body":${isRead ? "null" : request},"response_body":${isRead ? "null" : response},"llmSchema":${llmSchema}}`;
}
