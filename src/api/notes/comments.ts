import { Elysia, t } from "elysia";
import { GatewayError } from "../../errors.ts";
import { isoTime } from "../../record/iso-time.ts";
import { storable } from "../../record/storable.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import { addComment, COMMENTS_MAX, type Comment, listComments, removeComment } from "../../store/comments.ts";
import { may } from "../access/caller.ts";
import type { Callers } from "../access/callers.ts";
import { type Owner, ownerOf } from "../access/owner.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { noSuchRequest, requestIdOf } from "../input/request-id.ts";
import { recordNamed, recordsNamed } from "../named.ts";

const TEXT_CHARS_MAX = 10_000;

const COMMENT = t.Object(
  {
    text: t.String({
      maxLength: TEXT_CHARS_MAX,
      pattern: "\\S",
      expects: `give text of up to ${TEXT_CHARS_MAX} characters`,
    }),
  },
  { additionalProperties: false },
);

/** A comment as the API shows it. */
export interface ShownComment {
  readonly id: string;
  readonly author: string;
  /** Whether it is the caller's own. */
  readonly own: boolean;
  readonly text: string;
  readonly created_at: string;
}

/** Users' comments on a request. They may quote its contents, so they require `bodies`. */
export function commentEndpoints(context: ApiContext, callers: Callers) {
  const { records } = context.current;
  /** @throws GatewayError `not_found` if the organization has no such request. */
  const asking = async (request: Request, id: string) => {
    const caller = callers.of(request);
    const requestId = requestIdOf(id);
    await recordNamed(context, caller.organizationId, requestId);
    return { caller, owner: ownerOf(caller), organizationId: caller.organizationId, requestId };
  };
  return new Elysia()
    .get(
      "/v1/request/:id/comments",
      async ({ params, request }) => {
        const { owner, organizationId, requestId } = await asking(request, params.id);
        const all = await listComments(records, organizationId, requestId);
        return success(all.map((comment) => shown(comment, owner)));
      },
      endpoint("Requests", "List the comments on a request", "The oldest first."),
    )
    .post(
      "/v1/request/:id/comments",
      async ({ params, body, request }) => {
        const { owner, organizationId, requestId } = await asking(request, params.id);
        const comment: Comment = {
          ...{ request_id: requestId, id: uuidv7(), organization_id: organizationId },
          ...{ author_id: owner.id, author_name: owner.name },
          ...{ text: storable(body.text.trim()), created_at: Date.now() },
        };
        const writer = (await context.writer()).records;
        if (!(await addComment(writer, comment)))
          throw new GatewayError("invalid_body", `a request takes at most ${COMMENTS_MAX} comments`);
        // A removal of the record that came in between did not see the comment.
        if ((await recordsNamed(context, organizationId, [requestId])).length === 0) {
          await removeComment(writer, comment);
          throw noSuchRequest();
        }
        return success(shown(comment, owner));
      },
      { body: COMMENT, ...endpoint("Requests", "Comment on a request", "It is deleted with the record.") },
    )
    .delete(
      "/v1/request/:id/comments/:comment",
      async ({ params, request }) => {
        const { caller, owner, organizationId, requestId } = await asking(request, params.id);
        const all = await listComments(records, organizationId, requestId);
        const comment = all.find(({ id }) => id === params.comment);
        if (comment === undefined) throw new GatewayError("not_found", "the request has no comment with this id");
        if (comment.author_id !== owner.id && !may(caller, "admin")) {
          const message = `the comment is ${comment.author_name}'s: only its author and admins can remove it`;
          throw new GatewayError("insufficient_permission", message);
        }
        await removeComment((await context.writer()).records, comment);
        return success(shown(comment, owner));
      },
      endpoint("Requests", "Remove a comment", "Its author or callers with `admin` can remove it."),
    );
}

const shown = ({ id, author_name, author_id, text, created_at }: Comment, owner: Owner): ShownComment => ({
  ...{ id, author: author_name, own: author_id === owner.id, text },
  created_at: isoTime(created_at),
});
