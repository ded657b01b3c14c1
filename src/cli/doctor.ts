import type { ConfigError } from "../config/load.ts";
import { checkUp, DOCTOR_CHECKS, UPGRADE_CHECKS } from "../maintenance/doctor/doctor.ts";
import type { Check, Finding } from "../maintenance/doctor/finding.ts";
import { askReadiness } from "../maintenance/doctor/readiness.ts";
import type { Invocation, Run, Terminal } from "./command.ts";
import { painted } from "./print.ts";
import { VERSION } from "./version.ts";
import { foldTo } from "./width.ts";

export const doctorCommand: Run = (invocation) => report(invocation, DOCTOR_CHECKS, `weir ${VERSION}`);

export const upgradeCheckCommand: Run = (invocation) =>
  report(invocation, UPGRADE_CHECKS, `findings of weir ${VERSION} before the upgrade`);

/** For health checks of containers: needs no other program, and prints nothing if the service is ready. */
export const healthCommand: Run = async ({ terminal, config }) => {
  const readiness = await askReadiness(config);
  if (readiness.state === "ready") return 0;
  const why = readiness.state === "no response" ? readiness.why : readiness.degraded.join("; ");
  terminal.err(`${readiness.address}: ${readiness.state}${why === "" ? "" : `: ${why}`}\n`);
  return 1;
};

async function report(invocation: Invocation, checks: readonly Check[], heading: string): Promise<number> {
  const { options, terminal, config, problem } = invocation;
  const findings: readonly Finding[] = [
    ...configurationFindings(problem),
    ...(problem === undefined
      ? await checkUp(checks, config, { env: terminal.env, thorough: options["thorough"] === true })
      : []),
  ];
  if (options["json"] === true) terminal.out(`${JSON.stringify(findings)}\n`);
  else terminal.out(`${heading}\n${findings.map((finding) => lineOf(terminal, finding)).join("")}`);
  return findings.some(({ verdict }) => verdict === "fail") ? 1 : 0;
}

function configurationFindings(problem: ConfigError | undefined): Finding[] {
  const check = "configuration";
  if (problem === undefined)
    return [{ check, verdict: "ok", message: "every key is known, every value allowed", fix: null }];
  const fix = "`docs/configuration.md` lists every key; nothing else is checked until this is fixed";
  return problem.lines.map((message) => ({ check, verdict: "fail", message, fix }));
}

/** The column at which findings begin. */
const MESSAGE_AT = 22;

/** Fits the terminal's width. */
function lineOf(terminal: Terminal, { check, verdict, message, fix }: Finding): string {
  const { columns = Number.POSITIVE_INFINITY } = terminal;
  const word = verdict.padEnd(4);
  const line = foldTo(columns, `${word}  ${check.padEnd(14)}  ${message}`, MESSAGE_AT);
  const lines = [painted(terminal, word) + line.slice(word.length)];
  if (fix !== null) lines.push(foldTo(columns, `${" ".repeat(MESSAGE_AT)}→ ${fix}`, MESSAGE_AT + 2));
  return lines.map((each) => `${each}\n`).join("");
}
