import type { Json } from "../plugin/contract.ts";
import type { Run } from "./commands.ts";
import { callPlugin } from "./plugin-call.ts";
import { printTable } from "./print.ts";

export const listDomainsCommand: Run = async ({ options, terminal, config }) => {
  const rows: readonly Json[] = await callPlugin(config, { plugin: "domains", method: "GET", path: "/v1/domains" });
  if (options["json"]) terminal.out(`${JSON.stringify(rows, null, 2)}\n`);
  else {
    const shown = rows.map(({ domain, state, requests_today, remaining_today, source }) =>
      [domain, state, requests_today, remaining_today ?? "no limit", source ?? ""].map(String),
    );
    printTable(terminal, ["domain", "state", "requests today", "remaining", "decided by"], shown);
  }
  return 0;
};

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
    terminal.err(`${decided.domain} is ${decided.state}${decided.private ? ", and open as a private target" : ""}\n`);
    return 0;
  };
