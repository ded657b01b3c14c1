import { configuredLog } from "../log.ts";
import { reachable } from "../serve/reachable.ts";
import { serve } from "../serve.ts";
import type { Run } from "./command.ts";
import { dropReferenced } from "./take-environment.ts";
import { VERSION } from "./version.ts";

export const serveCommand: Run = async ({ terminal, config }) => {
  const log = configuredLog(config);
  log.debug("starting", { version: VERSION });
  dropReferenced(process.env, config);
  const onFirstKey = (key: string) => {
    // The operator already knows a key that they chose, and stdout often ends up in a log.
    const value = config.bootstrap_key === "" ? key : "the value of WEIR_BOOTSTRAP_KEY";
    terminal.out(`First key, with all scopes, of organization "default". It is shown this once:\n${value}\n`);
  };
  const onServing = ({ api }: { readonly api: string }) => {
    // For people; programs find the address in the log.
    if (terminal.columns !== undefined) terminal.err(`\nOpen ${reachable(api)} in a browser.\n`);
  };
  await serve({ config, log, env: terminal.env, onFirstKey, onServing });
  return 0;
};
