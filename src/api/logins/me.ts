import { Elysia } from "elysia";
import type { Permission, Role } from "../../people/permissions.ts";
import { organizationName } from "../../store/people/organization-names.ts";
import { findUser, membershipsOf } from "../../store/people/users.ts";
import type { Caller } from "../access/caller.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";

/** The caller: the response of `GET /v1/me`. */
export interface Me {
  readonly kind: "user" | "key";
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  /** The organization that this request acts in. */
  readonly organization: { readonly id: string; readonly name: string };
  /** Those that the caller may act in, each with the role there; for a key only its own, without a role. */
  readonly organizations: readonly { readonly id: string; readonly name: string; readonly role: Role | null }[];
  readonly role: Role | null;
  readonly permissions: readonly Permission[];
}

export function meEndpoints(context: ApiContext, callers: Callers) {
  return new Elysia().get(
    "/v1/me",
    async ({ request }) => success(await meOf(context, callers.of(request))),
    endpoint("Session", "Read the caller and its permissions"),
  );
}

async function meOf({ home }: ApiContext, caller: Caller): Promise<Me> {
  const { key, organizationId: id, permissions } = caller;
  const organization = { id, name: (await organizationName(home.reader.records, id)) ?? id };
  const { user } = caller;
  if (user !== undefined) {
    const known = await findUser(home.reader.records, "id", user.id);
    const organizations = known === undefined ? [] : await membershipsOf(home.reader.records, known);
    const own = { id: user.id, name: user.name, email: user.email, role: user.role };
    return { kind: "user", ...own, organization, organizations, permissions };
  }
  const organizations = [{ ...organization, role: null }];
  return { kind: "key", id: key.id, name: key.name, email: null, organization, organizations, role: null, permissions };
}
