import { GatewayError } from "../../errors.ts";
import { parseJson } from "../../mapping/json.ts";
import type { WholeRequest, WholeResponse } from "../whole-call.ts";

/** A token and its expiry, in milliseconds since 1970. */
interface Token {
  readonly value: string;
  readonly expiresAt: number;
}

/** A new token is requested this long before the old one expires. */
const EARLY_MS = 120_000;
const TIMEOUT_MS = 15_000;
const BYTES_MAX = 64 * 1_024;
const TOKENS_MAX = 1_000;

/** Access tokens of service accounts and tenants, each requested once and cached until shortly before it expires. */
export class Tokens {
  readonly #call: (request: WholeRequest) => Promise<WholeResponse>;
  readonly #known = new Map<string, Promise<Token>>();

  constructor(call: (request: WholeRequest) => Promise<WholeResponse>) {
    this.#call = call;
  }

  /**
   * @param key - identifies the secret of the token; another secret has another key.
   * @param form - creates the request's form; it is called when a token is needed.
   * @throws GatewayError `credential_rejected` if none is issued.
   */
  async get(key: string, url: URL, form: () => Promise<Readonly<Record<string, string>>>): Promise<string> {
    const known = this.#known.get(key);
    if (known !== undefined) {
      const token = await known.catch(() => undefined);
      if (token !== undefined && token.expiresAt - EARLY_MS > Date.now()) return token.value;
      if (this.#known.get(key) === known) this.#known.delete(key);
    }
    let pending = this.#known.get(key);
    if (pending === undefined) {
      pending = this.#ask(url, form);
      if (this.#known.size >= TOKENS_MAX) this.#known.delete(this.#known.keys().next().value!);
      this.#known.set(key, pending);
      pending.catch(() => this.#known.delete(key));
    }
    return (await pending).value;
  }

  async #ask(url: URL, form: () => Promise<Readonly<Record<string, string>>>): Promise<Token> {
    const { status, body } = await this.#call({
      method: "POST",
      url,
      headers: { "Content-Type": "application/x-www-form-urlencoded", Accept: "application/json" },
      body: Buffer.from(new URLSearchParams(await form()).toString()),
      bytesMax: BYTES_MAX,
      timeoutMs: TIMEOUT_MS,
    });
    const response = parseJson(Buffer.from(body).toString("utf8"));
    const value: unknown = response?.access_token;
    if (status !== 200 || typeof value !== "string")
      throw new GatewayError("credential_rejected", `${url.host} issued no access token for the credential: ${status}`);
    const seconds = Number(response.expires_in);
    return { value, expiresAt: Date.now() + (Number.isFinite(seconds) ? seconds : 3_600) * 1_000 };
  }
}
