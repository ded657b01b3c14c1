import { CUSTOM, formOf } from "../../src/credentials/form.ts";
import type { CredentialRules } from "../../src/credentials/read-credential.ts";
import { credentialGuards } from "../../src/store/credentials/guards.ts";
import { ownDirectory } from "../store/open.ts";

const NAMES: readonly (readonly [string, readonly string[]])[] = [
  ["OPENAI", []],
  ["GROQ", []],
  ["GOOGLE", ["gemini", "vertex-ai"]],
  ["AWS", ["bedrock"]],
  ["AZURE", ["azure-openai"]],
  ["OLLAMA", []],
  ["INFERENCE_NET", []],
  [CUSTOM, []],
];

/** Rules with some of the built-in providers; the gateway listens at port 8787. */
export function rulesOf(operator = true): CredentialRules {
  using directory = ownDirectory();
  const refuseUrl = credentialGuards(directory.config, [8787]);
  return { providers: NAMES.map(([name, aliases]) => ({ name, aliases, form: formOf(name) })), operator, refuseUrl };
}
