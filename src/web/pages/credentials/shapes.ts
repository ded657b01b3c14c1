export type { ShownCredential as CredentialRow, ShownSecret } from "../../../credentials/shown.ts";
export type { CredentialTest } from "../../../unified/test-credential.ts";

import type { ProviderView } from "../../../plugin-host/view.ts";

/** What a provider's credential is made of. */
export type ProviderRow = Pick<ProviderView, "name" | "credential">;

export const CREDENTIALS = ["credentials"] as const;
export const PROVIDERS = ["providers"] as const;
