import { Elysia, t } from "elysia";
import { GatewayError } from "../../errors.ts";
import { isPassword } from "../../people/password.ts";
import { endLogin, listLogins } from "../../store/people/logins.ts";
import { findUser, hasPasswords, setPassword, shownUser } from "../../store/people/users.ts";
import { calledFrom } from "../access/addresses.ts";
import { may } from "../access/caller.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { checkPassword, noSuch, PASSWORD } from "../people/bodies.ts";

/** The ways to log in, the caller's log-ins, and their password. */
export function loginEndpoints(context: ApiContext, callers: Callers) {
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
        body: t.Object({ current: t.Optional(PASSWORD), password: PASSWORD }, { additionalProperties: false }),
        ...endpoint("Session", "Set one's password", "Ends one's other log-ins."),
      },
    );
}
