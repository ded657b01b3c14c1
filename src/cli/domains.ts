import type { Json } from "../plugin-host/contract.ts";
import type { Run } from "./command.ts";
import { callPlugin } from "./plugin-call.ts";
import { printList } from "./print.ts";

export const listDomainsCommand: Run = async (invocation) => {
  const call = { plugin: "domains", method: "GET", path: "/v1/domains" } as const;
  const { options, terminal } = invocation;
  const all: readonly Json[] = await callPlugin(invocation.config, call);
  const rows = options["all"] || options["json"] ? all : all.filter((row) => !isQuiet(row));
  printList(invocation, rows, {
    headings: ["domain", "state", "requests today", "remaining", "decided by"],
    cells: ({ domain, state, requests_today, remaining_today, source }) =>
      [domain, state, requests_today, remaining_today ?? "no limit", source ?? ""].map(String),
    cuts: [],
    none: "no domain was called or decided on",
  });
  const hidden = all.length - rows.length;
  if (hidden > 0)
    terminal.err(`${hidden} hosts of providers are approved and had no request today; --all lists them\n`);
  return 0;
};

/** A provider's host without requests, hidden because there are more than a hundred of them. */
const isQuiet = (row: Json) => row.source === "provider" && row.requests_today === 0;

/** `approve`, `deny` or `revoke`; a running service acts on it within a second. */
export const decideDomainCommand =
  (action: "approve" | "deny" | "revoke"): Run =>
  async ({ args, options, terminal, config }) => {
    const decided = await callPlugin(config, {
      plugin: "domains",
      method: "POST",
      path: `/v1/domains/:domain/${action}`,
      params: { domain: args[0]! },
      body: options["private"] ? { private: true } : undefined,
    });
    const opened = decided.private ? ", and open as a private target" : "";
    terminal.err(`${decided.domain} is ${decided.state}${opened}; a running service follows within a second\n`);
    return 0;
  };
