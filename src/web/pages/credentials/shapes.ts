import type { Tone } from "../../parts/badge.tsx";

export type { ShownCredential as CredentialRow } from "../../../credentials/shown.ts";
export type { CredentialTest } from "../../../unified/test-credential.ts";

import type { CredentialState } from "../../../credentials/shown.ts";
import type { ProviderView } from "../../../plugin/view.ts";

/** What a provider's credential is made of. */
export type ProviderRow = Pick<ProviderView, "name" | "credential">;

export const CREDENTIALS = ["credentials"] as const;
export const PROVIDERS = ["providers"] as const;

export const STATE_TONES: Readonly<Record<CredentialState, Tone>> = { ready: "good", disabled: "plain", locked: "bad" };
