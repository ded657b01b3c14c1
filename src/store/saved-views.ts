import { eq } from "drizzle-orm";
import { savedViews } from "../record/tables.ts";
import { over } from "./database/builder.ts";
import { patiently } from "./database/while-locked.ts";
import { ruleTable, type StoredRule } from "./rule-table.ts";
import type { Database } from "./store.ts";

/** Settings of a view of the request list. Null means the default of the list. */
export interface ViewTerms {
  readonly filter: unknown;
  /** Search words. */
  readonly search: string | null;
  readonly sort: Readonly<Record<string, "asc" | "desc">> | null;
  /** A time range that ends now, such as `24h`; otherwise `from` and `to` are fixed, ISO 8601. */
  readonly range: string | null;
  readonly from: string | null;
  readonly to: string | null;
  /** In display order; widths in pixels. */
  readonly columns: readonly { readonly id: string; readonly width?: number }[] | null;
}

export interface SavedView extends StoredRule {
  /** The owner: `key:<id>`. */
  readonly owner_id: string;
  readonly owner_name: string;
  readonly name: string;
  /** Whether every user of the organization sees it. */
  readonly shared: boolean;
  readonly terms: ViewTerms;
}

const VIEWS_MAX = 2_000;

export const { list: listViews, find: findView, put: putView } = ruleTable<SavedView>(savedViews, { max: VIEWS_MAX });

export async function removeView(records: Database, id: string): Promise<void> {
  await patiently(() => over(records).delete(savedViews).where(eq(savedViews.id, id)));
}
