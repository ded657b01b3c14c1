import { callOf, shapesFor } from "../routing/endpoint.ts";
import type { Scope } from "../routing/scope.ts";
import type { ListedModel } from "./listed-models.ts";

/** A model in the form of Google's own list. */
interface GoogleModel {
  readonly name: string;
  readonly displayName: string;
  readonly inputTokenLimit?: number;
  readonly outputTokenLimit?: number;
  readonly supportedGenerationMethods: readonly string[];
}

/**
 * Whether a request for models is one of Google's SDK, which reads them in a form of its own. Its `/v1/models` is also
 * OpenAI's path: there the place of the key tells them apart.
 */
export const isFromGoogle = (path: string, { hasGoogleKey }: { readonly hasGoogleKey: boolean }): boolean =>
  hasGoogleKey || /\/v\d+(?:alpha|beta)\d*\/models(?:[/?]|$)/.test(path);

/**
 * The model for Google's clients, without its provider's name. Undefined if they cannot reach it: their requests are not
 * translated.
 */
export function googleModel(listed: ListedModel, { providerByName, credentials }: Scope): GoogleModel | undefined {
  const provider = listed.id.includes("/") ? providerByName(listed.owned_by) : undefined;
  if (provider === undefined) return undefined;
  const model = listed.id.slice(listed.id.indexOf("/") + 1);
  // Vertex serves models of other vendors in other shapes.
  const isReached = credentials.some(
    (credential) =>
      credential.provider === provider.name &&
      shapesFor(provider, callOf(provider, credential, { model, stream: false })).some(
        ({ shape }) => shape === "generate-content",
      ),
  );
  if (!isReached) return undefined;
  return {
    name: `models/${model}`,
    displayName: listed.display_name,
    ...(listed.context_length !== null && { inputTokenLimit: listed.context_length }),
    ...(listed.max_output_tokens !== null && { outputTokenLimit: listed.max_output_tokens }),
    supportedGenerationMethods: model.includes("embedding") ? EMBEDDING : GENERATING,
  };
}

const EMBEDDING = ["embedContent", "countTokens"];
const GENERATING = ["generateContent", "countTokens"];
