import { Type } from "@sinclair/typebox";
import type { CredentialTerms } from "./stored.ts";

const expects = (text: string) => ({ expects: text });

const MODEL = Type.String({
  pattern: "^!?[^\\s,!][^\\s,]{0,199}$",
  ...expects('give a pattern of model names such as "gpt-5*", or "!gpt-5-pro" to exclude some'),
});
const MODEL_NAME = { pattern: "^[^\\s,]{1,500}$", ...expects("give a model's name") };

/** The members that every credential has; the provider's own are separate. */
export const TERMS_SCHEMA = Type.Object({
  weight: Type.Number({
    minimum: 0,
    maximum: 1_000_000,
    ...expects("give a number from 0 to 1000000"),
    description: "Share of the requests among credentials of one provider; 0 means fallback only. Default 1.",
  }),
  models: Type.Array(MODEL, {
    maxItems: 500,
    ...expects("give a list of patterns of model names"),
    description: "Patterns of the models that it serves, `!` excludes; default all.",
  }),
  model_map: Type.Record(Type.String(MODEL_NAME), Type.String(MODEL_NAME), {
    maxProperties: 500,
    additionalProperties: false,
    ...expects("give an object of model names and the provider's names for them"),
    description: "Names that clients use, mapped to deployments, profiles or ARNs.",
  }),
  limit: Type.String({
    maxLength: 1_000,
    ...expects("give rate-limit policies such as 600;w=60,5000;w=86400;u=cents"),
    description: "Rate-limit policies, such as `600;w=60,5000;w=86400;u=cents`.",
  }),
  headers: Type.Record(
    Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$" }),
    Type.String({ pattern: "^[\\x20-\\x7e]{0,2000}$", ...expects("give up to 2000 printable ASCII characters") }),
    {
      maxProperties: 20,
      additionalProperties: false,
      ...expects("give an object of up to 20 header names and values"),
      description: "Headers for every request with it. Not for secrets: they are visible.",
    },
  ),
  base_url: Type.String({
    maxLength: 1_000,
    ...expects("give an http(s) address"),
    description: "Origin in place of the provider's, or with a path that replaces its base path.",
  }),
  private: Type.Boolean({
    ...expects("give true or false"),
    description: "Whether `base_url` may be a private address; the operator's organization only.",
  }),
  ask_usage: Type.Boolean({
    ...expects("give true, false or null"),
    description: "Whether to request the usage of chat streams. Default: if `limit` counts cents or tokens.",
  }),
  enabled: Type.Boolean({ ...expects("give true or false") }),
  shared: Type.Boolean({
    ...expects("give true or false"),
    description: "Whether every organization may use it; the operator's organization only.",
  }),
});

export type TermName = Exclude<keyof CredentialTerms, "settings">;
export const TERM_NAMES = Object.keys(TERMS_SCHEMA.properties) as TermName[];

export const TERMS_DEFAULT: Omit<CredentialTerms, "settings"> = {
  weight: 1,
  models: [],
  model_map: {},
  limit: null,
  headers: {},
  base_url: null,
  private: false,
  ask_usage: null,
  enabled: true,
  shared: false,
};

/** The terms as routing reads them. */
export const usableTerms = (terms: CredentialTerms) => ({
  settings: terms.settings,
  baseUrl: terms.base_url ?? undefined,
  private: terms.private,
  weight: terms.weight,
  models: terms.models,
  modelMap: terms.model_map,
  limit: terms.limit ?? undefined,
  headers: terms.headers,
  askUsage: terms.ask_usage ?? undefined,
  enabled: terms.enabled,
  shared: terms.shared,
});
