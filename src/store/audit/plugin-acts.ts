import type { Act } from "../../people/actions.ts";
import type { Entry } from "../../plugin-host/host/entries.ts";

type Stored = Readonly<Record<string, unknown>> | undefined;

/**
 * Entries of built-in plugins that are settings, and the audited action that a change of each is. Data of other plugins is
 * not audited.
 */
const SETTINGS: Readonly<Record<string, (key: string, before: Stored, after: Stored) => Act | undefined>> = {
  domains(key, before, after) {
    const state = String(after?.["state"] ?? "revoked");
    const action = DOMAIN_STATES[state];
    if (action === undefined) return undefined;
    return {
      action,
      // A decision applies to the deployment; a request belongs to its organization.
      organizationId: state === "pending" ? (text(requestIn(after)?.["organization"]) ?? null) : null,
      object: { kind: "domain", id: key, name: key },
      ...(before !== undefined && { before: decision(before) }),
      ...(after !== undefined && { after: decision(after) }),
    };
  },
  "rate-limits"(key, before, after) {
    const shown = after ?? before;
    if (shown === undefined) return undefined;
    return {
      action: after === undefined ? "limit.removed" : before === undefined ? "limit.created" : "limit.changed",
      organizationId: text(shown["organization"]) ?? null,
      object: { kind: "limit", id: key, name: text(shown["name"]) ?? "" },
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
    };
  },
};

const DOMAIN_STATES: Readonly<Record<string, Act["action"]>> = {
  pending: "domain.requested",
  approved: "domain.approved",
  denied: "domain.denied",
  revoked: "domain.revoked",
};

/** Leaves out the token that proves a domain, and the history, which is the log itself. */
function decision({ state, private: isPrivate }: NonNullable<Stored>) {
  return { state, private: isPrivate ?? false };
}

const requestIn = (decided: Stored) => decided?.["request"] as Stored;
const text = (value: unknown) => (typeof value === "string" ? value : undefined);

/** @param before - JSON text of the previous entry; undefined when there was none. */
export function pluginAct({ plugin, key, value }: Entry, before: string | null | undefined): Act | undefined {
  if (!Object.hasOwn(SETTINGS, plugin)) return undefined;
  return SETTINGS[plugin]!(key, read(before), read(value));
}

function read(json: string | null | undefined): Stored {
  return json === null || json === undefined ? undefined : (JSON.parse(json) as Stored);
}
