import type { Arrival } from "../threads.ts";
import type { Storable } from "./storable.ts";

/**
 * Converts an imported record for storage.
 *
 * An export does not say whether a property's name had lost its case. A name without capitals is treated as if it had, so
 * that filters that found the record before find it again.
 */
export function toStorable({ row, bodies, texts }: Arrival, feedbackId: number): Storable {
  const properties = readNames(row.properties);
  const promptInputs = readNames(row.prompt_inputs);
  return {
    row: { ...row, feedback_id: row.feedback_id ?? (typeof row.feedback_rating === "number" ? feedbackId : null) },
    labels: {
      properties,
      promptInputs,
      erasedProperties: withoutCase(properties),
      erasedInputs: withoutCase(promptInputs),
    },
    parts: bodies.map(({ part, form, bytes }) => ({
      part,
      form,
      bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      contentType: null,
    })),
    texts,
    assets: [],
  };
}

function readNames(json: string | undefined): Record<string, string> {
  return JSON.parse(json ?? "{}") as Record<string, string>;
}

function withoutCase(names: Readonly<Record<string, string>>): ReadonlySet<string> {
  return new Set(Object.keys(names).filter((name) => name === name.toLowerCase()));
}

/** The entry for the audit log. */
export function importAct(arrivals: readonly Arrival[]) {
  const { organization_id: organizationId } = arrivals[0]!.row;
  const object = { kind: "records", id: "", name: "" };
  return { action: "records.imported", organizationId, object, after: { records: arrivals.length } } as const;
}
