import type { CallMemory } from "../mapping/translate/call-memory.ts";
import { makerOf } from "../mapping/translate/state.ts";
import type { Credential } from "../routing/credential.ts";
import type { Target } from "../routing/resolve.ts";

const MAKERS: readonly (readonly [RegExp, string])[] = [
  [/claude/i, "anthropic"],
  [/gemini/i, "google"],
];

/**
 * The issuer of a model's reasoning state: its vendor, on any platform. Encrypted state is only valid for the account, so the
 * credential is part of the name, except of vendors that sign.
 */
export function issuerOf(
  { provider, model }: Pick<Target, "provider" | "model">,
  credential: Credential | "client",
): string {
  const maker = MAKERS.find(([name]) => name.test(model))?.[1];
  if (maker !== undefined) return maker;
  const vendor = provider.name === "AZURE" ? "openai" : provider.name.toLowerCase();
  return credential === "client" ? vendor : `${vendor}:${credential.organizationId}/${credential.name}`;
}

/** Whether state of an issuer is a candidate's own. If both name a credential, it must be the same. */
export function isIssuedBy(issuer: string, candidate: string): boolean {
  if (issuer === candidate) return true;
  return makerOf(issuer) === makerOf(candidate) && !(issuer.includes(":") && candidate.includes(":"));
}

/** The issuer of the stored state of a call. */
export const issuerOfMemory = ({ state, thoughts = [] }: CallMemory): string | undefined =>
  state?.issuer ?? thoughts[0]?.state?.issuer;
