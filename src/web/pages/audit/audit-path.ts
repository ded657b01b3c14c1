/** The filters, by the names of the API's parameters; empty means all. */
export type AuditQuery = Readonly<Record<"actor" | "action" | "object" | "outcome" | "since" | "until", string>>;

/** The API's path of a page of entries. */
export function auditPath(filters: AuditQuery, limit: number, cursor: string | null): string {
  const query = new URLSearchParams({ limit: String(limit) });
  for (const [name, value] of Object.entries(filters)) if (value !== "") query.set(name, value);
  if (cursor !== null) query.set("cursor", cursor);
  return `/v1/audit?${query}`;
}
