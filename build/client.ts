import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Description, Operation } from "../src/api/reference/openapi.ts";

/**
 * Writes the types of `packages/client` from the API's description: `bun build/client.ts`.
 *
 * Existing generators need the compiler API of TypeScript 5, which TypeScript 7 does not have.
 */
const FILE = join(import.meta.dir, "../packages/client/api.d.ts");

/** The part of JSON Schema that the API uses. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly description?: string;
}

const WORDS: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

export function typeOf(schema: Schema, indent = ""): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1)!;
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((each) => JSON.stringify(each)));
  if (schema.anyOf !== undefined) return union(schema.anyOf.map((each) => typeOf(each, indent)));
  if (schema.allOf !== undefined) return schema.allOf.map((each) => `(${typeOf(each, indent)})`).join(" & ");
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type }, indent)));
  if (schema.type === "array") return `readonly (${typeOf(schema.items ?? {}, indent)})[]`;
  if (schema.type === "object") return objectOf(schema, indent);
  return WORDS[String(schema.type)] ?? "unknown";
}

const union = (types: readonly string[]) => {
  const all = [...new Set(types)];
  return all.includes("unknown") ? "unknown" : all.join(" | ");
};

function objectOf(schema: Schema, indent: string): string {
  const { properties = {}, required = [], additionalProperties, patternProperties = {} } = schema;
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, member]) => {
    const said =
      member.description === undefined ? "" : `${inner}/** ${member.description.replaceAll("*/", "*\\/")} */\n`;
    const mark = required.includes(name) ? "" : "?";
    return `${said}${inner}readonly ${nameOf(name)}${mark}: ${typeOf(member, inner)};`;
  });
  const [pattern] = Object.values(patternProperties);
  const free = typeof additionalProperties === "object" ? additionalProperties : pattern;
  // An index signature must also allow the types of the named members.
  if (free !== undefined)
    lines.push(`${inner}readonly [name: string]: ${lines.length > 0 ? "unknown" : typeOf(free, inner)};`);
  else if (additionalProperties === true) lines.push(`${inner}readonly [name: string]: unknown;`);
  return lines.length === 0 ? "Nothing" : `{\n${lines.join("\n")}\n${indent}}`;
}

const nameOf = (name: string) => (/^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name));

/** JSON responses and bodies; text, streams and files have no entry. */
function entryOf(name: string, { summary, parameters, requestBody, responses }: Operation): string | undefined {
  const response = jsonOf((responses["200"] as { content?: Content }).content);
  const body = jsonOf(requestBody?.content);
  if (response === undefined || (requestBody !== undefined && body === undefined)) return undefined;
  const of = (place: "path" | "query") =>
    objectOf(
      {
        properties: Object.fromEntries(
          parameters.filter((each) => each.in === place).map((each) => [each.name, each.schema as Schema]),
        ),
        required: parameters.filter((each) => each.in === place && each.required).map((each) => each.name),
      },
      "    ",
    );
  const data = response.$ref === undefined ? response.properties?.["data"] : undefined;
  const bodyMark = requestBody?.required === false ? "?" : "";
  return `  /** ${summary} */
  readonly ${JSON.stringify(name)}: {
    readonly path: ${of("path")};
    readonly query: ${of("query")};
    readonly body${bodyMark}: ${body === undefined ? "undefined" : typeOf(body, "    ")};
    readonly data: ${data === undefined ? "unknown" : typeOf(data, "    ")};
  };`;
}

type Content = Readonly<Record<string, { readonly schema: unknown }>>;
const jsonOf = (content: Content | undefined) => content?.["application/json"]?.schema as Schema | undefined;

/** The content of the file. */
export function clientTypes({ paths, components }: Description): string {
  const { schemas } = components as { readonly schemas: Readonly<Record<string, Schema>> };
  const named = Object.entries(schemas)
    .filter(([name]) => name !== "Success" && name !== "Failure")
    .map(([name, schema]) => `export interface ${name} ${objectOf(schema, "")}`);
  const entries = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => entryOf(`${method.toUpperCase()} ${path}`, operation)),
  );
  return `// Written by build/client.ts from the description of the API.

type Nothing = Record<never, never>;

${named.join("\n\n")}

/** Every endpoint whose body and response are JSON. */
export interface Operations {
${entries.filter((entry) => entry !== undefined).join("\n")}
}
`;
}

if (import.meta.main) {
  const { openApi } = await import("../test/api/open.ts");
  await using api = await openApi();
  writeFileSync(FILE, clientTypes((await api.call("GET", "/openapi.json", { key: null })).json));
  console.log(FILE);
}
