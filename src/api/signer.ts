import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Config } from "../config.ts";
import { GatewayError } from "../errors.ts";
import type { Store } from "../store/store.ts";

const SETTING = "url_secret";
const HOST = /^[a-z0-9._-]+(:\d{1,5})?$|^\[[0-9a-f:.]+\](:\d{1,5})?$/i;

/** Addresses that work without a key until they expire. */
export class Signer {
  readonly #config: Config;
  readonly #reader: Store;
  readonly #writer: () => Promise<Store>;
  #secret: Promise<Buffer> | undefined;

  constructor(config: Config, reader: Store, writer: () => Promise<Store>) {
    this.#config = config;
    this.#reader = reader;
    this.#writer = writer;
  }

  /** Signs for one answer: `path` in, absolute address out. */
  async forRequest(request: Request): Promise<(path: string) => string> {
    const secret = await this.#loadSecret();
    const origin = this.#origin(request);
    const expires = Math.floor(Date.now() / 1000) + this.#config.signed_url_seconds;
    return (path) => `${origin}${path}?expires=${expires}&signature=${sign(secret, path, String(expires))}`;
  }

  /** @throws GatewayError `invalid_auth` where the address is not one that was signed here, or has expired. */
  async verify(request: Request): Promise<void> {
    const url = new URL(request.url);
    const expires = url.searchParams.get("expires") ?? "";
    const given = Buffer.from(url.searchParams.get("signature") ?? "");
    const wanted = Buffer.from(sign(await this.#loadSecret(), url.pathname, expires));
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
      throw new GatewayError("invalid_auth", "the signature of this address is wrong");
    }
    if (!(Number(expires) * 1000 > Date.now())) throw new GatewayError("invalid_auth", "this address has expired");
  }

  /** As configured, else as the client called us. */
  #origin(request: Request): string {
    const { public_api_url, host, api_port } = this.#config;
    if (public_api_url !== "") return public_api_url.replace(/\/+$/, "");
    const called = request.headers.get("host") ?? "";
    const scheme = request.headers.get("x-forwarded-proto") === "https" ? "https" : "http";
    return `${scheme}://${HOST.test(called) ? called : `${host}:${api_port}`}`;
  }

  #loadSecret(): Promise<Buffer> {
    this.#secret ??= this.#findSecret().catch((error: unknown) => {
      this.#secret = undefined;
      throw error;
    });
    return this.#secret;
  }

  async #findSecret(): Promise<Buffer> {
    const lookup = { sql: "select value from settings where name = ?", args: [SETTING] };
    const [known] = await this.#reader.records.query<{ value: string }>(lookup);
    if (known !== undefined) return Buffer.from(known.value, "hex");
    const { records } = await this.#writer();
    const insert = "insert into settings (name, value) values (?, ?) on conflict (name) do nothing";
    await records.batch([{ sql: insert, args: [SETTING, randomBytes(32).toString("hex")] }]);
    const [made] = await records.query<{ value: string }>(lookup);
    return Buffer.from(made!.value, "hex");
  }
}

function sign(secret: Buffer, path: string, expires: string): string {
  return createHmac("sha256", secret).update(`${path}\n${expires}`).digest("base64url");
}
