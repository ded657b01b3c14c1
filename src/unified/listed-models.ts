import { pricedModels, tokenRates } from "../mapping/prices/models.ts";
import type { ModelFacts } from "../plugin-host/contract.ts";
import { callOf, factsOf, shapesFor, shapesOf } from "../routing/endpoint.ts";
import { allows } from "../routing/pattern.ts";
import { type Choice, resolve, type Target } from "../routing/resolve.ts";
import type { Scope } from "../routing/scope.ts";
import type { ModelCatalog } from "./model-catalog.ts";

/** A model in a list for clients of every API. */
export interface ListedModel {
  readonly id: string;
  readonly object: "model";
  readonly type: "model";
  /** The creation date of a model is unknown. */
  readonly created: null;
  readonly created_at: null;
  readonly owned_by: string;
  readonly display_name: string;
  readonly context_length: number | null;
  readonly max_output_tokens: number | null;
  /** Anthropic's names of the two limits above. */
  readonly max_input_tokens: number | null;
  readonly max_tokens: number | null;
  /** Anthropic's; unknown. */
  readonly lifecycle: null;
  /** US dollars per token, as texts. */
  readonly pricing: Readonly<Record<"prompt" | "completion" | "cache_read" | "cache_write", string | null>> | null;
  readonly input_modalities: readonly string[] | null;
  readonly supported_parameters: readonly string[] | null;
}

/** The routes without patterns, and every `provider/model` that the scope's key may use and its credentials can serve, by name. */
export function listedModels(scope: Scope, catalog: ModelCatalog): ListedModel[] {
  const found = new Map<string, ListedModel>();
  for (const { name, description } of scope.routes) {
    if (name.includes("*")) continue;
    const targets = targetsOf(name, scope);
    if (targets.length === 0 && !allows(scope.allowed, name)) continue;
    found.set(name, { ...entry(name, "weir", description ?? name, {}), supported_parameters: ofAll(targets, scope) });
  }
  for (const credential of scope.credentials) {
    const provider = scope.providerByName(credential.provider);
    if (provider === undefined || shapesOf(provider).length === 0) continue;
    const priced = new Map(pricedModels(provider.name).map((model) => [model.id, model]));
    const named = credential.models.filter((pattern) => !/[*!]/.test(pattern));
    const names = [...named, ...Object.keys(credential.modelMap), ...catalog.listedBy(credential), ...priced.keys()];
    for (const model of names) {
      const id = `${provider.name.toLowerCase()}/${model}`;
      if (found.has(id) || !allows(credential.models, model) || !allows(scope.allowed, id)) continue;
      if (shapesFor(provider, callOf(provider, credential, { model, stream: false })).length === 0) continue;
      const facts = factsOf(provider, model, scope.providerByName);
      const context = facts.context ?? priced.get(model)?.context;
      const full = context === undefined ? facts : { ...facts, context };
      found.set(id, {
        ...entry(id, provider.name.toLowerCase(), priced.get(model)?.name ?? model, full),
        pricing: pricingOf(provider.name, model),
      });
    }
  }
  return [...found.values()];
}

function entry(id: string, owner: string, name: string, facts: ModelFacts): ListedModel {
  return {
    id,
    object: "model",
    type: "model",
    created: null,
    created_at: null,
    owned_by: owner,
    display_name: name,
    context_length: facts.context ?? null,
    max_output_tokens: facts.maxOutput ?? null,
    max_input_tokens: facts.context ?? null,
    max_tokens: facts.maxOutput ?? null,
    lifecycle: null,
    pricing: null,
    input_modalities: facts.input ?? null,
    supported_parameters: parametersOf(facts),
  };
}

const PARAMETERS = ["temperature", "top_p", "stop", "tools", "tool_choice"];

/** Parameters that all of these targets support; null if one of them is unknown. */
function ofAll(targets: readonly Target[], scope: Scope): readonly string[] | null {
  let all: readonly string[] | undefined;
  for (const { provider, model } of targets) {
    const own = parametersOf(factsOf(provider, model, scope.providerByName));
    if (own === null) return null;
    all = all?.filter((each) => own.includes(each)) ?? own;
  }
  return all ?? null;
}

function targetsOf(name: string, scope: Scope): readonly Target[] {
  const flat = ({ members }: Choice): readonly Target[] =>
    members.flatMap((member) => ("choice" in member ? flat(member.choice) : [member]));
  try {
    return resolve({ names: [{ written: name, name, order: undefined }], excluded: [] }, scope).flatMap(flat);
  } catch {
    return []; // it has no targets now: a request would get the reason
  }
}

/** Uses the parameter names of chat completions at this model: the token limit has two names. */
function parametersOf(facts: ModelFacts): readonly string[] | null {
  const { rejects = [], reasoning, jsonSchema, context, maxTokensName = "max_tokens" } = facts;
  if (context === undefined && reasoning === undefined) return null;
  const more = [
    ...(reasoning !== undefined && reasoning !== "none" ? ["reasoning_effort"] : []),
    ...(jsonSchema === true ? ["response_format"] : []),
  ];
  return [maxTokensName, ...PARAMETERS.filter((name) => !rejects.includes(name)), ...more];
}

function pricingOf(provider: string, model: string): ListedModel["pricing"] {
  const rates = tokenRates(provider, model);
  if (rates === undefined) return null;
  const text = (rate: number | undefined) => (rate === undefined ? null : decimal(rate));
  return {
    prompt: text(rates.prompt),
    completion: text(rates.completion),
    cache_read: text(rates.cacheRead),
    cache_write: text(rates.cacheWrite),
  };
}

/** Without an exponent: clients read these texts as decimals. */
const decimal = (rate: number) => rate.toFixed(15).replace(/\.?0+$/, "") || "0";
