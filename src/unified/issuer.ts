import type { Credential } from "../routing/credential.ts";
import type { Target } from "../routing/resolve.ts";

const MAKERS: readonly (readonly [RegExp, string])[] = [
  [/claude/i, "anthropic"],
  [/gemini/i, "google"],
];

/**
 * Who issues and takes back a model's reasoning state: its maker, on whatever platform it runs. What OpenAI encrypts is
 * good for the account alone, so the credential is a part of the name.
 */
export function issuerOf(
  { provider, model }: Pick<Target, "provider" | "model">,
  credential: Credential | "client",
): string {
  const maker = MAKERS.find(([name]) => name.test(model))?.[1];
  if (maker !== undefined) return maker;
  if (provider.name === "OPENAI" || provider.name === "AZURE")
    return credential === "client" ? "openai" : `openai:${credential.organizationId}/${credential.name}`;
  return provider.name.toLowerCase();
}
