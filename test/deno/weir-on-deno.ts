import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT, startWeir, type Weir } from "../e2e/weir.ts";
import { within } from "../until.ts";

/** The interpreter that npm installed: its package's own start script does not run where install scripts are off. */
function denoProgram(): string {
  const { platform, arch } = process;
  const build = platform === "linux" ? `linux-${arch}-glibc` : `${platform}-${arch}`;
  const program = join(ROOT, "node_modules/@deno", build, platform === "win32" ? "deno.exe" : "deno");
  if (!existsSync(program)) throw new Error(`npm has no Deno for ${build}: ${program} is missing`);
  return program;
}

export const DENO_COMMAND: readonly [string, ...string[]] = [denoProgram(), "run", "-A", join(ROOT, "src/main.ts")];
const ENVIRONMENT = { DENO_NO_UPDATE_CHECK: "1" };

/** The service from source, on Deno. */
export function startOnDeno(dataDirectory: string, env: Readonly<Record<string, string>> = {}): Promise<Weir> {
  return startWeir({ dataDirectory, command: DENO_COMMAND, env: { ...ENVIRONMENT, ...env } });
}

/** One command of the program on Deno, beside the service. */
export async function commandOnDeno(weir: Pick<Weir, "env" | "dataDirectory">, ...words: string[]) {
  const [program, ...before] = DENO_COMMAND;
  const child = spawn(program, [...before, ...words], {
    env: weir.env,
    cwd: weir.dataDirectory,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const [status] = await within(once(child, "close"), 150_000, () => `${words.join(" ")} did not end: ${stderr}`);
  return { status: status as number, stdout, stderr };
}
