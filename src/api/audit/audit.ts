import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { GatewayError } from "../../errors.ts";
import { ACTIONS } from "../../people/actions.ts";
import { readIsoTime } from "../../record/iso-time.ts";
import { listAudit } from "../../store/audit/list.ts";
import { findOrganization } from "../../store/people/organizations.ts";
import { type Caller, may } from "../access/caller.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { PAGE_QUERY, readPage } from "../input/page-query.ts";

const text = (description: string) => Type.String({ maxLength: 300, description });
const QUERY = {
  actor: text("Id, name or kind (user, key, cli, plugin, system) of the actor."),
  action: text("One of the actions, or a group of them such as `key.*`."),
  object: text("Id, name or kind of the object."),
  outcome: text("`done` or `refused`."),
  since: text("ISO 8601 time of the oldest entry."),
  until: text("ISO 8601 time; only entries before it."),
  organization: text("Id or name. By default an operator gets all entries, others those of their organization."),
  cursor: text("`next_cursor` of the previous page."),
  limit: PAGE_QUERY.limit,
};

/** The audit log, read-only: no endpoint changes or deletes an entry. */
export function auditEndpoints(context: ApiContext, callers: Callers) {
  return new Elysia().get(
    "/v1/audit",
    async ({ request }) => {
      const query = new URL(request.url).searchParams;
      const unknown = [...query.keys()].find((name) => !Object.hasOwn(QUERY, name));
      if (unknown !== undefined) {
        const message = `unknown parameter ${JSON.stringify(unknown.slice(0, 100))}; known: ${Object.keys(QUERY).join(", ")}`;
        throw new GatewayError("invalid_body", message, { path: unknown.slice(0, 100) });
      }
      const given = (name: string) => query.get(name) || undefined;
      const filter = {
        organizationId: await organizationOf(context, callers.of(request), given("organization")),
        ...{ actor: given("actor"), action: given("action"), object: given("object"), outcome: given("outcome") },
        ...{ since: readTime("since", given("since")), until: readTime("until", given("until")) },
      };
      const page = {
        limit: readPage(request).limit,
        cursor: given("cursor"),
        deadlineMs: context.config.query_timeout_seconds * 1_000,
      };
      const { entries, nextCursor } = await listAudit(context.current.records, filter, page);
      return success(entries, {}, { next_cursor: nextCursor });
    },
    endpoint(
      "Audit",
      "List the audit log",
      `What was done and refused, the newest first. Actions: ${Object.keys(ACTIONS).join(", ")}.`,
      { query: QUERY },
    ),
  );
}

/** @throws GatewayError `not_found` for an organization that is not the caller's. */
async function organizationOf(
  context: ApiContext,
  caller: Caller,
  named: string | undefined,
): Promise<string | undefined> {
  if (named === undefined) return may(caller, "operator") ? undefined : caller.organizationId;
  const found = await findOrganization(context.home.reader.records, named);
  // The entries of a removed organization stay, under its id.
  if (may(caller, "operator")) return found?.id ?? named;
  if (found?.id === caller.organizationId) return found.id;
  throw new GatewayError("not_found", "there is no organization with this id or name", { path: "organization" });
}

function readTime(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const time = readIsoTime(given);
  if (time !== undefined) return time;
  const message = `${name}: give an ISO 8601 time such as 2026-01-31 or 2026-01-31T12:00:00Z`;
  throw new GatewayError("invalid_body", message, { path: name });
}
