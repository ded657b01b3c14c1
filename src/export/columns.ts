import { BODY_KINDS, type Kind, RECORD_KINDS } from "../record/columns.ts";

export interface Column {
  readonly name: string;
  readonly kind: Kind;
  /** Set for a column that shows one custom property. */
  readonly property?: string;
}

/** Signed addresses: they expire, and differ each time they are asked for. */
export const EXPIRING: ReadonlySet<string> = new Set(["signed_body_url", "asset_urls"]);

/**
 * The columns of a table, in their order: the record's names, names that only this service's records have, properties.
 *
 * @param found - member names of a record as the service sends it now; a newer one may send more than we know.
 * @param properties - names of custom properties, in any order.
 */
export function tableColumns(found: readonly string[], properties: readonly string[], includeBody: boolean): Column[] {
  const known = { ...RECORD_KINDS, ...(includeBody ? BODY_KINDS : {}) };
  const more = found.filter(
    (name) => !Object.hasOwn(known, name) && !Object.hasOwn(BODY_KINDS, name) && !EXPIRING.has(name),
  );
  return [
    ...Object.entries(known).map(([name, kind]) => ({ name, kind })),
    ...more.map((name) => ({ name, kind: "json" as const })),
    ...[...new Set(properties)].sort().map((property) => ({
      name: `property:${property}`,
      kind: "text" as const,
      property,
    })),
  ];
}
