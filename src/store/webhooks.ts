import { uuidv7 } from "../runtime/uuid.ts";
import { patiently } from "./patiently.ts";
import { createSecret } from "./signing.ts";
import type { Database } from "./store.ts";
import type { WebhookRule } from "./webhook-rule.ts";

/** Somebody who is told of every finished request. */
export interface Webhook extends Required<WebhookRule> {
  readonly id: string;
  readonly organization_id: string;
  readonly created_at: number;
  readonly updated_at: number;
}

/** An organization has so many at most: each is looked at for every request. */
export const WEBHOOKS_MAX = 100;

/** As it is stored: lists are JSON text. */
type WebhookRow = Omit<Webhook, "property_filters" | "fields" | "include_body" | "enabled"> & {
  readonly property_filters: string;
  readonly fields: string;
  readonly include_body: number;
  readonly enabled: number;
};

const COLUMNS = [
  ...["id", "organization_id", "name", "url", "secret", "property_filters", "sample_rate", "fields"],
  ...["include_body", "enabled", "created_at", "updated_at"],
] as readonly (keyof WebhookRow)[];

/** Of one organization, or of all; the oldest first. */
export async function listWebhooks(records: Database, organizationId?: string): Promise<Webhook[]> {
  const sql = "select * from webhooks where ?1 is null or organization_id = ?1 order by created_at, id";
  return (await records.query<WebhookRow>({ sql, args: [organizationId ?? null] })).map(toWebhook);
}

/** Differs from before where a webhook was made, changed or removed. */
export async function webhooksFingerprint(records: Database): Promise<string> {
  const sql = "select count(*) || ' ' || coalesce(max(updated_at), 0) as fingerprint from webhooks";
  return (await records.query<{ fingerprint: string }>({ sql, args: [] }))[0]!.fingerprint;
}

export async function findWebhook(
  records: Database,
  id: string,
  organizationId?: string,
): Promise<Webhook | undefined> {
  const sql = "select * from webhooks where id = ?1 and (?2 is null or organization_id = ?2)";
  const [row] = await records.query<WebhookRow>({ sql, args: [id, organizationId ?? null] });
  return row && toWebhook(row);
}

/** Stores a webhook, a new one or in place of `previous`, whose secret it keeps unless the rule has one. */
export async function putWebhook(
  records: Database,
  organizationId: string,
  rule: WebhookRule,
  previous?: Webhook,
): Promise<Webhook> {
  const now = Date.now();
  const webhook: Webhook = {
    ...rule,
    secret: rule.secret ?? previous?.secret ?? createSecret(),
    id: previous?.id ?? uuidv7(),
    organization_id: organizationId,
    created_at: previous?.created_at ?? now,
    // Later than before also within a millisecond: whoever watches for changes sees this one.
    updated_at: Math.max(now, (previous?.updated_at ?? 0) + 1),
  };
  const sets = COLUMNS.filter((name) => name !== "id").map((name) => `${name} = excluded.${name}`);
  const sql = `insert into webhooks (${COLUMNS.join(", ")}) values (${COLUMNS.map(() => "?").join(", ")})
    on conflict (id) do update set ${sets.join(", ")}`;
  const row = toRow(webhook);
  await patiently(() => records.batch([{ sql, args: COLUMNS.map((name) => row[name]) }]));
  return webhook;
}

/** Removes a webhook and all that is still to be delivered to it. */
export async function removeWebhook(records: Database, id: string): Promise<void> {
  const statements = ["delete from deliveries where source_id = ?", "delete from webhooks where id = ?"];
  await patiently(() => records.batch(statements.map((sql) => ({ sql, args: [id] }))));
}

function toRow(webhook: Webhook): WebhookRow {
  return {
    ...webhook,
    property_filters: JSON.stringify(webhook.property_filters),
    fields: JSON.stringify(webhook.fields),
    include_body: Number(webhook.include_body),
    enabled: Number(webhook.enabled),
  };
}

function toWebhook(row: WebhookRow): Webhook {
  return {
    ...row,
    property_filters: JSON.parse(row.property_filters),
    fields: JSON.parse(row.fields),
    include_body: row.include_body === 1,
    enabled: row.enabled === 1,
  };
}
