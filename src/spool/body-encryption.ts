import type { Cipheriv } from "node:crypto";
import { type BodyKey, type EncryptedSide, newSalt } from "./body-key.ts";
import type { BeginMeta } from "./frame.ts";

/** Bodies on their way into the spool that are to be left out: few, and none in most deployments. */
export class BodyEncryption {
  readonly key: BodyKey;
  readonly #open = new Map<string, Readonly<Partial<Record<EncryptedSide, Cipheriv>>>>();

  constructor(key: BodyKey) {
    this.key = key;
  }

  /** Encrypts from now on what `meta` wants left out. @returns the same, with the name of the key and this exchange's salt. */
  begin(id: string, meta: BeginMeta): BeginMeta {
    const salt = newSalt();
    this.#open.set(id, {
      ...(meta.omitRequest && { request: this.key.cipher(salt, id, "request") }),
      ...(meta.omitResponse && {
        response: this.key.cipher(salt, id, "response"),
        provider_response: this.key.cipher(salt, id, "provider_response"),
      }),
    });
    return { ...meta, seal: this.key.name, salt };
  }

  /** The next bytes of a body as they may be written. */
  encrypted(id: string, side: EncryptedSide, bytes: Uint8Array): Uint8Array {
    const cipher = this.#open.size > 0 ? this.#open.get(id)?.[side] : undefined;
    return cipher === undefined ? bytes : cipher.update(bytes);
  }

  end(id: string): void {
    if (this.#open.size > 0) this.#open.delete(id);
  }
}
