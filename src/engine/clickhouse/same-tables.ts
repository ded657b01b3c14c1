import { GatewayError } from "../../errors.ts";
import { isMissing } from "./failure.ts";

/** Asks for what tells the tables of a server from those of another; no row where there are none. */
export const TABLE_ID =
  "select toString(uuid) as id from system.tables where database = currentDatabase() and name = 'requests'";

/**
 * Servers without a cluster do not copy from each other. Two addresses may lead to one server, or to a storage that servers
 * share; otherwise the records would be dealt out between them, and no query would see them all.
 */
export class SameTables {
  #first: { readonly id: string; readonly origin: string } | undefined;
  readonly #checked = new Set<string>();

  /** @throws GatewayError `database_unavailable` where the server holds other tables than the one that was asked first. */
  async check(origin: string, tableId: () => Promise<string>): Promise<void> {
    if (this.#checked.has(origin)) return;
    const id = (await tableId().catch(noneIfMissing)).trim();
    if (id === "" && this.#first === undefined) return; // they are made by this statement, or one that comes soon
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
