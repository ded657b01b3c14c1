import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeSbom } from "./sbom.ts";
import { TARGETS } from "./targets.ts";

/**
 * Writes everything that is published for a version to `dist/`: `bun build/release.ts`.
 *
 * A binary for each target, `weir.cdx.json` (their components) and `SHA256SUMS`, which `sha256sum -c` reads.
 */
const root = join(import.meta.dir, "..");
const dist = join(root, "dist");

execFileSync(process.execPath, [join(root, "build/binary.ts"), "--target", "all"], { stdio: "inherit" });
writeFileSync(join(dist, "weir.cdx.json"), `${JSON.stringify(makeSbom(), null, 2)}\n`);
const names = readdirSync(dist).filter((name) => isPublished(name));
const lines = await Promise.all(names.map(async (name) => `${await sha256(join(dist, name))}  ${name}\n`));
writeFileSync(join(dist, "SHA256SUMS"), lines.join(""));
console.log(`${join(dist, "SHA256SUMS")}: ${names.length} files`);

function isPublished(name: string): boolean {
  return name === "weir.cdx.json" || Object.hasOwn(TARGETS, name.replace(/^weir-|\.exe$/g, ""));
}

async function sha256(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
  return hash.digest("hex");
}
