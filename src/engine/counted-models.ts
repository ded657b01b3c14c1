import { MODEL_LENGTH_MAX } from "../mapping/prices/own.ts";
import { providerOf } from "../record/provider.ts";
import type { RequestRow } from "../record/written-row.ts";
import type { Statement } from "../store/store.ts";

interface Count {
  readonly row: RequestRow;
  count: number;
  since: number;
  mapped: boolean;
}

/**
 * Models used in a batch, to be counted in the same transaction. Only successful responses count, and only plausible model
 * names.
 */
export class CountedModels {
  readonly #counts = new Map<string, Count>();

  add(row: RequestRow): void {
    const status = row.response_status ?? 0;
    if (row.model === null || row.model === undefined || status < 200 || status > 299) return;
    if (row.model.length > MODEL_LENGTH_MAX) return;
    const key = `${row.organization_id}\n${providerOf(row)}\n${row.model}`;
    const known = this.#counts.get(key);
    const mapped = row.wire_schema !== null;
    if (known === undefined) {
      this.#counts.set(key, { row, count: 1, since: row.request_created_at, mapped });
      return;
    }
    known.count++;
    known.since = Math.min(known.since, row.request_created_at);
    known.mapped ||= mapped;
  }

  statements(): Statement[] {
    return [...this.#counts.values()].map(({ row, count, since, mapped }) => ({
      sql: `insert into models (organization_id, provider, model, state, count, since) values (?, ?, ?, ?, ?, ?)
        on conflict (organization_id, provider, model) do update set count = count + excluded.count,
        since = min(since, excluded.since),
        state = case when excluded.state = 'mapped' then 'mapped' else state end,
        reason = case when excluded.state = 'mapped' then null else reason end`,
      args: [row.organization_id, providerOf(row), row.model ?? "", mapped ? "mapped" : "pending", count, since],
    }));
  }
}
