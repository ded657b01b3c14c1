import { describe, expect, test } from "bun:test";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Role } from "../../src/people/permissions.ts";
import { personOf } from "../../src/sso/person.ts";
import { redirectAddress, secretOf, ssoProviders, ssoSecrets } from "../../src/sso/provider.ts";
import { rolesByRules } from "../../src/sso/rules.ts";

const PLACE = { public_url: "https://weir.test/", public_api_url: "" };
const PLAIN = { issuer: "https://login.test", client_id: "weir" };
const read = (table: Record<string, unknown>, name = "corp") => ssoProviders({ ...PLACE, sso: { [name]: table } })[0]!;
const rule = (...rules: unknown[]) => ({ ...PLAIN, rules });

test("what a table leaves out is as the documentation says", () => {
  expect(read(PLAIN)).toEqual({
    name: "corp",
    issuer: "https://login.test",
    clientId: "weir",
    clientSecret: null,
    scopes: "openid profile email",
    label: "corp",
    groupsClaim: "groups",
    allowedDomains: [],
    endSession: true,
    rules: [],
  });
  expect(redirectAddress(PLACE, "corp")).toBe("https://weir.test/v1/login/corp/callback");
  expect(read({ ...PLAIN, scopes: ["openid", "groups"] }).scopes).toBe("openid groups");
});

test.each([
  ["no issuer", { client_id: "weir" }, "[sso.corp] issuer: must be the provider's address"],
  ["no client", { issuer: "https://login.test" }, "[sso.corp] client_id: is missing"],
  ["plain http", { ...PLAIN, issuer: "http://login.test" }, "issuer: must be https"],
  [
    "an address of the description",
    { ...PLAIN, issuer: "https://login.test/.well-known/openid-configuration" },
    "issuer: must be only the issuer",
  ],
  [
    "every tenant of Entra",
    { ...PLAIN, issuer: "https://login.microsoftonline.com/common/v2.0" },
    "issuer: must name one tenant",
  ],
  [
    "a secret in the file",
    { ...PLAIN, client_secret: "hush" },
    "client_secret: a secret must not be in the configuration file",
  ],
  ["scopes without openid", { ...PLAIN, scopes: "email" }, "scopes: must hold openid"],
  ["a domain with a path", { ...PLAIN, allowed_domains: ["a.test/b"] }, "allowed_domains: must be a list of domains"],
  ["a misspelt member", { ...PLAIN, isuer: "x" }, "isuer: there is no such member; did you mean issuer?"],
  ["a text for a switch", { ...PLAIN, end_session: "yes" }, "end_session: must be true or false"],
  ["rules that are no list", { ...PLAIN, rules: {} }, "rules: must be a list of tables"],
  ["a rule without a condition", rule({ organization: "default", role: "viewer" }), "rules[0]: needs a condition"],
  [
    "a rule of no role",
    rule({ group: "a", organization: "default", role: "boss" }),
    "rules[0].role: must be one of viewer, analyst, developer, admin",
  ],
  [
    "a rule that makes operators",
    rule({ group: "a", organization: "default", role: "operator" }),
    "rules[0].role: operator belongs to a user",
  ],
  ["a rule of no organization", rule({ group: "a", role: "viewer" }), "rules[0].organization: is missing"],
  [
    "a misspelt condition",
    rule({ gruop: "a", organization: "default", role: "viewer" }),
    "rules[0].gruop: there is no such member; did you mean group?",
  ],
  [
    "a claim without a value",
    rule({ claim: { name: "a" }, organization: "default", role: "viewer" }),
    "rules[0].claim: must be a table",
  ],
  [
    "an address that is none",
    rule({ email: "ada", organization: "default", role: "viewer" }),
    "rules[0].email: must be an e-mail address",
  ],
])("%s stops the start, in words", (_name, table, words) => {
  expect(() => read(table)).toThrow(words);
});

test.each(["key", "local", "Corp", "a/b", "", "a".repeat(41)])("no provider is called %j", (name) => {
  expect(() => read(PLAIN, name)).toThrow("name:");
});

test("a provider needs the address under which people reach the dashboard", () => {
  const config = { sso: { corp: PLAIN }, public_url: "", public_api_url: "" };
  expect(() => ssoProviders(config)).toThrow("[sso.corp] needs public_url");
  expect(ssoProviders({ ...config, public_api_url: "https://api.test" })).toHaveLength(1);
});

test("a secret comes from a variable, once, or from a file, each time", () => {
  const byVariable = read({ ...PLAIN, client_secret: "env:SECRET_OF_SSO" });
  const secrets = ssoSecrets([byVariable], { SECRET_OF_SSO: " hush\n" });
  expect(secretOf(byVariable, secrets)).toBe("hush");
  expect(() => ssoSecrets([byVariable], {})).toThrow("the variable SECRET_OF_SSO is not set");
  const file = join(mkdtempSync(join(tmpdir(), "weir-sso-")), "secret");
  const byFile = read({ ...PLAIN, client_secret: `file:${file}` });
  expect(() => ssoSecrets([byFile], {})).toThrow("client_secret: ");
  for (const secret of ["one", "two"]) {
    writeFileSync(file, `${secret}\n`);
    expect(secretOf(byFile, {})).toBe(secret);
  }
});

describe("claims become roles", () => {
  const roles = (provider: Record<string, unknown>, claims: Record<string, unknown>): Record<string, Role> => {
    const checked = read({ ...PLAIN, ...provider });
    return Object.fromEntries(
      rolesByRules(checked.rules, personOf(checked, { sub: "1", email: "ada@example.test", ...claims })),
    );
  };
  const of = (condition: object, role = "analyst") => ({ ...condition, organization: "default", role });

  test.each([
    ["Keycloak: groups with their path", {}, { group: "/research/ml" }, { groups: ["/research/ml"] }],
    [
      "Keycloak: roles of the realm",
      { groups_claim: "realm_access.roles" },
      { group: "ml" },
      { realm_access: { roles: ["ml"] } },
    ],
    ["Entra: groups by their ids", {}, { group: "0f7c-1" }, { groups: ["0f7c-1", "0f7c-2"] }],
    [
      "Entra: roles of the application",
      { groups_claim: "roles" },
      { group: "Weir.Analyst" },
      { roles: ["Weir.Analyst"] },
    ],
    [
      "Zitadel: roles as an object",
      { groups_claim: "urn:zitadel:iam:org:project:roles" },
      { group: "ml" },
      { "urn:zitadel:iam:org:project:roles": { ml: { "1": "x.test" } } },
    ],
    ["Google: a domain", {}, { domain: "example.test" }, { hd: "example.test" }],
    [
      "Google: the claim of the organization",
      {},
      { claim: { name: "hd", value: "example.test" } },
      { hd: "example.test" },
    ],
    [
      "GitLab: groups under another name",
      { groups_claim: "groups_direct" },
      { group: "a/b" },
      { groups_direct: ["a/b"] },
    ],
    ["an address, in any case", {}, { email: "ADA@example.test" }, {}],
    ["a value in a list", {}, { claim: { name: "teams", value: 7 } }, { teams: [3, 7] }],
    ["two conditions that both fit", {}, { domain: "example.test", group: "ml" }, { groups: ["ml"] }],
  ])("%s", (_name, provider, condition, claims) => {
    expect(roles({ ...provider, rules: [of(condition)] }, claims)).toEqual({ default: "analyst" });
  });

  test.each([
    ["a part of a group's name", { group: "ml" }, { groups: ["mlops", "/ml"] }],
    ["a domain that ends alike", { domain: "ample.test" }, {}],
    ["a domain above", { domain: "test" }, {}],
    ["a value of another kind", { claim: { name: "level", value: 1 } }, { level: "1" }],
    ["a member that every object has", { claim: { name: "constructor.name", value: "Object" } }, {}],
    ["one of two conditions", { domain: "example.test", group: "ml" }, { groups: [] }],
  ])("%s does not fit", (_name, condition, claims) => {
    expect(roles({ rules: [of(condition)] }, claims)).toEqual({});
  });

  test("all that fit count, and the strongest holds, in whichever order they stand", () => {
    const rules = [
      of({ domain: "example.test" }, "viewer"),
      of({ group: "ml" }, "admin"),
      of({ group: "b" }, "analyst"),
    ];
    for (const order of [rules, rules.toReversed()])
      expect(roles({ rules: order }, { groups: ["ml", "b"] })).toEqual({ default: "admin" });
  });

  test("only allowed domains log in, and none that ends like one", () => {
    const table = { allowed_domains: ["Example.test"], rules: [of({ domain: "example.test" })] };
    expect(roles(table, {})).toEqual({ default: "analyst" });
    for (const email of ["ada@evil-example.test", "ada@example.test.evil.test", "ada@sub.example.test"])
      expect(() => roles(table, { email })).toThrow("may not log in here");
  });
});
