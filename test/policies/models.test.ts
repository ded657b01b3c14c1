import { expect, test } from "bun:test";
import models from "../../plugins/models.ts";
import { type RequestParts, requestOf } from "./open.ts";
import { setUpPlugin } from "./set-up.ts";

const forbidden = { status: 403, code: "model_forbidden" };

async function ask(options: object, parts: RequestParts) {
  const { onRequest, needs } = await setUpPlugin(models, options);
  const request = requestOf(parts);
  const needed = typeof needs === "function" ? needs(request) : needs;
  const verdict = await onRequest?.(request);
  return { needed, code: verdict === undefined ? "passes" : (verdict as { code?: string }).code, verdict };
}

const green = { properties: { Plan: "free-1" } };

test.each<[string, object, RequestParts, "passes" | "model_forbidden"]>([
  ["a model of the list", { allow: ["gpt-5*"] }, { model: "gpt-5-mini" }, "passes"],
  ["a model of the list in another case", { allow: ["GPT-5*"] }, { model: "gpt-5-mini" }, "passes"],
  ["a model beside the list", { allow: ["gpt-5*"] }, { model: "o9" }, "model_forbidden"],
  ["a model that only begins like one", { allow: ["gpt-5"] }, { model: "gpt-5-pro" }, "model_forbidden"],
  ["a dot, which is no pattern", { allow: ["gpt.5"] }, { model: "gpt-5" }, "model_forbidden"],
  ["a provider's models", { allow: ["anthropic/*"] }, { model: "m", provider: "ANTHROPIC" }, "passes"],
  ["another provider's", { allow: ["anthropic/*"] }, { model: "m", provider: "OPENAI" }, "model_forbidden"],
  ["a denied model of the list", { allow: ["*"], deny: ["*-preview"] }, { model: "x-preview" }, "model_forbidden"],
  ["a model that is not denied", { deny: ["*-preview"] }, { model: "x" }, "passes"],
  ["an empty list", { allow: [] }, { model: "x" }, "model_forbidden"],
  ["a key's rule", { rules: [{ key: "k", allow: ["a"] }] }, { keyId: "k", model: "b" }, "model_forbidden"],
  ["another key's rule", { rules: [{ key: "k", allow: ["a"] }] }, { keyId: "l", model: "b" }, "passes"],
  [
    "an organization's",
    { rules: [{ organization: "o", deny: ["b"] }] },
    { organizationId: "o", model: "b" },
    "model_forbidden",
  ],
  [
    "a property's",
    { rules: [{ property: { plan: "free*" }, allow: ["a"] }] },
    { ...green, model: "b" },
    "model_forbidden",
  ],
  ["a property that is not sent", { rules: [{ property: { plan: "*" }, allow: ["a"] }] }, { model: "b" }, "passes"],
  [
    "one rule of two",
    { allow: ["a", "b"], rules: [{ key: "k", allow: ["a"] }] },
    { keyId: "k", model: "b" },
    "model_forbidden",
  ],
  ["a key's own list", {}, { keyModels: ["openai/*", "!openai/o1*"], model: "o3", provider: "OPENAI" }, "passes"],
  [
    "what a key's own list excludes",
    {},
    { keyModels: ["openai/*", "!openai/o1*"], model: "o1", provider: "OPENAI" },
    "model_forbidden",
  ],
  ["a key that excludes only", {}, { keyModels: ["!o1"], model: "o3" }, "passes"],
  ["no model", { allow: ["a"] }, {}, "model_forbidden"],
  ["no model where that may pass", { allow: ["a"], unknown: "pass" }, {}, "passes"],
  ["no model of a GET", { allow: ["a"] }, { method: "GET" }, "passes"],
])("%s", async (_name, options, parts, expected) => {
  const { code, verdict } = await ask(options, parts);
  expect(code).toBe(expected);
  if (expected !== "passes") expect(verdict).toMatchObject(forbidden);
});

test("nothing is read of a request that no rule is about", async () => {
  expect((await ask({}, { model: "x" })).needed).toEqual([]);
  expect((await ask({ rules: [{ key: "k", allow: ["a"] }] }, { keyId: "l" })).needed).toEqual([]);
  expect((await ask({ rules: [{ key: "k", allow: ["a"] }] }, { keyId: "k" })).needed).toEqual(["model"]);
});

test("a misspelt option is refused", async () => {
  await expect(setUpPlugin(models, { rules: [{ keys: "k" }] })).rejects.toThrow("rules");
});
