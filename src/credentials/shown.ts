import { isoTime } from "../record/iso-time.ts";
import type { ConfiguredCredential } from "./configured.ts";
import { keyIdOf } from "./encryption.ts";
import type { StoredCredential } from "./stored.ts";

type CredentialState = "ready" | "disabled" | "locked";

/** The displayed form of a secret: never the secret itself. */
export type ShownSecret =
  | { readonly set_at: string; readonly last4: string | null; readonly key_id: string | null }
  /** In `weir.toml`: its location. */
  | { readonly from: string };

/** A credential as its owners see it, with its provider's own members at the top level. */
export function shownCredential({ id, name, provider, secrets, terms, ...times }: StoredCredential, locked: boolean) {
  const { settings, ...rest } = terms;
  const shownSecrets = Object.entries(secrets).map(([member, { sealed, set_at, last4 }]) => {
    return [member, { set_at: isoTime(set_at), last4, key_id: keyIdOf(sealed) ?? null } as ShownSecret] as const;
  });
  return {
    id: id as string | null,
    name,
    provider,
    source: "stored" as "stored" | "file" | "shared",
    state: stateOf(rest.enabled, locked),
    secrets: Object.fromEntries(shownSecrets),
    ...settings,
    ...rest,
    created_at: isoTime(times.created_at) as string | null,
    updated_at: isoTime(times.updated_at) as string | null,
  };
}

export type ShownCredential = ReturnType<typeof shownCredential>;

/** A credential of `weir.toml`. */
export function shownConfigured({ name, provider, terms, references }: ConfiguredCredential): ShownCredential {
  const { settings, ...rest } = terms;
  const secrets = Object.entries(references).map(([member, from]) => [member, { from } as ShownSecret] as const);
  const head = { id: null, name, provider, source: "file" as const, state: stateOf(rest.enabled, false) };
  return {
    ...head,
    secrets: Object.fromEntries(secrets),
    ...settings,
    ...rest,
    shared: true,
    created_at: null,
    updated_at: null,
  };
}

/** A shared credential of the operator: its address and limits are hidden from other organizations. */
export function shownLent(credential: StoredCredential, locked: boolean): ShownCredential {
  const { id, name, provider, state, weight, models, enabled, created_at, updated_at } = shownCredential(
    credential,
    locked,
  );
  const hidden = { model_map: {}, limit: null, headers: {}, base_url: null, private: false, ask_usage: null };
  const head = { id, name, provider, source: "shared" as const, state, secrets: {} };
  return { ...head, weight, models, ...hidden, enabled, shared: true, created_at, updated_at };
}

function stateOf(enabled: boolean, locked: boolean): CredentialState {
  if (locked) return "locked";
  return enabled ? "ready" : "disabled";
}
