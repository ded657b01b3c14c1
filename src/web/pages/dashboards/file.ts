import type { Dashboard, DashboardFile } from "./shapes.ts";

/** The file of a dashboard: what `POST /v1/dashboards` takes. */
export function fileText({ name, description, range, filter, panels }: Omit<DashboardFile, "version">): string {
  return `${JSON.stringify({ version: 1, name, description, range, filter, panels }, null, 2)}\n`;
}

/** As a file is called, whatever the dashboard is. */
export const fileName = ({ name }: Pick<Dashboard, "name">): string =>
  `${name.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "") || "dashboard"}.json`;

/**
 * What a file holds, as far as it is an object at all; the API checks the rest and names what is wrong.
 *
 * @throws Error that says where the text stops being JSON.
 */
export function readFile(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`This is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error("A dashboard's file holds one JSON object with a name and panels.");
  return value;
}
