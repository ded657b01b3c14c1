import { patiently } from "./database/patiently.ts";
import { ruleTable, type StoredRule } from "./rule-table.ts";
import type { Database } from "./store.ts";

/** What a view of the list of requests shows. Null is what the list shows by itself. */
export interface ViewTerms {
  readonly filter: unknown;
  /** Words that are searched for. */
  readonly search: string | null;
  readonly sort: Readonly<Record<string, "asc" | "desc">> | null;
  /** A span that ends now, such as `24h`; or else fixed moments, ISO 8601. */
  readonly range: string | null;
  readonly from: string | null;
  readonly to: string | null;
  /** In their order; a width is in pixels. */
  readonly columns: readonly { readonly id: string; readonly width?: number }[] | null;
}

export interface SavedView extends StoredRule {
  /** Whose it is: `key:<id>`. */
  readonly owner_id: string;
  readonly owner_name: string;
  readonly name: string;
  /** Whether everybody of the organization sees it. */
  readonly shared: boolean;
  readonly terms: ViewTerms;
}

const VIEWS_MAX = 2_000;

export const {
  list: listViews,
  find: findView,
  put: putView,
} = ruleTable<SavedView>("saved_views", {
  columns: ["id", "organization_id", "owner_id", "owner_name", "name", "shared", "terms", "created_at", "updated_at"],
  json: ["terms"],
  flags: ["shared"],
  max: VIEWS_MAX,
});

export async function removeView(records: Database, id: string): Promise<void> {
  await patiently(() => records.batch([{ sql: "delete from saved_views where id = ?", args: [id] }]));
}
