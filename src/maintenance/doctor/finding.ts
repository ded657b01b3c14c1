import type { Config } from "../../config.ts";
import { GatewayError } from "../../errors.ts";
import { messageOf } from "../../log.ts";

/** `warn`: it works, but needs attention. `fail`: something does not work, or soon will not. */
type CheckVerdict = "ok" | "warn" | "fail";

/** The finding of one check, in one line, with a fix if there is a problem. */
export interface Finding {
  readonly check: string;
  readonly verdict: CheckVerdict;
  readonly message: string;
  readonly fix: string | null;
}

/** The environment of checks. A check changes nothing, except for the lock that it tries. */
export interface Surroundings {
  readonly config: Config;
  /** Variables of this process: those that tables of the configuration file name with `env:NAME` are only in this copy. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a service has locked the data directory. */
  readonly running: boolean;
  /** Read every page of the databases, however large they are. */
  readonly thorough: boolean;
}

/** One subject; it may have several findings, and at least one. */
export interface Check {
  readonly name: string;
  run(surroundings: Surroundings): Promise<readonly CheckResult[]> | readonly CheckResult[];
}

/** A finding without the check's name. */
export interface CheckResult {
  readonly verdict: CheckVerdict;
  readonly message: string;
  readonly fix?: string;
}

export const ok = (message: string): CheckResult => ({ verdict: "ok", message });
export const warn = (message: string, fix: string): CheckResult => ({ verdict: "warn", message, fix });
export const fail = (message: string, fix: string): CheckResult => ({ verdict: "fail", message, fix });

/** A table of the configuration file with which no service starts. */
export const stopsStart = (error: unknown): CheckResult =>
  fail(messageOf(error), "correct the configuration file: the service does not start with it");

/** A secret that a table refers to and this process does not have; a running service read it at its start. */
export const noSecret = (error: unknown, running: boolean): CheckResult =>
  (running ? warn : fail)(messageOf(error), "a start needs it: put it where the table says, for this command too");

/** Runs checks one after another. A check that throws is reported as a failure. */
export async function examine(checks: readonly Check[], surroundings: Surroundings): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, run } of checks) {
    const outcomes = await Promise.resolve()
      .then(() => run(surroundings))
      .catch((error: unknown) => [fail(messageOf(error), fixOf(error))]);
    for (const { verdict, message, fix } of outcomes)
      findings.push({ check: name, verdict, message, fix: fix ?? null });
  }
  return findings;
}

function fixOf(error: unknown): string {
  if (error instanceof GatewayError && error.code === "database_unusable")
    return "stop the service and restore a backup";
  return "see the message; nothing more could be checked here";
}

export function inBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  for (; value >= 1_000 && unit < units.length - 1; unit++) value /= 1_000;
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}
