import type { ProviderPlugin } from "../../src/plugin-host/contract.ts";
import type { Credential } from "../../src/routing/credential.ts";
import type { Demand } from "../../src/routing/demand.ts";
import { KeptChoices, type OrderParts } from "../../src/routing/order.ts";
import type { Route, RouteTarget } from "../../src/routing/route.ts";
import type { ModelIndex, Scope } from "../../src/routing/scope.ts";
import { Speeds } from "../../src/routing/speeds.ts";

export const provider = (name: string): ProviderPlugin => ({ apiVersion: 1, name, target: `https://${name}.test` });

const PROVIDERS = ["OPENAI", "ANTHROPIC", "GROQ", "AWS", "TOGETHER"].map(provider);

const providerByName = (name: string): ProviderPlugin | undefined =>
  PROVIDERS.find((each) => each.name === name.toUpperCase());

let created = 0;

export const credential = (
  providerName: string,
  name = providerName.toLowerCase(),
  more: Partial<Credential> = {},
): Credential => ({
  name,
  organizationId: "org",
  provider: providerName,
  secrets: { api_key: "k" },
  settings: {},
  baseUrl: undefined,
  private: false,
  weight: 1,
  models: [],
  modelMap: {},
  limit: undefined,
  headers: {},
  askUsage: undefined,
  enabled: true,
  shared: false,
  createdAt: created++,
  ...more,
});

export const target = (model: string, more: Partial<RouteTarget> = {}): RouteTarget => ({
  model,
  weight: 1,
  body: undefined,
  on: undefined,
  when: undefined,
  timeoutSeconds: undefined,
  ...more,
});

export const route = (name: string, targets: readonly (string | RouteTarget)[], more: Partial<Route> = {}): Route => ({
  name,
  organizationId: "org",
  source: "stored",
  targets: targets.map((each) => (typeof each === "string" ? target(each) : each)),
  strategy: "order",
  sticky: "session",
  retries: 0,
  timeoutSeconds: undefined,
  description: undefined,
  ...more,
});

const KNOWN: Readonly<Record<string, readonly string[]>> = {
  OPENAI: ["gpt-5-mini", "gpt-oss-120b"],
  ANTHROPIC: ["claude-sonnet-5-5"],
  GROQ: ["gpt-oss-120b"],
};

export const models: ModelIndex = {
  has: ({ name }, model) => KNOWN[name]?.includes(model) ?? false,
  providersOf: (model) => PROVIDERS.filter(({ name }) => KNOWN[name]?.includes(model)),
  names: () => Object.entries(KNOWN).flatMap(([name, list]) => list.map((model) => `${name.toLowerCase()}/${model}`)),
};

export const scope = (more: Partial<Scope> = {}): Scope => ({
  routes: [],
  credentials: ["OPENAI", "ANTHROPIC", "GROQ", "AWS"].map((name) => credential(name)),
  someCredentials: false,
  providerByName,
  models,
  allowed: [],
  hasOwnKey: () => false,
  defaultProvider: undefined,
  ...more,
});

export const demand = (more: Partial<Demand> = {}): Demand => ({
  key: { id: "key-1", name: "ci" },
  user: undefined,
  session: undefined,
  properties: {},
  needs: [],
  inputTokens: 100,
  maxTokens: undefined,
  stream: false,
  ...more,
});

export const orderParts = (more: Partial<OrderParts> = {}): OrderParts => ({
  demand: demand(),
  speeds: new Speeds(),
  priceOf: () => undefined,
  kept: new KeptChoices(),
  organizationId: "org",
  now: 1_000_000,
  random: () => 0.5,
  ...more,
});

/** Numbers from 0 to 1 that look random and are the same each time. */
export function pseudoRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
