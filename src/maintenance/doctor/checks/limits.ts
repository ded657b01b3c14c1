import { messageOf } from "../../../log.ts";
import { probeLimits } from "../../../store/nodes/probe-limits.ts";
import { localPath } from "../../../store/store.ts";
import { type Check, fail, ok, warn } from "../finding.ts";

/** Whether the limits server responds and allows this user to run the script that divides limits. */
export const limitsCheck: Check = {
  name: "limits server",
  async run({ config }) {
    if (config.limits_url === "") return [ok("none: nodes on one libSQL server divide limits there")];
    if (localPath(config) !== undefined) {
      const message = "limits_url has no effect: a node with a database file counts by itself";
      return [warn(message, "set database_url to a libSQL server, or leave limits_url out")];
    }
    try {
      return [ok(await probeLimits(config.limits_url, config.limits_prefix))];
    } catch (error) {
      const fix = "check limits_url, the user's rights (EVALSHA, EVAL, keys of limits_prefix) and the network";
      return [fail(`limits are divided in the database: ${messageOf(error)}`, fix)];
    }
  },
};
