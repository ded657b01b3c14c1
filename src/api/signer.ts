import { createHmac, timingSafeEqual } from "node:crypto";
import type { Config } from "../config.ts";
import { GatewayError } from "../errors.ts";
import type { Store } from "../store/store.ts";
import { calledOrigin } from "./called-origin.ts";
import { StoredSecret } from "./stored-secret.ts";

/** Addresses that work without a key until they expire. */
export class Signer {
  readonly #config: Config;
  readonly #secret: StoredSecret;

  constructor(config: Config, reader: Store, writer: () => Promise<Store>) {
    this.#config = config;
    this.#secret = new StoredSecret("url_secret", reader, writer);
  }

  /** Signs for one answer: `path` in, absolute address out. */
  async forRequest(request: Request): Promise<(path: string) => string> {
    const secret = await this.#secret.load();
    const origin = calledOrigin(this.#config, request);
    const expires = Math.floor(Date.now() / 1000) + this.#config.signed_url_seconds;
    return (path) => `${origin}${path}?expires=${expires}&signature=${sign(secret, path, String(expires))}`;
  }

  /** @throws GatewayError `invalid_auth` where the address is not one that was signed here, or has expired. */
  async verify(request: Request): Promise<void> {
    const url = new URL(request.url);
    const expires = url.searchParams.get("expires") ?? "";
    const given = Buffer.from(url.searchParams.get("signature") ?? "");
    const wanted = Buffer.from(sign(await this.#secret.load(), url.pathname, expires));
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
      throw new GatewayError("invalid_auth", "the signature of this address is wrong");
    }
    if (!(Number(expires) * 1000 > Date.now())) throw new GatewayError("invalid_auth", "this address has expired");
  }
}

function sign(secret: Buffer, path: string, expires: string): string {
  return createHmac("sha256", secret).update(`${path}\n${expires}`).digest("base64url");
}
