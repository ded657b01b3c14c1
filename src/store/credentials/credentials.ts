import { and, count, eq, max, sql } from "drizzle-orm";
import type { StoredCredential } from "../../credentials/stored.ts";
import { GatewayError } from "../../errors.ts";
import { MASKED } from "../../masking/mask.ts";
import type { Act } from "../../people/actions.ts";
import type { Acting } from "../../people/actor.ts";
import { isoTime } from "../../record/iso-time.ts";
import { credentials } from "../../record/tables.ts";
import { record, recorded } from "../audit/recorded.ts";
import { ifGiven, over } from "../database/builder.ts";
import type { Database } from "../store.ts";

/** Maximum per organization: each request of the unified address checks all credentials of a provider. */
const CREDENTIALS_MAX = 1_000;

/** Of one organization, or all; in the order in which they were added. */
export async function listCredentials(records: Database, organizationId?: string): Promise<StoredCredential[]> {
  const rows = over(records)
    .select()
    .from(credentials)
    .where(ifGiven(credentials.organization_id, organizationId))
    .orderBy(credentials.created_at, sql`rowid`);
  return (await rows) as StoredCredential[];
}

/** Changes when a credential is added, changed or removed. */
export async function credentialsFingerprint(records: Database): Promise<string> {
  const changed = credentials.updated_at;
  const sums = { n: count(), last: sql`max(rowid)`, changed: max(changed), sum: sql`total(${changed})` };
  return JSON.stringify(await over(records).select(sums).from(credentials));
}

/** @throws GatewayError `duplicate_name`, or `invalid_body` when there are too many. */
export async function addCredential(records: Database, credential: StoredCredential, by: Acting): Promise<void> {
  const { id, organization_id, name } = credential;
  const own = await listCredentials(records, organization_id);
  if (own.length >= CREDENTIALS_MAX)
    throw new GatewayError("invalid_body", `there are ${CREDENTIALS_MAX} credentials already: remove one first`);
  const insert = over(records).insert(credentials).values(credential).onConflictDoNothing();
  const act = { ...actOf("credential.created", credential), after: shownTerms(credential) };
  await record(records, { statements: [insert], by, acts: [act], ifChanged: true });
  const kept = await over(records).select().from(credentials).where(named(organization_id, name)).get();
  if (kept?.id !== id)
    throw new GatewayError("duplicate_name", `there is a credential "${name}" already; take another name`, {
      path: "name",
    });
}

/**
 * Replaces a credential whose current state is `previous`.
 *
 * @throws GatewayError `database_unavailable` when another program has changed it meanwhile: the caller retries.
 */
export async function changeCredential(
  records: Database,
  previous: StoredCredential,
  { secrets, terms }: Pick<StoredCredential, "secrets" | "terms">,
  by: Acting,
): Promise<StoredCredential> {
  // Always increases, even within a millisecond, so that watchers notice this change.
  const updatedAt = Math.max(Date.now(), previous.updated_at + 1);
  const change = over(records)
    .update(credentials)
    .set({ secrets, terms, updated_at: updatedAt })
    .where(and(eq(credentials.id, previous.id), eq(credentials.updated_at, previous.updated_at)));
  const after = shownTerms({ ...previous, secrets, terms });
  const act = { ...actOf("credential.changed", previous), before: shownTerms(previous), after };
  await record(records, { statements: [change], by, acts: [act], ifChanged: true });
  const now = (await listCredentials(records, previous.organization_id)).find(({ id }) => id === previous.id);
  if (now === undefined) throw new GatewayError("not_found", `the credential "${previous.name}" was removed meanwhile`);
  if (now.updated_at !== updatedAt)
    throw new GatewayError(
      "database_unavailable",
      `the credential "${previous.name}" was changed meanwhile; try again`,
    );
  return now;
}

/** @returns whether it existed. */
export async function removeCredential(
  records: Database,
  organizationId: string,
  name: string,
  by: Acting,
): Promise<boolean> {
  const own = await listCredentials(records, organizationId);
  const known = own.find((credential) => credential.name === name);
  if (known === undefined) return false;
  const act = { ...actOf("credential.removed", known), before: shownTerms(known) };
  await recorded(records, [over(records).delete(credentials).where(named(organizationId, name))], by, act);
  return true;
}

const named = (organizationId: string, name: string) =>
  and(eq(credentials.organization_id, organizationId), eq(credentials.name, name));

function actOf(action: Act["action"], { id, organization_id, name }: StoredCredential): Act {
  return { action, organizationId: organization_id, object: { kind: "credential", id, name } };
}

/** Shows when each secret was set and its last characters, so that a change is visible. Headers may hold keys of a proxy. */
function shownTerms({ provider, terms, secrets }: StoredCredential) {
  const set = Object.entries(secrets).map(([member, { set_at, last4 }]) => ({
    member,
    set_at: isoTime(set_at),
    last4,
  }));
  const headers = Object.fromEntries(Object.keys(terms.headers).map((name) => [name, MASKED]));
  return { provider, ...terms, headers, set };
}
