import { eq } from "drizzle-orm";
import { savedViews } from "../record/tables.ts";
import { over } from "./database/builder.ts";
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

export const { list: listViews, find: findView, put: putView } = ruleTable<SavedView>(savedViews, { max: VIEWS_MAX });

export async function removeView(records: Database, id: string): Promise<void> {
  await patiently(() => over(records).delete(savedViews).where(eq(savedViews.id, id)));
}
