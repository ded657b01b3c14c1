import type { Arrival } from "../../../threads.ts";
import type { Storable } from "../../storable.ts";

/**
 * A record from outside as it goes into the database under the number `seq`.
 *
 * Whether a property's name had lost its case is not told by an export: a name without any capital counts as one that
 * had, so that a filter which found the record before finds it again.
 */
export function toStorable({ row, bodies, texts }: Arrival, seq: number): Storable {
  const properties = readNames(row.properties);
  const promptInputs = readNames(row.prompt_inputs);
  return {
    row: { ...row, feedback_id: row.feedback_id ?? (typeof row.feedback_rating === "number" ? seq : null) },
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
