import type { X509Certificate } from "node:crypto";
import { counted } from "../../../counted.ts";
import { certificatesIn } from "../../../egress/authorities.ts";
import { checkTlsPair } from "../../../egress/tls-pair-of.ts";
import { messageOf } from "../../../log.ts";
import { type Check, type CheckResult, fail, ok, warn } from "../finding.ts";

const DAY_MS = 86_400_000;
/** Automatic renewals usually run a month before the expiry: with less time left, the renewal has failed. */
const SOON_MS = 14 * DAY_MS;

export const authoritiesCheck: Check = {
  name: "authorities",
  run({ config }) {
    const path = config.extra_ca_file;
    if (path === "") return [ok("the system's")];
    let certificates: ReturnType<typeof certificatesIn>;
    try {
      certificates = certificatesIn(path);
    } catch (error) {
      return [fail(messageOf(error), "set extra_ca_file to a PEM file of certificates")];
    }
    const late = certificates.find(({ validTo }) => Date.parse(validTo) < Date.now());
    if (late !== undefined) return [warn(`${path}: ${late.subject} has expired on ${late.validTo}`, "renew it")];
    return [ok(`the system's and ${certificates.length} of ${path}`)];
  },
};

/** Whether the listeners' certificate is valid, and for how long. */
export const certificateCheck: Check = {
  name: "certificate",
  run({ config }) {
    let certificate: X509Certificate | undefined;
    try {
      certificate = checkTlsPair(config);
    } catch (error) {
      return [fail(messageOf(error), "set both to matching PEM files, the key without a passphrase")];
    }
    if (certificate === undefined) return [ok("none: the listeners speak plain HTTP")];
    return [validity(config.tls_cert_file, certificate, Date.now())];
  },
};

/** The finding about a certificate's validity at a time. */
export function validity(
  path: string,
  { validFrom, validTo }: Pick<X509Certificate, "validFrom" | "validTo">,
  now: number,
): CheckResult {
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  const renew = "renew it; the service reloads the files by itself";
  if (now < from) return fail(`${path} is not valid before ${day(from)}`, "check the clock, or wait");
  if (now >= to) return fail(`${path} expired on ${day(to)}`, renew);
  const days = Math.floor((to - now) / DAY_MS);
  if (to - now < SOON_MS) return warn(`${path} expires on ${day(to)}, in ${counted(days, "day")}`, renew);
  return ok(`${path} is valid until ${day(to)}`);
}

const day = (time: number) => new Date(time).toISOString().slice(0, 10);
