import type { Edit } from "../../json-text/edits.ts";
import type { Excerpts } from "../../record/excerpt.ts";
import type { BodyForm, BodyPart } from "./placed.ts";

/** A file inside a body: the range of its text between the quotes of a JSON string, and its asset. */
export interface FileInPart {
  readonly offset: number;
  readonly length: number;
  /** Id of the asset. */
  readonly id: string;
  /** Names this text: texts of one name are equal. Missing if the file does not determine how it is written. */
  readonly name?: string;
}

/** One body to be stored. */
export interface StoredPart {
  readonly part: BodyPart;
  readonly form: BodyForm;
  /** What is shown and searched: the body as sent, after content decoding; text is UTF-8. */
  readonly bytes: Buffer;
  readonly contentType: string | null;
  /** Files in `bytes`, in order; shown bodies have references in their place. */
  readonly files?: readonly FileInPart[];
  /** What was sent, if it differs from `bytes`: text in another encoding. */
  readonly sent?: Buffer;
  /** Set if `bytes` are those of the part `request` with edits: only what they put in is stored. */
  readonly edited?: { readonly of: Buffer; readonly edits: readonly Edit[] };
}

/** Length of a part, nearly: the bytes of an edited one are made only when they are read. */
export const lengthOfPart = (part: StoredPart): number => (part.edited?.of ?? part.bytes).byteLength;

/** A file from a JSON body, where it was base64. */
export interface StoredAsset {
  /** SHA-256 of its bytes, hexadecimal. */
  readonly id: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** The contents of a request. */
export interface Content {
  readonly parts: readonly StoredPart[];
  readonly assets: readonly StoredAsset[];
  /** The last question and the response, as plain text for searching. */
  readonly texts: { readonly prompt: string | null; readonly completion: string | null };
  /** Not masked. Missing when the record's row holds them. */
  readonly excerpts?: Excerpts | undefined;
}

export interface RequestContent extends Content {
  readonly requestId: string;
  /** Content is never shared between organizations. */
  readonly organizationId: string;
  /** Nothing was ever stored under this id, so nothing needs to be replaced. */
  readonly isNew?: boolean;
}
