import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { NEEDS, PLUGIN_NEEDS } from "../src/api/access/needs.ts";
import { sayNeeds } from "../src/api/reference/openapi.ts";
import { PERMISSIONS, type Permission, permissionsOf, ROLE_NAMES, ROLES, SCOPES } from "../src/people/permissions.ts";

const ALL = Object.keys(PERMISSIONS) as Permission[];

/**
 * Writes docs/permissions.md from the tables that the API enforces: `bun build/permissions-doc.ts`. A test compares them.
 */
export function permissionsPage(): string {
  const own = Object.entries(NEEDS).map(([endpoint, needs]) => [
    `\`${endpoint}\``,
    sayNeeds(needs) || "Open to everybody.",
  ]);
  const ofPlugins = Object.entries(PLUGIN_NEEDS).map(([scope, needs]) => [`\`scope: "${scope}"\``, sayNeeds(needs)]);
  return `# Permissions

<!-- Written by build/permissions-doc.ts from src/people/permissions.ts and src/api/access/needs.ts. -->

A user is a person, a service key a program. Both act in an organization, with permissions. \`GET /v1/me\` shows the caller's.
A call without the permission gets a 403 \`insufficient_permission\` that names it. Data of another organization
is a 404, or an empty list.

${table(
  ["Permission", "Allows to"],
  ALL.map((name) => [`\`${name}\``, PERMISSIONS[name]]),
)}

## Roles of users

${grid(
  "Role",
  ROLE_NAMES.map((role) => [role, ROLES[role]] as const),
)}

\`operator\` is a property of a user and counts in every organization. The other roles belong to a membership.

## Scopes of keys

${grid(
  "Scope",
  SCOPES.map((scope) => [scope, permissionsOf([scope])] as const),
)}

A key with \`admin\` in the first organization has \`operator\` as well. A user's key never has more permissions than its user currently has, and
stops when its user is disabled, removed, or no longer a member.

## What \`figures\` shows

All of a record except its content: \`input\`, \`output\`, \`error_message\` (a provider may quote the prompt in it), prompt inputs,
assets, bodies, \`llmSchema\`, headers, and the addresses that lead to them. These members are absent. Filtering, sorting and searching by
them is a 403.

## Endpoints

${table(["Endpoint", ""], own)}

Endpoints of plugins declare their permission in their \`scope\`:

${table(["Declared", ""], ofPlugins)}
`;
}

function grid(heading: string, rows: readonly (readonly [string, readonly Permission[]])[]): string {
  return table(
    [heading, ...ALL.map((name) => `\`${name}\``)],
    rows.map(([name, permissions]) => [`\`${name}\``, ...ALL.map((each) => (permissions.includes(each) ? "yes" : ""))]),
  );
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)].join("\n");
}

if (import.meta.main) writeFileSync(join(import.meta.dir, "../docs/permissions.md"), permissionsPage());
