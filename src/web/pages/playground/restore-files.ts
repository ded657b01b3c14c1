import { ApiFailure } from "../../api.ts";

const REFERENCE = /^weir-asset:([0-9a-f]{64})$/;
/** Members that hold a file's bare base64 text; others hold a `data:` address. */
const BARE: readonly string[] = ["data", "bytes", "b64_json", "result", "images"];

/** A recorded body with its files put back: they are stored separately. */
export async function restoreFiles(
  value: unknown,
  requestId: string,
  signal: AbortSignal,
  name = "",
): Promise<unknown> {
  if (typeof value === "string") {
    const asset = REFERENCE.exec(value)?.[1];
    return asset === undefined ? value : fileText(requestId, asset, BARE.includes(name), signal);
  }
  if (Array.isArray(value)) return Promise.all(value.map((each) => restoreFiles(each, requestId, signal, name)));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(async ([key, each]) => [
    key,
    await restoreFiles(each, requestId, signal, key),
  ]);
  return Object.fromEntries(await Promise.all(members));
}

async function fileText(requestId: string, asset: string, isBare: boolean, signal: AbortSignal): Promise<string> {
  const response = await fetch(`/v1/request/${encodeURIComponent(requestId)}/assets/${asset}`, { signal });
  if (!response.ok) throw new ApiFailure(response.status, "A file of this request cannot be read any more.");
  const address = await asDataUrl(await response.blob());
  return isBare ? address.slice(address.indexOf(",") + 1) : address;
}

function asDataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("the file cannot be read"));
    reader.readAsDataURL(blob);
  });
}
