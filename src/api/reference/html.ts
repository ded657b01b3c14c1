export function escapeHtml(text: string): string {
  const names: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (character) => names[character]!);
}

/** Text with code between backticks. */
export function prose(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

/** A table; its cells are HTML. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.map((each) => `<th scope="col">${each}</th>`).join("");
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("");
  return `<div class="table" tabindex="0" role="group" aria-label="${heads.join(", ")}"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

export const code = (text: string) => `<code>${escapeHtml(text)}</code>`;
