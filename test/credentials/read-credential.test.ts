import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readCredential } from "../../src/credentials/read-credential.ts";
import type { StoredCredential } from "../../src/credentials/stored.ts";
import { assertProperty } from "../chance.ts";
import { rulesOf } from "./rules.ts";

const rules = rulesOf();
const KEY = "sk-test-0123456789";
const ACCOUNT = JSON.stringify({ type: "service_account", client_email: "a@b.iam", private_key: "-----BEGIN" });
const DEFAULTS = {
  settings: {},
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

describe("a credential", () => {
  test("needs a provider and its key, and has defaults for all else", () => {
    expect(readCredential({ provider: "openai", api_key: `${KEY}\n` }, rules)).toEqual({
      name: undefined,
      provider: "OPENAI",
      terms: DEFAULTS,
      secrets: { api_key: KEY },
    });
  });

  test("keeps all that it is given", () => {
    const terms = {
      weight: 2.5,
      models: ["gpt-5*", "!gpt-5-pro"],
      model_map: { "gpt-4o": "my-deployment" },
      limit: "600;w=60,5000;w=86400;u=cents",
      headers: { "OpenAI-Organization": "org-1" },
      base_url: "http://10.1.2.3:8080/openai",
      private: true,
      ask_usage: false,
      enabled: false,
      shared: true,
    };
    const order = readCredential({ name: "team-1", provider: "OpenAI", secrets: { api_key: KEY }, ...terms }, rules);
    expect(order).toEqual({
      name: "team-1",
      provider: "OPENAI",
      terms: { ...DEFAULTS, ...terms },
      secrets: { api_key: KEY },
    });
  });

  test.each([
    ["gemini", { api_key: KEY }, "GOOGLE", {}],
    [
      "Vertex AI",
      { service_account: ACCOUNT, project: "p-1", location: "europe-west4" },
      "GOOGLE",
      { project: "p-1", location: "europe-west4" },
    ],
    [
      "bedrock",
      { access_key_id: "AKIA1", secret_access_key: "s3cr3t", region: "eu-central-1" },
      "AWS",
      { region: "eu-central-1" },
    ],
    ["aws", { api_key: KEY, region: "us-gov-west-1" }, "AWS", { region: "us-gov-west-1" }],
    [
      "azure",
      { api_key: KEY, endpoint: "https://acme.openai.azure.com" },
      "AZURE",
      { endpoint: "https://acme.openai.azure.com" },
    ],
    [
      "azure",
      {
        client_secret: "s~1",
        tenant_id: "t",
        client_id: "c",
        endpoint: "https://acme.openai.azure.com",
        api_version: "2024-10-21",
      },
      "AZURE",
      { tenant_id: "t", client_id: "c", endpoint: "https://acme.openai.azure.com", api_version: "2024-10-21" },
    ],
    ["inference net", { api_key: KEY }, "INFERENCE_NET", {}],
    ["ollama", {}, "OLLAMA", {}],
    ["custom", { base_url: "https://llm.example.com/v1", shape: "messages" }, "CUSTOM", { shape: "messages" }],
  ])("of %s takes %p", (provider, members, name, settings) => {
    const order = readCredential({ provider, ...members }, rules);
    expect([order.provider, order.terms.settings]).toEqual([name, settings as Record<string, string>]);
  });

  test.each([
    [{}, "provider", "give a provider's name"],
    [{ provider: "opnai", api_key: KEY }, "provider", "did you mean openai?"],
    [{ provider: "openai" }, "api_key", "needs api_key"],
    [{ provider: "openai", api_key: "" }, "api_key", "it is empty"],
    [{ provider: "openai", api_key: "two words" }, "api_key", "spaces"],
    [{ provider: "openai", api_key: "kéy" }, "api_key", "cannot be in a key"],
    [{ provider: "openai", api_key: 7 }, "api_key", "give a text"],
    [{ provider: "openai", api_key: "x".repeat(20_000) }, "api_key", "16384 bytes"],
    [{ provider: "openai", api_kye: KEY }, "api_kye", 'did you mean "api_key"?'],
    [{ provider: "openai", secrets: { region: "x" } }, "secrets.region", "not a secret member"],
    [{ provider: "openai", region: "eu-central-1", api_key: KEY }, "region", "no such member"],
    [{ provider: "aws", access_key_id: "A", secret_access_key: "B" }, "region", "needs it: such as eu-central-1"],
    [{ provider: "aws", api_key: KEY, region: "Here" }, "region", "such as eu-central-1"],
    [{ provider: "azure", api_key: KEY }, "endpoint", "needs it: such as https://acme"],
    [{ provider: "custom", api_key: KEY }, "base_url", "no address of its own"],
    [{ provider: "custom", base_url: "https://a.example", shape: "soap" }, "shape", "one of chat-completions"],
    [{ provider: "google", service_account: "{}" }, "service_account", "client_email"],
    [{ provider: "openai", api_key: KEY, name: "client" }, "name", "letters"],
    [{ provider: "openai", api_key: KEY, name: "a/b" }, "name", "letters"],
    [{ provider: "openai", api_key: KEY, weight: -1 }, "weight", "0 to 1000000"],
    [{ provider: "openai", api_key: KEY, models: ["a b"] }, "models.0", "pattern"],
    [{ provider: "openai", api_key: KEY, models: "gpt" }, "models", "list of patterns"],
    [{ provider: "openai", api_key: KEY, model_map: { a: 1 } }, "model_map.a", "model's name"],
    [{ provider: "openai", api_key: KEY, limit: "600" }, "limit", "window is missing"],
    [{ provider: "openai", api_key: KEY, headers: { Authorization: "x" } }, "headers.Authorization", "secret member"],
    [{ provider: "openai", api_key: KEY, headers: { "x-a": "a\r\nb" } }, "headers.x-a", "printable"],
    [{ provider: "openai", api_key: KEY, base_url: "ftp://a.example" }, "base_url", "http(s) address"],
    [{ provider: "openai", api_key: KEY, base_url: "https://u:p@a.example" }, "base_url", "without user"],
    [{ provider: "openai", api_key: KEY, base_url: "https://a.example?x=1" }, "base_url", "query"],
    [{ provider: "openai", api_key: KEY, base_url: "http://10.0.0.1" }, "base_url", '"private": true'],
    [{ provider: "openai", api_key: KEY, base_url: "http://localhost:1234/v1" }, "base_url", '"private": true'],
    [{ provider: "openai", api_key: KEY, base_url: "http://169.254.169.254", private: true }, "base_url", "metadata"],
    [{ provider: "openai", api_key: KEY, base_url: "http://[fd00:ec2::23]", private: true }, "base_url", "metadata"],
    [{ provider: "openai", api_key: KEY, base_url: "http://[fd00:42::42]", private: true }, "base_url", "metadata"],
    [{ provider: "openai", api_key: KEY, base_url: "http://[fd00:ec2::254]", private: true }, "base_url", "metadata"],
    [{ provider: "openai", api_key: KEY, base_url: "http://100.100.100.200", private: true }, "base_url", "metadata"],
    [
      { provider: "openai", api_key: KEY, base_url: "http://metadata.google.internal", private: true },
      "base_url",
      "metadata",
    ],
    [{ provider: "openai", api_key: KEY, base_url: "http://127.0.0.1:8787", private: true }, "base_url", "itself"],
    [{ provider: "azure", api_key: KEY, endpoint: "http://10.0.0.1" }, "endpoint", '"private": true'],
    [{ provider: "openai", api_key: KEY, enabled: "yes" }, "enabled", "true or false"],
  ])("%p is refused at %s", (body, path, says) => {
    const read = () => readCredential(body, rules);
    expect(read).toThrow(
      expect.objectContaining({ code: "invalid_body", path, message: expect.stringContaining(says) }),
    );
    expect(read).not.toThrow(KEY);
  });

  test.each(["shared", "private"])("is not %s in an organization that does not run the deployment", (member) => {
    const read = () => readCredential({ provider: "openai", api_key: KEY, [member]: true }, rulesOf(false));
    expect(read).toThrow(expect.objectContaining({ code: "insufficient_permission", path: member }));
  });

  test("never shows what it refuses, whatever it is", () => {
    const secret = "planted-0123456789";
    const anyValue = fc.oneof(
      fc.constant(secret),
      fc.constant([secret]),
      fc.constant({ a: secret }),
      fc.constant(`${secret} x`),
    );
    const anyName = fc.constantFrom(
      "api_key",
      "secrets",
      "models",
      "base_url",
      "limit",
      "headers",
      "provider",
      "name",
      "service_account",
      "region",
    );
    assertProperty(
      fc.property(fc.dictionary(anyName, anyValue), (members) => {
        try {
          readCredential({ provider: "aws", ...members }, rules);
        } catch (error) {
          // A limit is no secret, and its message quotes it.
          if (!("limit" in members)) expect(String(error)).not.toContain(secret);
        }
      }),
    );
  });
});

describe("a change", () => {
  const previous: StoredCredential = {
    id: "1",
    organization_id: "o",
    name: "openai",
    provider: "OPENAI",
    secrets: { api_key: { sealed: "v1.", set_at: 1, last4: null } },
    terms: { ...DEFAULTS, weight: 3, models: ["gpt-5"] },
    created_at: 1,
    updated_at: 1,
  };

  test("leaves members that it does not name", () => {
    expect(readCredential({ enabled: false }, rules, previous)).toEqual({
      name: "openai",
      provider: "OPENAI",
      terms: { ...previous.terms, enabled: false },
      secrets: {},
    });
  });

  test("resets members that are null", () => {
    expect(readCredential({ weight: null, models: null }, rules, previous).terms).toEqual(DEFAULTS);
  });

  test.each([
    [{ api_key: null }, "api_key"],
    [{ name: "other" }, "name"],
    [{ provider: "groq" }, "provider"],
  ])("%p is refused", (body, path) => {
    expect(() => readCredential(body, rules, previous)).toThrow(expect.objectContaining({ path }));
  });
});
