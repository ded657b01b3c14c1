import { afterAll, beforeAll, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "../../src/plugin-host/contract.ts";
import { chance } from "../chance.ts";
import { everythingStored, filesBelow } from "./stored.ts";
import { callApi, KEY, recordsOf, runCommand, startWeir, until, type Weir } from "./weir.ts";

/** Only its own provider sees a provider's key, whatever fails, and while the key that encrypts it changes. */

const CHANCE = chance("unified secrets");
const secret = (of: string) => `pLnTd-${of}-${CHANCE.bytes(15).toString("hex")}`;
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const PEM = privateKey.export({ type: "pkcs8", format: "pem" }) as string;

/** Each is planted once: in a credential, by a client, or as the token that a service account gets. */
const PLANTED = {
  openai: secret("openai"),
  anthropic: secret("anthropic"),
  google: secret("google"),
  aws: secret("aws"),
  azure: secret("azure"),
  cohere: secret("cohere"),
  custom: secret("custom"),
  client: secret("client"),
  token: secret("token"),
  account: PEM.split("\n")[5]!,
  rotated: CHANCE.bytes(32).toString("base64"),
  first: CHANCE.bytes(32).toString("base64"),
};
type Planted = keyof typeof PLANTED;

/** The secrets in a text: as they are, in base64, or encoded as in the path of an address. */
function leaked(text: string): Planted[] {
  const forms = (value: string) => [
    value,
    Buffer.from(value).toString("base64").slice(2, -4),
    Buffer.from(value).toString("base64url").slice(2, -4),
    encodeURIComponent(value),
  ];
  return (Object.keys(PLANTED) as Planted[]).filter((name) => forms(PLANTED[name]).some((form) => text.includes(form)));
}

/** The text around each secret that is found, for the failure message. */
const around = (text: string): string[] =>
  leaked(text).map((name) => `${name}: ${text.slice(Math.max(0, text.indexOf(PLANTED[name]) - 300)).slice(0, 400)}`);

let folder: string;
let provider: Server;
let weir: Weir;
/** Headers that the provider received, as text: the only place where the secrets belong. */
const arrived = new Set<string>();

const keyOf = ({ headers }: IncomingMessage) =>
  String(headers.authorization ?? headers["x-api-key"] ?? headers["api-key"] ?? headers["x-goog-api-key"] ?? "");

/** The response that the model's name selects; every error repeats the key. */
function responseTo(request: string, key: string): readonly [status: number, body: Json] {
  if (request.startsWith("/token")) return [200, { access_token: PLANTED.token, expires_in: 3_600 }];
  const error = { message: `Incorrect API key provided: ${key}. (${key})`, type: "x", code: "invalid_api_key" };
  const [, status] = /fail-(\d+)/.exec(request) ?? [];
  if (status !== undefined) return [Number(status), { error, ...error }];
  if (request.includes("fail-stream"))
    return [200, `event: error\ndata: ${JSON.stringify({ type: "error", error })}\n\n`];
  // The body of a success passes unchanged; its headers do not.
  if (request.includes("fail-inside")) return [200, { type: "error", error: { ...error, message: "no" } }];
  if (request.includes("fail-html")) return [502, `<html>${key}</html>`];
  const message = { role: "assistant", content: "fine" };
  return [
    200,
    {
      id: "c",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [{ index: 0, message, finish_reason: "stop" }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    },
  ];
}

function speak(request: IncomingMessage, response: ServerResponse, body: string): void {
  const key = keyOf(request).replace("Bearer ", "");
  const text = `${request.url} ${body}`;
  if (text.includes("fail-reset")) {
    request.socket.resetAndDestroy();
    return;
  }
  const [status, result] = responseTo(text, key);
  const isText = typeof result === "string";
  const echo = text.includes("fail") ? { "x-seen": key, "x-request-id": `req-${key}` } : {};
  response.writeHead(status, { "content-type": isText ? "text/event-stream" : "application/json", ...echo });
  response.end(isText ? result : JSON.stringify(result));
}

const address = () => `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "weir-unified-secrets-"));
  mkdirSync(join(folder, "data"));
  writeFileSync(join(folder, "keys"), `${PLANTED.first}\n`);
  provider = createServer((request, response) => {
    arrived.add(JSON.stringify(request.headers));
    let body = "";
    request.on("data", (bytes) => (body += bytes));
    request.on("end", () => speak(request, response, body));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => provider.once("listening", resolve));
  weir = await start();
});
afterAll(async () => {
  await weir?.stop();
  provider?.close();
  rmSync(folder, { recursive: true, force: true });
});

const start = () =>
  startWeir({
    dataDirectory: join(folder, "data"),
    env: { WEIR_LOG_LEVEL: "debug", WEIR_CREDENTIALS_KEY_FILE: join(folder, "keys") },
  });

const post = (path: string, body: object) => callApi(weir, path, { method: "POST", body: JSON.stringify(body) });

async function ask(model: string, { path = "chat/completions", stream = false, headers = {} } = {}) {
  const response = await fetch(`${weir.gateway}/v1/${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model, stream, max_tokens: 50, messages: [{ role: "user", content: "hi" }] }),
  });
  const text = JSON.stringify([...response.headers]) + (await response.text());
  return { status: response.status, id: response.headers.get("gateway-id")!, text };
}

const REGION = { region: "eu-central-1" };
const CREDENTIALS: readonly Json[] = [
  { provider: "openai", api_key: PLANTED.openai },
  { provider: "anthropic", api_key: PLANTED.anthropic },
  { provider: "google", api_key: PLANTED.google },
  { provider: "google", name: "vertex", project: "p", location: "global" },
  { provider: "aws", access_key_id: "AKIDPUBLIC", secret_access_key: PLANTED.aws, ...REGION },
  { provider: "azure", api_key: PLANTED.azure, endpoint: "https://acme.openai.azure.com" },
  { provider: "cohere", api_key: PLANTED.cohere },
  { provider: "custom", api_key: PLANTED.custom },
];
const MODELS = [
  "openai/",
  "anthropic/claude-",
  "google:google/gemini-",
  "google:vertex/gemini-",
  "aws/amazon.nova-",
  "azure/",
  "cohere/",
  "custom/",
];
const FAILURES = ["400", "401", "403", "404", "429", "500", "reset", "stream", "inside", "html"].map(
  (each) => `fail-${each}`,
);

test("a provider's key reaches that provider, and no file, record, log, metric, error, header, export or backup", async () => {
  const seen: string[] = [];
  for (const each of CREDENTIALS) {
    const account = {
      type: "service_account",
      project_id: "p",
      client_email: "weir@p.iam.gserviceaccount.com",
      private_key: PEM,
      token_uri: `${address()}/token`,
    };
    const more = each.name === "vertex" ? { service_account: JSON.stringify(account) } : {};
    const response = await post("/v1/credentials", {
      name: each.provider,
      base_url: address(),
      private: true,
      ...each,
      ...more,
    });
    seen.push(await response.text());
    expect([each.provider, response.status]).toEqual([each.provider, 200]);
  }
  await until(async () => (await ask("openai/m")).status === 200);

  const ids: string[] = [];
  const note = async (sent: ReturnType<typeof ask>) => {
    const { id, text } = await sent;
    seen.push(text);
    ids.push(id);
  };
  for (const model of MODELS) {
    for (const failure of ["ok", ...FAILURES]) {
      await note(ask(`${model}${failure}`, { stream: failure === "fail-stream" }));
      await note(ask(`${model}${failure}`, { path: "messages", stream: failure === "fail-stream" }));
    }
    seen.push(await (await post("/v1/route/explain", { model: `${model}ok`, body: { messages: [] } })).text());
  }
  await note(ask(MODELS.map((model) => `${model}fail-500`).join(",")));
  for (const place of ["Gateway-Provider-Key-Groq", "Gateway-Provider-Key"])
    await note(ask("groq/m", { headers: { [place]: PLANTED.client } }));
  for (const name of CREDENTIALS.map(({ name, provider: of }) => name ?? of))
    seen.push(await (await post(`/v1/credentials/${name}/test`, {})).text());

  const records = await recordsOf(weir, ids);
  seen.push(JSON.stringify(records));
  const all = (await (await post("/v1/request/query", { filter: "all", limit: 1000 })).json()).data as Json[];
  expect(all.length).toBeGreaterThan(ids.length);
  for (const { request_id } of all) {
    const bodies = ["request", "response", "provider_request", "provider_response"].flatMap((part) =>
      ["", "&raw=true"].map(async (raw) =>
        (await callApi(weir, `/v1/request/${request_id}/body?part=${part}${raw}`)).text(),
      ),
    );
    seen.push(...(await Promise.all(bodies)));
  }
  for (const path of [
    "/v1/credentials",
    "/v1/credentials/openai",
    "/v1/route/health",
    "/v1/routes",
    "/metrics",
    "/readyz",
    "/openapi.json",
  ])
    seen.push(await (await callApi(weir, path)).text());
  seen.push(await (await fetch(`${weir.gateway}/v1/models`, { headers: { Authorization: `Bearer ${KEY}` } })).text());

  const env = { ...weir.env, WEIR_API_KEY: KEY, WEIR_API_URL: weir.api };
  const exported = join(folder, "export.jsonl");
  for (const words of [
    ["export", "--include-body", "-o", exported],
    ["backup", join(folder, "backup")],
    ["credentials", "list", "--json"],
    ["credentials", "show", "openai"],
  ]) {
    const { status, stdout, stderr } = await runCommand(env, ...words);
    expect([words[0], status]).toEqual([words[0]!, 0]);
    seen.push(stdout, stderr);
  }
  expect(readFileSync(exported, "utf8")).toContain("fail-500");
  seen.push(readFileSync(exported, "utf8"), filesBelow(join(folder, "backup")), everythingStored(join(folder, "data")));

  for (const text of seen)
    expect([leaked(text), ...(leaked(text).length > 0 ? [text.slice(0, 500)] : [])]).toEqual([[]]);
  expect(around(weir.output())).toEqual([]);
  // Each key reached its provider.
  const shown = [...arrived].join("\n");
  for (const name of ["openai", "anthropic", "google", "azure", "cohere", "custom", "token"] as const)
    expect([name, shown.includes(PLANTED[name])]).toEqual([name, true]);
  expect(shown).toContain("AWS4-HMAC-SHA256 Credential=AKIDPUBLIC/");
  expect(leaked(shown)).not.toContain("aws");
  expect(leaked(shown)).not.toContain("account");
}, 400_000);

test("quirk 51: the key that encrypts is changed under load, and no request fails", async () => {
  const statuses: number[] = [];
  let done = false;
  const load = Array.from({ length: 4 }, async () => {
    while (!done) statuses.push((await ask(["openai/ok", "custom/ok", "azure/ok"][statuses.length % 3]!)).status);
  });
  const keyIds = async () => {
    const { data } = (await (await callApi(weir, "/v1/credentials")).json()) as Json;
    return new Set(
      data.flatMap(({ secrets, state }: Json) => Object.values(secrets).map((each: Json) => `${state} ${each.key_id}`)),
    );
  };
  const [before] = await keyIds();
  writeFileSync(join(folder, "keys"), `${PLANTED.rotated}\n${PLANTED.first}\n`);
  const rotated = await runCommand(weir.env, "credentials", "rotate");
  expect([rotated.status, rotated.stderr]).toEqual([0, expect.stringContaining("encrypted again")]);
  writeFileSync(join(folder, "keys"), `${PLANTED.rotated}\n`);
  await until(async () => (await keyIds()).size === 1 && ![...(await keyIds())].includes(before));
  const after = statuses.length + 40;
  await until(() => statuses.length > after);
  done = true;
  await Promise.all(load);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);

  await weir.stop();
  weir = await start();
  await until(async () => (await ask("openai/ok")).status === 200);
  for (const name of ["custom", "azure"]) expect((await ask(`${name}/ok`)).status).toBe(200);
  expect(around(rotated.stdout + rotated.stderr + weir.output() + everythingStored(join(folder, "data")))).toEqual([]);
}, 300_000);
