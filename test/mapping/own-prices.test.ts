import { expect, test } from "bun:test";
import { OwnPrices } from "../../src/mapping/prices/own-prices.ts";

const configured = [
  { provider: "openai", model: "gpt-*", input: 1 },
  { provider: "openai", model: "gpt-5*", input: 2 },
  { provider: "openai", model: "o3", input: 3 },
];
const stored = [
  { organizationId: "one", provider: "OPENAI", model: "gpt-5-mini", price: { input: 4 } },
  { organizationId: "one", provider: "OPENAI", model: "*", price: { input: 5 } },
  { organizationId: "two", provider: "OPENAI", model: "gpt-4*", price: { input: 6 } },
  { organizationId: "two", provider: "GROQ", model: "gpt-5", price: { input: 7 } },
];
const prices = new OwnPrices(configured, stored);

test.each([
  ["an exact name", "one", "OPENAI", ["gpt-5-mini"], 4],
  ["an organization's pattern before the configuration", "one", "OPENAI", ["o3"], 5],
  ["an organization's pattern", "two", "OPENAI", ["gpt-4o"], 6],
  ["the configuration's longest pattern", "two", "OPENAI", ["gpt-5-mini"], 2],
  ["the configuration, for an organization without prices", "three", "OPENAI", ["o3"], 3],
  ["the first model with a price", "two", "OPENAI", ["o4", "gpt-4o", "gpt-5"], 6],
  ["a price of another provider", "two", "GROQ", ["gpt-5"], 7],
  ["no price of an organization for others", "three", "GROQ", ["gpt-5"], undefined],
  ["no price of another provider's", "one", "GROQ", ["gpt-5-mini"], undefined],
  ["no price of a provider that has none", "one", "CUSTOM", ["gpt-5"], undefined],
] as const)("%s", (_, organization, provider, models, input) => {
  expect(prices.of(organization, provider)(models)?.price.input).toBe(input);
});
