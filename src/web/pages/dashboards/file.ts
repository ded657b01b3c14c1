import type { Dashboard, DashboardFile } from "./shapes.ts";

/** The file of a dashboard: the body of `POST /v1/dashboards`. */
export function fileText({ name, description, range, filter, panels }: Omit<DashboardFile, "version">): string {
  return `${JSON.stringify({ version: 1, name, description, range, filter, panels }, null, 2)}\n`;
}

/** A safe file name for any dashboard. */
export const fileName = ({ name }: Pick<Dashboard, "name">): string =>
  `${name.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "") || "dashboard"}.json`;

/**
 * The contents of a file, if it is an object; the API checks the rest and names errors.
 *
 * @throws Error with the position at which the text stops being JSON.
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
