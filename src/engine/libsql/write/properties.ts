import { insertInto, insertRows, insertShared, SHARED_ROWS } from "../../../store/database/statements.ts";
import type { Statement, Value } from "../../../store/store.ts";
import type { Storable } from "../../storable.ts";

/** Columns that are equal for all properties of one name in a batch, and columns that differ by request. */
const SHARED = ["organization_id", "kind", "name", "case_erased"] as const;
const OWN = ["value", "request_created_at", "seq", "cost"] as const;
const CONFLICT = "on conflict do nothing";
const TOGETHER = insertShared({ table: "properties", shared: SHARED, own: OWN, conflict: CONFLICT });
const EACH = insertInto("properties", [...SHARED, ...OWN], CONFLICT);

/** Properties and prompt inputs of one batch of records. Those of one name are inserted together, and bind the name once. */
export class Properties {
  /** By the values they share. */
  readonly #named = new Map<string, { readonly shared: readonly Value[]; readonly own: Value[] }>();

  add({ row, labels }: Storable, seq: number): void {
    const { properties, erasedProperties, promptInputs, erasedInputs } = labels;
    const { organization_id: organization, request_created_at: time, cost = null } = row;
    for (const name in properties) {
      this.#of([organization, 0, name, erasedProperties.has(name) ? 1 : 0]).push(properties[name]!, time, seq, cost);
    }
    for (const name in promptInputs) {
      this.#of([organization, 1, name, erasedInputs.has(name) ? 1 : 0]).push(promptInputs[name]!, time, seq, cost);
    }
  }

  insert(into: Statement[]): void {
    const rest: Value[] = [];
    for (const { shared, own } of this.#named.values()) {
      let at = 0;
      for (const width = SHARED_ROWS * OWN.length; at + width <= own.length; at += width) {
        into.push({ sql: TOGETHER, args: [...shared, ...own.slice(at, at + width)], hasTypedNumbers: true });
      }
      for (; at < own.length; at += OWN.length) rest.push(...shared, ...own.slice(at, at + OWN.length));
    }
    insertRows(EACH, rest, into);
  }

  #of(shared: readonly Value[]): Value[] {
    const key = shared.join("\n");
    const named = this.#named.get(key) ?? { shared, own: [] };
    this.#named.set(key, named);
    return named.own;
  }
}
