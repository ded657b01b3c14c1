import { Elysia, t } from "elysia";
import { GatewayError } from "../../errors.ts";
import { isPassword, whyWeak } from "../../people/password.ts";
import { publicOrigin } from "../../sso/provider.ts";
import { acceptInvitation, invite, listInvitations, revokeInvitation } from "../../store/people/invitations.ts";
import { endLogin, listLogins } from "../../store/people/logins.ts";
import { listMembers, MEMBER_ROLES, putMember, readRole, removeMember } from "../../store/people/members.ts";
import { changeOrganization, createOrganization, shownOrganizations } from "../../store/people/organizations.ts";
import {
  changeUser,
  findUser,
  hasPasswords,
  listUsers,
  readEmail,
  removeUser,
  setPassword,
  shownUser,
  type User,
} from "../../store/people/users.ts";
import { calledFrom } from "../access/addresses.ts";
import { calledOrigin, ownOrigin } from "../access/called-origin.ts";
import { may } from "../access/caller.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { deleteOrganization } from "./delete-organization.ts";
import { refuseOtherSites } from "./logins.ts";

const strict = { additionalProperties: false };
const NAME = t.String({ minLength: 1, maxLength: 200, pattern: "\\S" });
const ROLE = t.String({ description: `One of ${MEMBER_ROLES.join(", ")}.` });
const PASSWORD = t.String({ minLength: 1, maxLength: 1_000 });
const DAYS = t.Union([t.Number({ minimum: 0, maximum: 36_500, multipleOf: 1 }), t.Null()]);

/** Users, members, invitations, organizations, and the caller's own log-ins and password. */
export function peopleEndpoints(context: ApiContext, callers: Callers) {
  return new Elysia()
    .use(loginEndpoints(context, callers))
    .use(memberEndpoints(context, callers))
    .use(invitationEndpoints(context, callers))
    .use(userEndpoints(context, callers))
    .use(organizationEndpoints(context, callers));
}

const noSuch = (what: string) => new GatewayError("not_found", `there is no ${what} with this id`);

/** @throws GatewayError `invalid_body` if it is too short or too common. */
function checkPassword(password: string): void {
  const why = whyWeak(password);
  if (why !== undefined) throw new GatewayError("invalid_body", `password: ${why}`, { path: "password" });
}

function loginEndpoints(context: ApiContext, callers: Callers) {
  const { records } = context.home.reader;
  const writable = async () => (await context.home.writer()).records;
  return new Elysia()
    .get(
      "/v1/login",
      async () => {
        const { key_login } = context.config;
        // If no user has a password, this method cannot work.
        const local_login = context.config.local_login && (await hasPasswords(records));
        const local = { kind: "local", name: "local", label: "E-mail and password", start: "/v1/session" };
        const key = { kind: "key", name: "key", label: "Service key", start: "/v1/session" };
        return success({
          methods: [...context.sso.methods, ...(local_login ? [local] : []), ...(key_login ? [key] : [])],
        });
      },
      endpoint("Session", "List the ways to log in"),
    )
    .get(
      "/v1/sessions",
      async ({ request }) => {
        const caller = callers.of(request);
        const own = caller.user === undefined ? { keyId: caller.key.id } : { userId: caller.user.id };
        const current = callers.loginOf(request)?.id;
        const ofOwn = await listLogins(records, own, current);
        if (!may(caller, "admin")) return success(ofOwn);
        // An operator need not be a member.
        const others = await listLogins(records, { organizationId: caller.organizationId }, current);
        return success([...ofOwn, ...others.filter(({ id }) => !ofOwn.some((each) => each.id === id))]);
      },
      endpoint("Session", "List log-ins", "One's own; with `admin` those of the organization's members and keys."),
    )
    .delete(
      "/v1/sessions/:id",
      async ({ params, request }) => {
        const caller = callers.of(request);
        const { organizationId } = caller;
        const own = caller.user === undefined ? { keyId: caller.key.id } : { userId: caller.user.id };
        const reached = [
          ...(await listLogins(records, own)),
          ...(may(caller, "admin") ? await listLogins(records, { organizationId }) : []),
        ];
        const found = reached.find(({ id }) => id === params.id);
        if (found === undefined) throw noSuch("log-in");
        await endLogin(await writable(), { id: found.id, organization_id: organizationId }, caller, "session.ended");
        return success({ id: found.id });
      },
      endpoint("Session", "End a log-in"),
    )
    .post(
      "/v1/me/password",
      async ({ body, request }) => {
        const caller = callers.of(request);
        const user = caller.user && (await findUser(records, "id", caller.user.id));
        if (user === undefined) throw new GatewayError("invalid_body", "a service key has no password");
        const { failedPasswords } = context.logins;
        const isTheirs = () => isPassword(body.current ?? "", user.password);
        if (user.password !== null && !(await failedPasswords.attempt(user.email, calledFrom(request), isTheirs)))
          throw new GatewayError("invalid_auth", "this is not the current password", { path: "current" });
        checkPassword(body.password);
        await setPassword(
          await writable(),
          user,
          { password: body.password, keptLogin: callers.loginOf(request)?.id },
          caller,
        );
        return success(shownUser(user));
      },
      {
        body: t.Object({ current: t.Optional(PASSWORD), password: PASSWORD }, strict),
        ...endpoint("Session", "Set one's password", "Ends one's other log-ins."),
      },
    );
}

function memberEndpoints(context: ApiContext, callers: Callers) {
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
      { body: t.Object({ role: ROLE }, strict), ...endpoint("Members", "Change a member's role") },
    )
    .delete(
      "/v1/members/:id",
      async ({ params, request }) => {
        const caller = callers.of(request);
        if (!(await removeMember(await writable(), caller.organizationId, params.id, caller))) throw noSuch("member");
        await context.keys.spread();
        return success({ user_id: params.id });
      },
      endpoint("Members", "Remove a member", "Their keys of the organization stop."),
    );
}

function invitationEndpoints(context: ApiContext, callers: Callers) {
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
        };
        const { token, ...made } = await invite(await writable(), order, caller);
        return success({
          ...made,
          token,
          link: `${publicOrigin(context.config) || calledOrigin(context.config, request)}/invitation/${token}`,
        });
      },
      {
        body: t.Object({ email: t.String({ maxLength: 320 }), role: ROLE }, strict),
        ...endpoint("Members", "Invite somebody", "The link works once, for 72 hours, and is shown only here."),
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
        body: t.Object({ name: NAME, password: PASSWORD }, strict),
        ...endpoint("Members", "Accept an invitation", "Who is a user here already gives their own password."),
      },
    );
}

function userEndpoints(context: ApiContext, callers: Callers) {
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
          strict,
        ),
        ...endpoint("Users", "Change a user", "One who is disabled is logged out, and their keys stop."),
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

function organizationEndpoints(context: ApiContext, callers: Callers) {
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
      { body: t.Object({ name: NAME }, strict), ...endpoint("Organizations", "Make an organization") },
    )
    .patch(
      "/v1/organizations/:id",
      async ({ params, body, request }) => {
        const changed = await changeOrganization(await writable(), params.id, body, callers.of(request));
        if (changed === undefined) throw noSuch("organization");
        return success(changed);
      },
      {
        body: t.Object({ name: t.Optional(NAME), max_key_days: t.Optional(DAYS) }, strict),
        ...endpoint("Organizations", "Rename an organization, or bound its keys"),
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
          strict,
        ),
        ...endpoint(
          "Organizations",
          "Delete an organization with all it has",
          "The body repeats its name. One call deletes records for some seconds and returns how many remain; call again until `done`. With `export` the records are in `exported` first, a file in the data directory that `weir import` reads.",
        ),
      },
    );
}
