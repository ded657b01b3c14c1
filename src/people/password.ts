import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { COMMON_PASSWORDS } from "./common-passwords.ts";

/** Costs 128 MiB of memory and a third of a second on a typical core: this is another reason to limit log-ins. */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 192 * 1024 * 1024 };
const KEY_BYTES = 32;

export const PASSWORD_CHARS_MIN = 12;
const PASSWORD_CHARS_MAX = 1_000;

/** Why a text is not acceptable as a password, or undefined. */
export function whyWeak(password: string): string | undefined {
  const length = [...password].length;
  if (length < PASSWORD_CHARS_MIN) return `give at least ${PASSWORD_CHARS_MIN} characters`;
  if (length > PASSWORD_CHARS_MAX) return `give at most ${PASSWORD_CHARS_MAX} characters`;
  return COMMON_PASSWORDS.has(password.toLowerCase()) ? "it is one of the most common passwords" : undefined;
}

/** The stored form of a password: `scrypt$<N>$<r>$<p>$<salt>$<hash>`, both in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, COST);
  return ["scrypt", COST.N, COST.r, COST.p, salt.toString("base64url"), hash.toString("base64url")].join("$");
}

/** For users without a password: checking it takes the same time, so that response times do not reveal addresses. */
const NOBODY = `scrypt$${COST.N}$${COST.r}$${COST.p}$${"A".repeat(22)}$${"A".repeat(43)}`;

export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [, n, r, p, salt, hash] = (stored ?? NOBODY).split("$");
  const wanted = Buffer.from(hash!, "base64url");
  const cost = { ...COST, N: Number(n), r: Number(r), p: Number(p) };
  const given = await derive(password, Buffer.from(salt!, "base64url"), cost);
  return timingSafeEqual(given, wanted) && stored !== null;
}

function derive(password: string, salt: Buffer, cost: typeof COST): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFKC"), salt, KEY_BYTES, cost, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
