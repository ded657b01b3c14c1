import { OptionalKind } from "@sinclair/typebox";
import { ERRORS } from "../../errors.ts";
import { type Needs, permissionNeeded } from "../access/needs.ts";
import type { Endpoint } from "../endpoint.ts";
import { API_ERRORS } from "./api-errors.ts";
import { DATA_OF, SCHEMAS } from "./data-schemas.ts";

export interface Description {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
}

export interface Operation {
  readonly summary: string;
  /** The permission that a user needs; null if none. */
  readonly "x-permission": string | null;
  readonly description: string;
  readonly tags: readonly string[];
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, object>>;
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly schema: object;
}

/** Schemas by media type. */
type Content = Readonly<Record<string, { readonly schema: unknown }>>;

const INTRODUCTION = `Every call needs \`Authorization: Bearer <service key>\` with the permission that it names.
Responses are \`{"data": …, "error": null}\`; failures have their HTTP status and
\`{"data": [], "error": <status>, "code": …, "message": …, "path": …}\`, where \`code\` says what failed in a word that stays as it is,
and \`path\` names the wrong member of the body.`;

/** The API as OpenAPI 3.1, made from the endpoints themselves. */
export function describeApi(endpoints: readonly Endpoint[]): Description {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of endpoints) {
    const path = route.path.replace(/:([^/]+)/g, "{$1}");
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = describe(route, path);
  }
  return {
    openapi: "3.1.0",
    info: { title: "Weir", version: "1", description: INTRODUCTION },
    paths,
    components: {
      securitySchemes: { key: { type: "http", scheme: "bearer", description: "A service key." } },
      schemas: { Success: SUCCESS, Failure: FAILURE, ...SCHEMAS },
    },
  };
}

function describe(route: Endpoint, path: string): Operation {
  const { method, needs, summary, description, tags, unusual } = route;
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);
  const requestBody = bodyOf(route);
  return {
    summary,
    "x-permission": permissionNeeded(needs, "user") ?? null,
    description: [description, sayNeeds(needs)].filter((part) => part !== "").join(" "),
    tags,
    operationId: `${method.toLowerCase()}${route.path.replace(/[^a-z0-9]+/gi, "_").replace(/_$/, "")}`,
    security: securityOf(needs),
    parameters: [
      ...names.map((name) => ({ name, in: "path" as const, required: true, schema: { type: "string" } })),
      ...Object.entries(unusual.query ?? {}).map(([name, schema]) => ({
        name,
        in: "query" as const,
        required: false,
        schema,
      })),
    ],
    ...(requestBody && { requestBody }),
    responses: {
      200: {
        description: "The response",
        content: contentOf(unusual.responses ?? { "application/json": successOf(route) }),
      },
      ...(requestBody && { 400: failureOf(ERRORS.invalid_body.text) }),
      ...(needs !== "open" && { 401: failureOf(ERRORS.missing_auth.text) }),
      ...(needs !== "open" && { 403: failureOf(ERRORS.insufficient_permission.text) }),
      ...(names.length > 0 && { 404: failureOf(ERRORS.not_found.text) }),
      default: failureOf("Any other failure; its status is in `error` too."),
    },
  };
}

/** Describes who may call. */
export function sayNeeds(needs: Needs): string {
  if (needs === "open") return "";
  if (needs === "signed") return "Works with a signed address, else needs `bodies`.";
  if (needs === "anybody known") return "Needs any key or log-in.";
  return typeof needs === "object" ? `Needs \`${needs.user}\`, or a key with \`${needs.key}\`.` : `Needs \`${needs}\`.`;
}

function securityOf(needs: Needs): object[] {
  if (needs === "open") return [];
  const permission = permissionNeeded(needs, "key");
  const known = { key: permission === undefined ? [] : [permission] };
  return needs === "signed" ? [{}, known] : [known];
}

function bodyOf({ body, unusual }: Endpoint): Operation["requestBody"] {
  if (unusual.takes !== undefined) return { required: true, content: contentOf(unusual.takes) };
  if (body === undefined) return undefined;
  const { type, [OptionalKind]: optional } = body as { type?: unknown; [OptionalKind]?: unknown };
  const required = optional === undefined && !(Array.isArray(type) && type.includes("null"));
  return { required, content: contentOf({ "application/json": body }) };
}

function failureOf(description: string) {
  return { description, content: contentOf({ "application/json": ref("Failure") }) };
}

function contentOf(schemas: Readonly<Record<string, unknown>>): Content {
  return Object.fromEntries(Object.entries(schemas).map(([type, schema]) => [type, { schema }]));
}

function ref(schema: string) {
  return { $ref: `#/components/schemas/${schema}` };
}

/** The envelope with the endpoint's data, if that is described. */
function successOf({ method, path }: Endpoint): object {
  const data = DATA_OF[`${method} ${path}`];
  return data === undefined ? ref("Success") : { ...SUCCESS, properties: { ...SUCCESS.properties, data } };
}

const SUCCESS = {
  type: "object",
  required: ["data", "error"],
  properties: { data: {}, error: { type: "null" } },
};

const FAILURE = {
  type: "object",
  required: ["data", "error", "code", "message", "path"],
  properties: {
    data: { type: "array", maxItems: 0 },
    error: { type: "integer", description: "The HTTP status." },
    code: {
      type: "string",
      description: `What failed: ${API_ERRORS.map((code) => `\`${code}\` (${ERRORS[code].status})`).join(", ")}; endpoints of plugins may return others.`,
      examples: API_ERRORS,
    },
    message: {
      type: "string",
      description: "What was wrong and how to put it right, for people; its words may change.",
    },
    path: { type: ["string", "null"], description: "The wrong member of the body, such as filter.left." },
  },
};
