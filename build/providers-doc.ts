/**
 * Writes `docs/providers.md` from the provider files.
 *
 *   bun build/providers-doc.ts [--check]
 *
 * With `--check` nothing is written; the exit status shows whether the page is up to date.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createLog } from "../src/log.ts";
import { hasPrices } from "../src/mapping/prices/table.ts";
import type { ProviderPlugin } from "../src/plugin-host/contract.ts";
import { loadRegistry } from "../src/plugin-host/providers/registry.ts";

const ROOT = join(import.meta.dirname, "..");
const PAGE = join(ROOT, "docs/providers.md");

/** Providers whose responses state their cost. */
const STATING = new Set(["DEEPINFRA", "OPENROUTER", "PERPLEXITY", "VERCEL", "X"]);

export async function providersPage(): Promise<string> {
  const { providers } = await loadRegistry({
    directories: [{ path: join(ROOT, "providers"), builtIn: true }],
    log: createLog({ level: "error", format: "text" }),
  });
  const rows = [...providers].sort((a, b) => (a.name < b.name ? -1 : 1)).map(row);
  return [
    HEAD,
    "| Provider | Other names | Hosts | Own address | Costs | Wire schemas |",
    "|---|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

const HEAD = `# Providers

Made by \`bun build/providers-doc.ts\` from the files in \`providers/\`; do not edit by hand.

The *provider* of a record is found by the host of its target, or named with \`Gateway-Target-Provider\`, ignoring case, by its
name or one of its other names (\`Together AI\`, \`together_ai\` and \`together-ai\` are one). *Own address* is the first label of the gateway address that forwards to it without
\`Gateway-Target-Url\`: \`openai\` is \`openai.localhost:8787\` on a laptop. A target that no provider claims is \`CUSTOM\`; if
its paths and bodies have one of the forms below it is still read.

*Costs* says where the cost of a record comes from: **table**, the price table that comes with the program
(\`@pydantic/genai-prices\`); **stated**, the provider reports the cost in its response, which has precedence over the table; a dash,
neither: the cost is null unless a drop-in of the same name has a \`cost\` function.

Usage is recorded inclusive: \`prompt_tokens\` is all input with cache reads and writes, \`completion_tokens\` all output with
reasoning, for every provider. A value that the provider does not report is null. A stream of an OpenAI model
without usage is counted with its tokenizer and marked \`usage_estimated\`. Reading a stored response back, counting
tokens, lists and results of batches have no usage.
`;

function row(provider: ProviderPlugin): string {
  const { name, aliases = [], hosts = [], dedicatedDomain, wireSchemas = [] } = provider;
  const costs = [...(STATING.has(name) ? ["stated"] : []), ...(hasPrices(name) || provider.cost ? ["table"] : [])];
  const schemas = [...new Set(wireSchemas.map(({ schema }) => schema))];
  const cells = [
    `\`${name}\``,
    list(aliases),
    list(hosts),
    dedicatedDomain === undefined ? "–" : `\`${dedicatedDomain}\``,
    costs.join(", ") || "–",
    schemas.join(", ") || "–",
  ];
  return `| ${cells.join(" | ")} |`;
}

const list = (entries: readonly string[]) => entries.map((entry) => `\`${entry}\``).join(", ") || "–";

if (import.meta.main) {
  const page = await providersPage();
  if (process.argv.includes("--check")) process.exit(readFileSync(PAGE, "utf8") === page ? 0 : 1);
  writeFileSync(PAGE, page);
}
