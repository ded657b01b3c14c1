import { randomBytes } from "node:crypto";
import { Elysia, t } from "elysia";
import { GatewayError } from "../../errors.ts";
import { isoTime } from "../../record/iso-time.ts";
import { storable } from "../../record/storable.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import {
  addLink,
  findLink,
  hashOfToken,
  LINKS_MAX,
  listLinks,
  removeLink,
  type SharedLink,
} from "../../store/shared-links.ts";
import { calledOrigin } from "../access/called-origin.ts";
import { require } from "../access/caller.ts";
import type { Callers } from "../access/callers.ts";
import { type Owner, ownerOf } from "../access/owner.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { readId } from "../input/request-id.ts";
import { isSessionNamed, recordsNamed } from "../named.ts";

const TAG = "Shared links";
const DAYS_DEFAULT = 7;
const DAY_MS = 86_400_000;
const TOKEN_BYTES = 32;

const linkBody = (daysMax: number) =>
  t.Object(
    {
      request_id: t.Optional(t.String()),
      session_id: t.Optional(t.String({ minLength: 1 })),
      days: t.Optional(
        t.Number({
          exclusiveMinimum: 0,
          maximum: daysMax,
          description: `Until it expires, at most ${daysMax}; default: ${DAYS_DEFAULT}.`,
        }),
      ),
    },
    { additionalProperties: false },
  );

/** A link as the API shows it; only the call that creates it returns its token. */
export interface ShownLink {
  readonly id: string;
  readonly kind: SharedLink["kind"];
  /** Id of the request or the session. */
  readonly subject: string;
  readonly owner: string;
  readonly own: boolean;
  readonly created_at: string;
  readonly expires_at: string;
}

/** Links for people without an account: created and revoked here, opened at `/v1/shared/:token`. */
export function linkEndpoints(context: ApiContext, callers: Callers) {
  const { records } = context.current;
  const daysMax = context.config.shared_link_days_max;
  return new Elysia()
    .get(
      "/v1/shared-links",
      async ({ request }) => {
        const caller = callers.of(request);
        const links = await listLinks(records, caller.organizationId, Date.now());
        return success(links.map((link) => shown(link, ownerOf(caller))));
      },
      endpoint(TAG, "List shared links", "The organization's links that have not expired, without their tokens."),
    )
    .post(
      "/v1/shared-links",
      async ({ body, request }) => {
        const caller = callers.of(request);
        const { organizationId } = caller;
        require(caller, "bodies");
        if (daysMax === 0)
          throw new GatewayError("insufficient_permission", "shared_link_days_max is 0: links are disabled");
        const { kind, subject } = await readSubject(context, organizationId, body);
        const now = Date.now();
        const token = randomBytes(TOKEN_BYTES).toString("base64url");
        const owner = ownerOf(caller);
        const link: SharedLink = {
          ...{ id: uuidv7(), token_hash: hashOfToken(token), organization_id: organizationId, kind, subject },
          ...{ owner_id: owner.id, owner_name: owner.name, created_at: now },
          expires_at: now + Math.round((body.days ?? Math.min(DAYS_DEFAULT, daysMax)) * DAY_MS),
        };
        if ((await listLinks(records, organizationId, now)).length >= LINKS_MAX)
          throw new GatewayError("invalid_body", `an organization has at most ${LINKS_MAX} links: revoke some`);
        await addLink((await context.writer()).records, link);
        const url = `${calledOrigin(context.config, request)}/shared/${token}`;
        return success({ ...shown(link, owner), token, url });
      },
      {
        body: linkBody(daysMax),
        ...endpoint(
          TAG,
          "Share a request or a session",
          "Give `request_id` or `session_id`. Anyone with `url` can read it without a key until it expires or is revoked. Needs `bodies` as well.",
        ),
      },
    )
    .delete(
      "/v1/shared-links/:id",
      async ({ params, request }) => {
        const caller = callers.of(request);
        const link = await findLink(records, caller.organizationId, params.id);
        if (link === undefined) throw new GatewayError("not_found", "there is no shared link with this id");
        await removeLink((await context.writer()).records, link.id);
        return success(shown(link, ownerOf(caller)));
      },
      endpoint(TAG, "Revoke a shared link", "Takes effect at once. Anyone's link can be revoked."),
    );
}

/** @throws GatewayError `invalid_body`, or `not_found` if the organization has no such request or session. */
async function readSubject(
  context: ApiContext,
  organizationId: string,
  { request_id: requestId, session_id: sessionId }: { readonly request_id?: string; readonly session_id?: string },
): Promise<Pick<SharedLink, "kind" | "subject">> {
  if ((requestId === undefined) === (sessionId === undefined))
    throw new GatewayError("invalid_body", "give either request_id or session_id");
  if (requestId !== undefined) {
    const id = readId(requestId, "request_id");
    const [row] = await recordsNamed(context, organizationId, [id]);
    if (row === undefined)
      throw new GatewayError("not_found", "there is no request with this id", { path: "request_id" });
    return { kind: "request", subject: id };
  }
  const id = storable(sessionId!);
  if (!(await isSessionNamed(context, organizationId, id)))
    throw new GatewayError("not_found", "there is no session with this id", { path: "session_id" });
  return { kind: "session", subject: id };
}

const shown = (link: SharedLink, owner: Owner): ShownLink => ({
  ...{ id: link.id, kind: link.kind, subject: link.subject, owner: link.owner_name, own: link.owner_id === owner.id },
  ...{ created_at: isoTime(link.created_at), expires_at: isoTime(link.expires_at) },
});
