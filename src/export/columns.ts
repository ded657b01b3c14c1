import { BODY_KINDS, type ColumnKind, RECORD_KINDS } from "../record/columns.ts";

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  /** Set for a column that shows one custom property. */
  readonly property?: string;
}

/** Signed addresses: they expire, and differ in each response. */
export const EXPIRING: ReadonlySet<string> = new Set(["signed_body_url", "asset_urls"]);

/**
 * The columns of a table, in their order: the known members, additional members of this service's records, properties.
 *
 * @param found - member names of a record from the service; a newer service may send more.
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
