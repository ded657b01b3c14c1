import type { BodyForm, BodyPart } from "./placed.ts";

/** A file inside of a body: what stands for it between the quotes of a JSON string, and whose it is. */
export interface FileInPart {
  readonly offset: number;
  readonly length: number;
  /** Id of the asset. */
  readonly id: string;
}

/** One body as it is to be stored. */
export interface StoredPart {
  readonly part: BodyPart;
  readonly form: BodyForm;
  /** What is shown and searched: as it was sent, less its content coding; text is UTF-8. */
  readonly bytes: Buffer;
  readonly contentType: string | null;
  /** Files in `bytes`, in order; where they are shown, a reference stands in their place. */
  readonly files?: readonly FileInPart[];
  /** What was sent, where `bytes` is something else: text in another encoding. */
  readonly sent?: Buffer;
}

/** A file that came inside of a JSON body as base64. */
export interface StoredAsset {
  /** SHA-256 of its bytes, hexadecimal. */
  readonly id: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** A record's `input` and `output`. */
export interface Excerpts {
  readonly input: string | null;
  readonly output: string | null;
}

/** What was said in a request. */
export interface Content {
  readonly parts: readonly StoredPart[];
  readonly assets: readonly StoredAsset[];
  /** The last question and the response, as plain text for searching. */
  readonly texts: { readonly prompt: string | null; readonly completion: string | null };
  /** Missing where the record's row holds them. */
  readonly excerpts?: Excerpts;
}

export interface RequestContent extends Content {
  readonly requestId: string;
  /** Content is never shared with another organization's. */
  readonly organizationId: string;
  /** Nothing was ever stored under this id: there is nothing to replace. */
  readonly isNew?: boolean;
}
