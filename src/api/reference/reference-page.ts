import { createHash } from "node:crypto";
import { filterSection } from "./filter-section.ts";
import { code, escapeHtml, prose, table } from "./html.ts";
import { type JsonSchema, membersOf, typeText } from "./members.ts";
import type { Description, Operation } from "./openapi.ts";
import { STYLE } from "./style.ts";
import { TRY_IT, tryIt } from "./try-it.ts";

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const POLICY = `default-src 'none'; style-src ${hashOf(STYLE)}; script-src ${hashOf(TRY_IT)}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** An operation with its method and path. */
interface Called {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

/**
 * The API's description as one page. It loads nothing from other servers, so it also works offline; its one script sends the
 * requests of its forms.
 *
 * @param origin - where the page was called.
 */
export function referencePage(api: Description, origin: string): Response {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Called => ({ path, method: method.toUpperCase(), operation })),
  );
  const families = [...Map.groupBy(operations, ({ operation }) => operation.tags[0] ?? "Other")];
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Weir API</title><style>${STYLE}</style></head>
<body><nav aria-label="Endpoints"><a href="/">Dashboard</a>${families.map(contents).join("")}
<details><summary>Grammar</summary><ul><li><a href="#filters">Filters and sorting</a></li></ul></details></nav>
<main><h1>Weir API</h1><p>${prose(api.info.description)}</p>
<pre tabindex="0">curl ${escapeHtml(origin)}/v1/request/query-fast -H "Authorization: Bearer $WEIR_API_KEY" \\
  -H "Content-Type: application/json" -d '{"filter": "all", "limit": 1}'</pre>
<p>For programs: <a href="/openapi.json">openapi.json</a></p>
${families.map(family).join("\n")}
${filterSection()}</main><script>${TRY_IT}</script></body></html>`;
  return new Response(html, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    },
  });
}

function contents([tag, own]: readonly [string, readonly Called[]]): string {
  const lines = own.map(
    ({ operation }) => `<li><a href="#${escapeHtml(operation.operationId)}">${escapeHtml(operation.summary)}</a></li>`,
  );
  return `<details open><summary>${escapeHtml(tag)}</summary><ul>${lines.join("")}</ul></details>`;
}

function family([tag, own]: readonly [string, readonly Called[]]): string {
  return `<h2>${escapeHtml(tag)}</h2>${own.map(section).join("")}`;
}

function section({ path, method, operation }: Called): string {
  const { operationId: id, summary, description, parameters, requestBody, responses } = operation;
  const query = parameters.filter((parameter) => parameter.in === "query");
  return `<section id="${escapeHtml(id)}"><h3><a href="#${escapeHtml(id)}">${escapeHtml(summary)}</a></h3>
<p class="call"><span class="method">${method}</span> ${code(path)}</p>
<p>${prose(description)}</p>${query.length === 0 ? "" : parameterTable(query)}${bodyOf(requestBody)}${responsesOf(responses)}${tryIt({ path, method, operation })}</section>`;
}

function parameterTable(parameters: Operation["parameters"]): string {
  const rows = parameters.map(({ name, schema }) => {
    const { description = "" } = schema as JsonSchema;
    return [code(`?${name}=`), escapeHtml(typeText(schema as JsonSchema)), prose(description)];
  });
  return table(["Parameter", "Type", "Meaning"], rows);
}

function bodyOf(body: Operation["requestBody"]): string {
  if (body === undefined) return "";
  const schema = body.content["application/json"]?.schema as JsonSchema | undefined;
  const others = Object.keys(body.content).filter((type) => type !== "application/json");
  const takes = others.length === 0 ? "" : `<p>Takes ${others.map(code).join(", ")}.</p>`;
  return takes + (schema === undefined ? "" : schemaTable(schema, body.required));
}

function schemaTable(schema: JsonSchema, required: boolean): string {
  const rows = membersOf(schema).map(({ name, type, required, about }) => [
    `${code(name)}${required ? " <strong>required</strong>" : ""}`,
    escapeHtml(type),
    prose(about),
  ]);
  const members =
    rows.length === 0 ? `<p>Body: ${escapeHtml(typeText(schema))}.</p>` : table(["Body", "Type", "Meaning"], rows);
  const may = required ? "" : "<p>The body is optional.</p>";
  return `${members}${may}<details><summary>JSON Schema</summary><pre tabindex="0">${escapeHtml(JSON.stringify(schema, undefined, 2))}</pre></details>`;
}

/** Responses without the envelope. */
function responsesOf(responses: Operation["responses"]): string {
  const { content = {} } = responses["200"] as { readonly content?: Readonly<Record<string, unknown>> };
  const types = Object.keys(content).filter((type) => type !== "application/json");
  return types.length === 0 ? "" : `<p>Answers ${types.map(code).join(", ")}.</p>`;
}
