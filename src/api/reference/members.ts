/** The part of JSON Schema that bodies and parameters of endpoints use. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly description?: string;
  readonly [limit: string]: unknown;
}

/** One member of a body, as a row of a table. */
interface Member {
  /** With the members around it: `channels[].url`. */
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  /** Its meaning, and the bounds of its value. */
  readonly about: string;
}

/** Members of a body, outermost first, each after the one that contains it. */
export function membersOf(schema: JsonSchema, around = ""): Member[] {
  const inside = around === "" ? "" : `${around}.`;
  const named = Object.entries(schema.properties ?? {}).flatMap(([key, member]) =>
    memberWith(`${inside}${key}`, member, schema.required?.includes(key) ?? false),
  );
  const free = freeMember(schema);
  return [
    ...named,
    ...(free === undefined ? [] : memberWith(`${inside}<name>`, free, false)),
    ...(schema.anyOf ?? []).flatMap((each) => membersOf(each, around)),
    ...(schema.items === undefined ? [] : membersOf(schema.items, `${around}[]`)),
  ];
}

function memberWith(name: string, schema: JsonSchema, required: boolean): Member[] {
  const about = [schema.description ?? described(schema), boundsText(schema)].filter(Boolean).join(" ");
  return [{ name, type: typeText(schema), required, about }, ...membersOf(schema, name)];
}

/** The schema of members whose names the caller chooses. */
function freeMember({ additionalProperties, patternProperties }: JsonSchema): JsonSchema | undefined {
  if (typeof additionalProperties === "object") return additionalProperties;
  return Object.values(patternProperties ?? {})[0];
}

/** Of several variants, the first with a description describes all. */
const described = ({ anyOf }: JsonSchema) => anyOf?.find(({ description }) => description !== undefined)?.description;

/** The types of a value, in a few words: `text | null`. */
export function typeText(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(" | ");
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeText))].join(" | ");
  if (schema.items !== undefined) {
    const each = typeText(schema.items);
    return each.includes(" ") ? `(${each})[]` : `${each}[]`;
  }
  return [schema.type ?? "any"].flat().join(" | ");
}

const LIMITS: readonly (readonly [least: string, most: string, unit: string])[] = [
  ["minLength", "maxLength", " characters"],
  ["minItems", "maxItems", " items"],
  ["minimum", "maximum", ""],
];

function boundsText(schema: JsonSchema): string {
  const all = [schema, ...(schema.anyOf ?? [])];
  const texts = all.flatMap((each) =>
    LIMITS.flatMap(([least, most, unit]) => {
      const [from, to] = [each[least], each[most]];
      if (typeof from !== "number" && typeof to !== "number") return [];
      if (typeof to !== "number") return [`At least ${from}${unit}.`];
      return [typeof from === "number" ? `${from} to ${to}${unit}.` : `At most ${to}${unit}.`];
    }),
  );
  return [...new Set(texts)].join(" ");
}
