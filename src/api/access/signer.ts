import { timingSafeEqual } from "node:crypto";
import type { Config } from "../../config.ts";
import { GatewayError } from "../../errors.ts";
import { addressSigner, signPath, URL_SECRET } from "../../store/signed-address.ts";
import type { Store } from "../../store/store.ts";
import { StoredSecret } from "../../store/stored-secret.ts";
import { calledOrigin } from "./called-origin.ts";

/** Addresses that work without a key until they expire. */
export class Signer {
  readonly #config: Config;
  readonly #secret: StoredSecret;

  constructor(config: Config, reader: Store, writer: () => Promise<Store>) {
    this.#config = config;
    this.#secret = new StoredSecret(URL_SECRET, reader, writer);
  }

  /** A signer for one response: `path` in, absolute address out. */
  async forRequest(request: Request): Promise<(path: string) => string> {
    return addressSigner(this.#config, this.#secret, calledOrigin(this.#config, request));
  }

  /** @throws GatewayError `invalid_auth` if the address was not signed here, or has expired. */
  async verify(request: Request): Promise<void> {
    const url = new URL(request.url);
    const [expires = "", ...otherTimes] = url.searchParams.getAll("expires");
    const [signature = "", ...otherSignatures] = url.searchParams.getAll("signature");
    // Exactly one address was signed; repeated parameters would make it ambiguous.
    if (otherTimes.length > 0 || otherSignatures.length > 0)
      throw new GatewayError("invalid_auth", "this address is not as it was signed");
    const given = Buffer.from(signature);
    const wanted = Buffer.from(signPath(await this.#secret.load(), url.pathname, expires));
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
      throw new GatewayError("invalid_auth", "the signature of this address is wrong");
    }
    if (!(Number(expires) * 1000 > Date.now())) throw new GatewayError("invalid_auth", "this address has expired");
  }
}
