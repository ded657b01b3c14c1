import { createHash } from "node:crypto";
import type { Storable } from "../engine/storable.ts";
import { type PropertyName, propertyName } from "../filter/property-names.ts";
import { parseJson } from "../mapping/events/json.ts";
import { enqueue } from "../store/deliveries/deliveries.ts";
import type { Database, Statement } from "../store/store.ts";
import { REQUEST_EVENT } from "../store/webhooks/webhook-rule.ts";
import { listWebhooks } from "../store/webhooks/webhooks.ts";

interface Rule {
  readonly id: string;
  readonly filters: readonly { readonly name: PropertyName; readonly value: string | undefined }[];
  /** Percent. */
  readonly sampleRate: number;
}

/** The webhooks of all organizations, in memory: a record without a webhook costs one map lookup. */
export class WebhookRules {
  #rules: ReadonlyMap<string, readonly Rule[]> = new Map();

  /** Reloads all of them. */
  async load(records: Database): Promise<void> {
    const enabled = (await listWebhooks(records)).filter(
      ({ enabled, events }) => enabled && events.includes(REQUEST_EVENT),
    );
    const rules = new Map<string, Rule[]>();
    for (const { organization_id, id, sample_rate, property_filters } of enabled) {
      const filters = property_filters.map(({ name, value }) => ({ name: propertyName(name), value }));
      rules.set(organization_id, [...(rules.get(organization_id) ?? []), { id, filters, sampleRate: sample_rate }]);
    }
    this.#rules = rules;
  }

  /**
   * The deliveries that finished records cause. The statements belong in the records' transaction, so that none is lost. A
   * request is delivered to a webhook once, however often it is read. A failed attempt is reported as part of its request.
   */
  deliveriesOf(records: readonly Storable[], now: number): Statement[] {
    if (this.#rules.size === 0) return [];
    return records.flatMap((record) => {
      const { organization_id, request_id, attempt_of } = record.row;
      const rules = attempt_of == null ? this.#rules.get(organization_id) : undefined;
      if (rules === undefined) return [];
      const share = shareOf(request_id);
      const properties = parseJson(record.row.properties ?? "{}") ?? {};
      const hasAll = ({ filters }: Rule) => filters.every(({ name, value }) => has(record, properties, name, value));
      return rules
        .filter((rule) => share < rule.sampleRate && hasAll(rule))
        .map(({ id }) =>
          enqueue(
            {
              id: `msg_${createHash("sha256").update(`${id}\n${request_id}`).digest("hex").slice(0, 32)}`,
              organization_id,
              kind: "request",
              source_id: id,
              endpoint_id: id,
              subject_id: request_id,
              payload: null,
            },
            now,
          ),
        );
    });
  }
}

/** From 0 to less than 100; constant for a request id, for every webhook. */
export function shareOf(requestId: string): number {
  return (createHash("sha256").update(requestId).digest().readUInt32BE() / 2 ** 32) * 100;
}

function has(
  { labels }: Storable,
  properties: Readonly<Record<string, unknown>>,
  { exact, erased }: PropertyName,
  value: string | undefined,
): boolean {
  const own = Object.hasOwn(properties, exact) ? properties[exact] : undefined;
  const lost =
    erased !== undefined && labels.erasedProperties.has(erased) && Object.hasOwn(properties, erased)
      ? properties[erased]
      : undefined;
  const found = own ?? lost;
  return found !== undefined && (value === undefined || found === value);
}
