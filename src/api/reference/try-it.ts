import { escapeHtml } from "./html.ts";
import type { JsonSchema } from "./members.ts";
import type { Operation } from "./openapi.ts";

/** Sends the request in an endpoint's form, with this browser's log-in or with a key; the page's policy allows it by hash. */
export const TRY_IT = `
document.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target, { path, body, key } = form.elements, shown = form.querySelector("output");
  const headers = {};
  if (key.value.trim() !== "") headers.authorization = "Bearer " + key.value.trim();
  if (body) headers["content-type"] = "application/json";
  shown.textContent = "Sending…";
  try {
    const response = await fetch(path.value, { method: form.dataset.method, headers, body: body ? body.value : undefined });
    const text = await response.text();
    let pretty;
    try { pretty = JSON.stringify(JSON.parse(text), undefined, 2); } catch { pretty = text; } // no JSON: shown as it came
    shown.textContent = response.status + " " + response.statusText + "\\n" + pretty.slice(0, 100000);
  } catch (error) {
    shown.textContent = "Not sent: " + error.message;
  }
});
`;

interface Tried {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

/** A form that sends a request to an endpoint. */
export function tryIt({ path, method, operation }: Tried): string {
  const schema = operation.requestBody?.content["application/json"]?.schema as JsonSchema | undefined;
  const example = schema?.properties?.["filter"] === undefined ? "{}" : '{"filter": "all"}';
  const body =
    schema === undefined
      ? ""
      : `<label>Body <textarea name="body" rows="4" spellcheck="false">${escapeHtml(example)}</textarea></label>`;
  return `<details class="try"><summary>Try it</summary><form data-method="${method}">
<label>Path <input name="path" value="${escapeHtml(path)}" spellcheck="false"></label>${body}
<label>Service key <input name="key" type="password" autocomplete="off" placeholder="empty: as you are logged in to the dashboard"></label>
<button>Send ${method}</button><output></output></form></details>`;
}
