import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ssoCheck } from "../../src/maintenance/doctor/checks/sso.ts";
import { ownDirectory } from "../store/open.ts";
import { CLIENT_ID, IdentityProvider } from "./identity-provider.ts";

setDefaultTimeout(300_000);

const PUBLIC = "https://weir.test";

let corp: IdentityProvider;
let late: Server;

beforeAll(async () => {
  corp = await IdentityProvider.start({ redirects: [`${PUBLIC}/v1/login/corp/callback`] });
  late = createServer((_request, response) => {
    const issuer = `http://127.0.0.1:${(late.address() as AddressInfo).port}`;
    const described = {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
    };
    response
      .setHeader("content-type", "application/json")
      .setHeader("date", new Date(Date.now() - 600_000).toUTCString());
    response.end(JSON.stringify(described));
  });
  await new Promise<void>((resolve) => late.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  await corp[Symbol.asyncDispose]();
  late.closeAllConnections();
  late.close();
});

async function findings(sso: Record<string, Record<string, unknown>>, public_url = PUBLIC) {
  using directory = ownDirectory({ public_url, sso });
  const outcomes = await ssoCheck.run({ config: directory.config, env: {}, running: false, thorough: false });
  return outcomes.map(({ verdict, message, fix }) => `${verdict}: ${message} -> ${fix ?? ""}`);
}

test("a provider that knows the client and its redirect address passes", async () => {
  expect(await findings({ corp: { issuer: corp.issuer, client_id: CLIENT_ID } })).toEqual([
    `ok: sso.corp: ${corp.issuer} responds, and knows ${PUBLIC}/v1/login/corp/callback -> `,
  ]);
});

test.each([
  [
    "a redirect address that is not registered",
    "elsewhere",
    () => ({ issuer: corp.issuer, client_id: CLIENT_ID }),
    `-> register ${PUBLIC}/v1/login/elsewhere/callback`,
  ],
  [
    "a client that is not known",
    "corp",
    () => ({ issuer: corp.issuer, client_id: "nobody" }),
    "as redirect address of the client nobody",
  ],
  [
    "an issuer that does not respond",
    "corp",
    () => ({ issuer: "http://127.0.0.1:9", client_id: "weir" }),
    "has no readable configuration",
  ],
  [
    "another issuer",
    "corp",
    () => ({ issuer: `${corp.issuer}/realms/main`, client_id: "weir" }),
    "has no readable configuration",
  ],
  [
    "clocks that differ by ten minutes",
    "corp",
    () => ({ issuer: `http://127.0.0.1:${(late.address() as AddressInfo).port}`, client_id: "weir" }),
    "600 s apart",
  ],
  ["a table that is wrong", "corp", () => ({ issuer: corp.issuer }), "[sso.corp] client_id: is missing"],
])("%s is a failure, with what to do", async (_name, name, table, words) => {
  const found = (await findings({ [name]: table() })).join("\n");
  expect(found).toContain("fail: ");
  expect(found.replace(/(599|601) s/, "600 s")).toContain(words);
});

test("plain http is a warning, and a configuration without providers passes", async () => {
  const over = await findings({ corp: { issuer: corp.issuer, client_id: CLIENT_ID } }, "http://weir.test");
  expect(over[0]).toStartWith("warn: users log in over plain http");
  expect(await findings({})).toEqual(["ok: none is configured -> "]);
});
