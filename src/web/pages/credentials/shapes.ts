export type { ShownCredential as CredentialRow, ShownSecret } from "../../../credentials/shown.ts";
export type { CredentialTest } from "../../../unified/test-credential.ts";

import type { ProviderView } from "../../../plugin-host/view.ts";

/** The members of a provider's credential. */
export type ProviderRow = Pick<ProviderView, "name" | "credential">;

export const CREDENTIALS = ["credentials"] as const;
export const PROVIDERS = ["providers"] as const;
