import type { ListedObject } from "./object-store.ts";

/** A page of a list, and the token of the next page. */
export function readList(body: Uint8Array): { objects: ListedObject[]; next: string | undefined } {
  const text = new TextDecoder().decode(body);
  const objects = [...text.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g)].flatMap(([, entry = ""]) => {
    const name = elementIn(entry, "Key");
    return name === undefined ? [] : [{ name, bytes: Number(elementIn(entry, "Size") ?? 0) }];
  });
  const isCut = elementIn(text, "IsTruncated") === "true";
  return { objects, next: isCut ? elementIn(text, "NextContinuationToken") : undefined };
}

/** Code and message of an error; empty when the body is not an S3 error. */
export function readError(body: Uint8Array): { readonly code: string; readonly message: string } {
  const text = new TextDecoder().decode(body.subarray(0, 8_192));
  return { code: elementIn(text, "Code") ?? "", message: (elementIn(text, "Message") ?? "").slice(0, 300) };
}

function elementIn(text: string, name: string): string | undefined {
  const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];
  return found?.replace(/&(?:lt|gt|quot|apos|amp|#(\d+)|#x([0-9a-f]+));/gi, (entity, decimal, hex) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return ENTITIES[entity.toLowerCase()] ?? entity;
  });
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&apos;": "'",
  "&amp;": "&",
};
