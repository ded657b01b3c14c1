import { createHash } from "node:crypto";
import type { Description, Operation, Parameter } from "./openapi.ts";

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; color: #1d2733; background: #fff }
h1 { font-size: 1.6rem } h2 { margin-top: 2.5rem; border-bottom: 1px solid #d5dce4 } h3 { font-size: 1rem; margin: 1.6rem 0 .3rem }
code, pre { font: 14px/1.5 ui-monospace, monospace } pre { background: #f3f5f8; padding: .7rem; overflow-x: auto }
.method { display: inline-block; min-width: 4.5rem; font-weight: 700; color: #0a5a8a }
p { margin: .3rem 0 } a { color: #0a5a8a }
@media (prefers-color-scheme: dark) { body { color: #dde4ec; background: #12181f } pre { background: #1d252e } h2 { border-color: #33404d } a, .method { color: #7cc4ee } }
`;
const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The API's description as one page: no script, nothing from elsewhere, so that it also works without a network. */
export function referencePage(api: Description): Response {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const sections = [...Map.groupBy(operations, ({ operation }) => operation.tags[0] ?? "Other")].map(
    ([tag, own]) => `<h2>${escapeHtml(tag)}</h2>${own.map(section).join("")}`,
  );
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Weir API</title><style>${STYLE}</style></head>
<body><main><h1>Weir API</h1><p>${prose(api.info.description)}</p><p>For programs: <a href="/openapi.json">openapi.json</a></p>
${sections.join("\n")}</main></body></html>`;
  return new Response(html, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    },
  });
}

function section({ path, method, operation }: { path: string; method: string; operation: Operation }): string {
  const schema = operation.requestBody?.content["application/json"]?.schema;
  const query = operation.parameters.filter((parameter) => parameter.in === "query").map(parameterLine);
  const body = schema === undefined ? "" : `<pre>${escapeHtml(JSON.stringify(schema, undefined, 2))}</pre>`;
  return `<h3><span class="method">${method}</span> <code>${escapeHtml(path)}</code></h3>
<p>${prose(operation.summary)}. ${prose(operation.description)}</p>${query.join("")}${body}`;
}

function parameterLine({ name, schema }: Parameter): string {
  const { description = "" } = schema as { description?: string };
  return `<p><code>?${escapeHtml(name)}=</code> ${prose(description)}</p>`;
}

function prose(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

function escapeHtml(text: string): string {
  const names: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (character) => names[character]!);
}
