import type { Json } from "../plugin/contract.ts";
import type { Run } from "./command.ts";
import { callPlugin } from "./plugin-call.ts";
import { printList } from "./print.ts";

export const listDomainsCommand: Run = async (invocation) => {
  const call = { plugin: "domains", method: "GET", path: "/v1/domains" } as const;
  const rows: readonly Json[] = await callPlugin(invocation.config, call);
  printList(invocation, rows, {
    headings: ["domain", "state", "requests today", "remaining", "decided by"],
    cells: ({ domain, state, requests_today, remaining_today, source }) =>
      [domain, state, requests_today, remaining_today ?? "no limit", source ?? ""].map(String),
  });
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
