import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileProblem } from "../file-problem.ts";
import { messageOf } from "../log.ts";
import { configuredRoutes } from "../routing/configured-routes.ts";
import { readRoute } from "../routing/read-route.ts";
import { shownRoute } from "../routing/shown-route.ts";
import { ensureOrganization, FIRST_ORGANIZATION, organizationNamed } from "../store/people/organization-names.ts";
import { listRoutes, putRoute, removeRoute } from "../store/routes.ts";
import { atCommandLine } from "./acting.ts";
import type { Invocation, Run } from "./command.ts";
import { organizationId } from "./organization.ts";
import { printList } from "./print.ts";
import { asUsage } from "./read-options.ts";
import { CommandError, UsageError } from "./usage-error.ts";
import { withRecords } from "./with-store.ts";

export const listRoutesCommand: Run = async (invocation) => {
  const { config } = invocation;
  const own = await organizationId(config, organizationOf(invocation));
  const stored = await withRecords(config, (records) => listRoutes(records, own));
  const rows = [...configuredRoutes(config), ...stored].map((route) => {
    return { name: route.name, source: route.source, ...shownRoute(route), strategy: route.strategy };
  });
  printList(invocation, rows, {
    headings: ["name", "source", "strategy", "targets"],
    cells: ({ name, source, strategy, targets }) => [
      ...[name, source, strategy],
      targets.map((target) => (target as { readonly model: string }).model).join(", "),
    ],
    none: "there are no routes",
  });
  return 0;
};

/** Takes effect in a running service within a second. */
export const setRouteCommand: Run = async (invocation) => {
  const { args, config, terminal } = invocation;
  const name = args[0]!;
  const body = await bodyOf(invocation);
  refuseConfigured(invocation, name);
  await withRecords(config, async (records) => {
    const known = await organizationNamed(records, organizationOf(invocation));
    const stored = known === undefined ? [] : await listRoutes(records, known);
    const terms = asUsage(() => readRoute(name, body, [...configuredRoutes(config), ...stored]));
    const organizationId = await ensureOrganization(records, organizationOf(invocation), atCommandLine());
    await putRoute(records, { organizationId, name, terms }, atCommandLine());
  });
  terminal.err(`route "${name}" is set\n`);
  return 0;
};

export const removeRouteCommand: Run = async (invocation) => {
  const { args, config, terminal } = invocation;
  const name = args[0]!;
  const own = await organizationId(config, organizationOf(invocation));
  if (!(await withRecords(config, (records) => removeRoute(records, own, name, atCommandLine())))) {
    refuseConfigured(invocation, name);
    throw new CommandError(`there is no route ${JSON.stringify(name)}; \`weir routes list\` shows them`);
  }
  terminal.err(`route "${name}" is removed\n`);
  return 0;
};

function organizationOf({ options }: Pick<Invocation, "options">): string {
  return options["org"]?.toString() ?? FIRST_ORGANIZATION;
}

function refuseConfigured({ config }: Pick<Invocation, "config">, name: string): void {
  if (Object.hasOwn(config.routes, name))
    throw new CommandError(`the configuration file defines the route ${name}; change it there`);
}

/** The route as JSON: from `--target`s, the file, or stdin. */
async function bodyOf({ options, terminal }: Invocation): Promise<unknown> {
  const targets = options["target"] as readonly string[] | undefined;
  const strategy = options["strategy"]?.toString();
  if (targets !== undefined) return { targets, ...(strategy !== undefined && { strategy }) };
  const file = options["file"]?.toString();
  const from = file ?? "stdin";
  let text: string | undefined;
  try {
    if (file !== undefined) text = readFileSync(resolve(terminal.workingDirectory, file), "utf8");
    else if (terminal.askSecret === undefined) text = await terminal.stdin?.();
  } catch (error) {
    throw new UsageError(`--file ${file} cannot be read: ${fileProblem(error)}`);
  }
  if (text === undefined || text.trim() === "") throw new UsageError("give --target, --file or JSON on stdin");
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${from} is no JSON: ${messageOf(error)}`);
  }
}
