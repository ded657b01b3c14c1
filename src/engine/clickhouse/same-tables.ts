import { GatewayError } from "../../errors.ts";
import { isMissing } from "./failure.ts";

/** Queries an id that differs between the tables of different servers; no row when there are no tables. */
export const TABLE_ID =
  "select toString(uuid) as id from system.tables where database = currentDatabase() and name = 'requests'";

/**
 * Servers without a cluster do not replicate. Several addresses may lead to one server, or to storage that servers share;
 * otherwise the records would be split between servers, and no query would see all of them.
 */
export class SameTables {
  #first: { readonly id: string; readonly origin: string } | undefined;
  readonly #checked = new Set<string>();

  /** @throws GatewayError `database_unavailable` when the server has different tables from the first one checked. */
  async check(origin: string, tableId: () => Promise<string>): Promise<void> {
    if (this.#checked.has(origin)) return;
    const id = (await tableId().catch(noneIfMissing)).trim();
    if (id === "" && this.#first === undefined) return; // this statement, or a later one, creates the tables
    this.#first ??= { id, origin };
    if (id !== this.#first.id)
      throw new GatewayError(
        "database_unavailable",
        `${origin} holds other tables than ${this.#first.origin}: set records_cluster, or name one server in records_url`,
      );
    this.#checked.add(origin);
  }
}

function noneIfMissing(error: unknown): string {
  if (isMissing(error)) return "";
  throw error;
}
