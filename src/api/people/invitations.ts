import { Elysia, t } from "elysia";
import { isPassword } from "../../people/password.ts";
import { publicOrigin } from "../../sso/provider.ts";
import { acceptInvitation, invite, listInvitations, revokeInvitation } from "../../store/people/invitations.ts";
import { readRole } from "../../store/people/members.ts";
import { readEmail, shownUser, type User } from "../../store/people/users.ts";
import { calledFrom } from "../access/addresses.ts";
import { calledOrigin, ownOrigin } from "../access/called-origin.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { refuseOtherSites } from "../logins/logins.ts";
import { checkPassword, NAME, noSuch, PASSWORD, ROLE } from "./bodies.ts";

/** Invitations to the caller's organization. */
export function invitationEndpoints(context: ApiContext, callers: Callers) {
  const { records } = context.home.reader;
  const writable = async () => (await context.home.writer()).records;
  return new Elysia()
    .get(
      "/v1/invitations",
      async ({ request }) => success(await listInvitations(records, callers.of(request).organizationId)),
      endpoint("Members", "List invitations", "Those that still work, without their links."),
    )
    .delete(
      "/v1/invitations/:token",
      async ({ params, request }) => {
        const caller = callers.of(request);
        const which = { organizationId: caller.organizationId, idOrToken: params.token };
        const id = await revokeInvitation(await writable(), which, caller);
        if (id === undefined) throw noSuch("invitation");
        return success({ id });
      },
      endpoint("Members", "Revoke an invitation", "By its id in the list, or by the token of its link."),
    )
    .post(
      "/v1/invitations",
      async ({ body, request }) => {
        const caller = callers.of(request);
        const order = {
          email: readEmail(body.email),
          role: readRole(body.role),
          organizationId: caller.organizationId,
          untilMs: caller.key.expiresAt,
        };
        const { token, ...made } = await invite(await writable(), order, caller);
        return success({
          ...made,
          token,
          link: `${publicOrigin(context.config) || calledOrigin(context.config, request)}/invitation/${token}`,
        });
      },
      {
        body: t.Object({ email: t.String({ maxLength: 320 }), role: ROLE }, { additionalProperties: false }),
        ...endpoint(
          "Members",
          "Invite somebody",
          "The link works once, for 72 hours or until the key expires that made it, and is shown only here.",
        ),
      },
    )
    .post(
      "/v1/invitations/:token",
      async ({ params, body, request }) => {
        refuseOtherSites(request, ownOrigin(context.config, request), false);
        checkPassword(body.password);
        const from = { address: calledFrom(request), requestId: null };
        const isTheirs = ({ email, password }: User) =>
          context.logins.failedPasswords.attempt(email, from.address, () => isPassword(body.password, password));
        return success(shownUser(await acceptInvitation(await writable(), params.token, { ...body, isTheirs }, from)));
      },
      {
        body: t.Object({ name: NAME, password: PASSWORD }, { additionalProperties: false }),
        ...endpoint("Members", "Accept an invitation", "An existing user gives their own password."),
      },
    );
}
