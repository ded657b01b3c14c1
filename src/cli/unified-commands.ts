import { CLIENT_SHAPES } from "../unified/client-shapes.ts";
import type { Command, Option } from "./command.ts";
import { JSON_OPTION } from "./options.ts";

const text = (value: string, description: string): Option => ({ type: "string", value, description });
const texts = (value: string, description: string): Option => ({ ...text(value, description), multiple: true });
const ORG = text("ORG", "the organization (default: default)");
const NEW_ORG = text("ORG", "the organization, created if it does not exist (default: default)");

/** Settings of a credential, for add and set. */
const TERMS: Readonly<Record<string, Option>> = {
  secret: text("NAME", "the secret member to read from stdin or the prompt, such as api_key"),
  set: texts("NAME=VALUE", "a member of the provider's own, such as region=eu-central-1"),
  models: text("LIST", "patterns of the models it serves, '!' excludes (default: all)"),
  "model-map": texts("NAME=NAME", "a model's name, and its deployment, profile or ARN"),
  weight: text("NUMBER", "share of the requests among credentials of one provider; 0 means fallback only (default: 1)"),
  limit: text("POLICIES", "such as 600;w=60,5000;w=86400;u=cents"),
  header: texts("NAME=VALUE", "a header for every request with it; not for secrets"),
  "base-url": text("URL", "the origin to use instead of the provider's, or one with a path"),
  private: { type: "boolean", description: "the base URL may be a private address" },
  "ask-usage": text("yes|no", "whether to request the usage of chat streams (default: if a limit needs it)"),
  shared: { type: "boolean", description: "every organization may use it" },
  disable: { type: "boolean", description: "it is not used" },
  json: { type: "boolean", description: "the complete credential as JSON on stdout, without its secrets" },
  org: ORG,
};

/** Commands about credentials and routes. */
export const UNIFIED_COMMANDS: readonly Command[] = [
  {
    name: "credentials add",
    summary: "store a provider's key, from stdin or a prompt, and print its name",
    args: ["<provider>"],
    options: { name: text("NAME", "its name (default: the provider's name)"), ...TERMS, org: NEW_ORG },
    notes: [
      "Pass several secrets on stdin as JSON, or as lines name=value: access_key_id=… and secret_access_key=… for aws.",
      "Secrets are encrypted, and never shown again.",
    ],
    load: async () => (await import("./credentials.ts")).addCredentialCommand,
  },
  {
    name: "credentials list",
    summary: "list the credentials, without their secrets",
    options: { json: JSON_OPTION, org: ORG },
    load: async () => (await import("./credentials.ts")).listCredentialsCommand,
  },
  {
    name: "credentials show",
    summary: "show one credential as JSON, without its secrets",
    args: ["<name>"],
    options: { org: ORG },
    load: async () => (await import("./credentials.ts")).showCredentialCommand,
  },
  {
    name: "credentials set",
    summary: "change a credential; other settings stay",
    args: ["<name>"],
    options: {
      ...TERMS,
      enable: { type: "boolean", description: "it is used again" },
      reset: text("LIST", "members to reset to their defaults, such as limit,models,private"),
    },
    load: async () => (await import("./credentials.ts")).setCredentialCommand,
  },
  {
    name: "credentials remove",
    summary: "remove a credential with its secrets",
    args: ["<name>"],
    options: { org: ORG },
    load: async () => (await import("./credentials.ts")).removeCredentialCommand,
  },
  {
    name: "credentials rotate",
    summary: "encrypt the secrets of all organizations with the first key",
    notes: [
      "Put the new key first into WEIR_CREDENTIALS_KEY or its file, run this, then remove the old one.",
      "Exits with status 1 if no key decrypts a secret.",
    ],
    load: async () => (await import("./credentials.ts")).rotateCredentialsCommand,
  },
  {
    name: "credentials test",
    summary: "test a credential: list its models, or count a word's tokens",
    args: ["<name>"],
    options: {
      model: text("MODEL", "for providers without a list of models"),
      json: { type: "boolean", description: "the result as JSON, with the models" },
      org: ORG,
    },
    notes: ["Exits with status 1 if the provider rejects it."],
    load: async () => (await import("./credentials.ts")).testCredentialCommand,
  },
  {
    name: "routes list",
    summary: "list the routes",
    options: { json: JSON_OPTION, org: ORG },
    load: async () => (await import("./routes.ts")).listRoutesCommand,
  },
  {
    name: "routes set",
    summary: "create or replace a route",
    args: ["<name>"],
    options: {
      file: text("FILE", "the route as JSON (default: stdin)"),
      target: texts("MODEL", "a target, instead of a file; further ones are fallbacks, in order"),
      strategy: text("NAME", "with --target: order, weighted, cheapest or fastest (default: order)"),
      org: NEW_ORG,
    },
    load: async () => (await import("./routes.ts")).setRouteCommand,
  },
  {
    name: "routes remove",
    summary: "remove a route",
    args: ["<name>"],
    options: { org: ORG },
    load: async () => (await import("./routes.ts")).removeRouteCommand,
  },
  {
    name: "route explain",
    summary: "show where a request for a model would go, and why; nothing is called",
    args: ["<model>"],
    options: {
      shape: text("SHAPE", `the client's API, such as messages (default: ${CLIENT_SHAPES[0]})`),
      body: text("FILE|-", "the client's body as JSON; then the losses of each target are shown"),
      key: text("KEY", "id or name of the service key of the request (default: one without restrictions)"),
      user: text("USER", "as in Gateway-User-Id"),
      session: text("SESSION", "as in Gateway-Session-Id"),
      property: texts("NAME=VALUE", "as in Gateway-Property-NAME"),
      "api-url": text("URL", "address of the API (default: WEIR_API_URL, else this configuration's)"),
      json: { type: "boolean", description: "everything as JSON, with the requests to providers" },
    },
    notes: ["Calls the running service, with the key in WEIR_API_KEY."],
    load: async () => (await import("./explain-route.ts")).explainRouteCommand,
  },
];
