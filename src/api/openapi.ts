import { ERRORS } from "../errors.ts";
import type { DescribedRoute } from "./app.ts";

export interface Description {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
}

export interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters: readonly object[];
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly schema: unknown } } };
  readonly responses: Readonly<Record<string, object>>;
}

const INTRODUCTION = `Every call needs \`Authorization: Bearer <service key>\` with the scope that it names.
Answers are \`{"data": …, "error": null}\`; failures have their HTTP status and
\`{"data": [], "error": <status>, "message": …, "path": …}\`, where \`path\` names the wrong member of the body.`;

/** The API as OpenAPI 3.1, made from the endpoints themselves. */
export function describeApi(routes: readonly DescribedRoute[]): Description {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
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
      schemas: { Success: SUCCESS, Failure: FAILURE },
    },
  };
}

function describe({ method, path: pattern, access, summary, description, tags, body }: DescribedRoute, path: string) {
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);
  const needs =
    access === "open"
      ? ""
      : access === "signed"
        ? "Works with a signed address, else needs read."
        : access === "key"
          ? "Needs any key."
          : `Needs ${access}.`;
  const operation: Operation = {
    summary,
    description: [description, needs].filter((part) => part !== "").join(" "),
    tags,
    operationId: `${method.toLowerCase()}${pattern.replace(/[^a-z0-9]+/gi, "_").replace(/_$/, "")}`,
    security:
      access === "open"
        ? []
        : access === "signed"
          ? [{}, { key: ["read"] }]
          : [{ key: access === "key" ? [] : [access] }],
    parameters: names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
    responses: {
      200: answer("Success"),
      ...(body === undefined ? {} : { 400: answer("Failure", ERRORS.invalid_body.text) }),
      ...(access === "open" ? {} : { 401: answer("Failure", ERRORS.missing_auth.text) }),
      ...(access === "open" ? {} : { 403: answer("Failure", ERRORS.insufficient_scope.text) }),
      ...(names.length === 0 ? {} : { 404: answer("Failure", ERRORS.not_found.text) }),
    },
  };
  return body === undefined ? operation : { ...operation, requestBody: { required: true, content: json(body) } };
}

function answer(schema: string, description = "The answer") {
  return { description, content: json({ $ref: `#/components/schemas/${schema}` }) };
}

function json(schema: unknown) {
  return { "application/json": { schema } };
}

const SUCCESS = {
  type: "object",
  required: ["data", "error"],
  properties: { data: {}, error: { type: "null" } },
};

const FAILURE = {
  type: "object",
  required: ["data", "error", "message", "path"],
  properties: {
    data: { type: "array", maxItems: 0 },
    error: { type: "integer", description: "The HTTP status." },
    message: { type: "string" },
    path: { type: ["string", "null"], description: "The wrong member of the body, such as filter.left." },
  },
};
