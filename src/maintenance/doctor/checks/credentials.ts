import { existsSync, statSync } from "node:fs";
import { counted } from "../../../counted.ts";
import { keyIdOf } from "../../../credentials/encryption.ts";
import { madeKeyPath, readKeyring } from "../../../credentials/keyring.ts";
import { isLocked } from "../../../credentials/open.ts";
import { messageOf } from "../../../log.ts";
import { listCredentials } from "../../../store/credentials/credentials.ts";
import { openStore } from "../../../store/store.ts";
import { type Check, type CheckResult, fail, ok, warn } from "../finding.ts";

/** Whether the keys of this node decrypt the stored secrets, and whether other users can read them. */
export const credentialsCheck: Check = {
  name: "credentials",
  async run({ config }) {
    let keys: ReturnType<typeof readKeyring>;
    try {
      keys = readKeyring(config);
    } catch (error) {
      return [fail(messageOf(error), "set WEIR_CREDENTIALS_KEY or WEIR_CREDENTIALS_KEY_FILE right")];
    }
    const store = await openStore(config, "current");
    try {
      const stored = await listCredentials(store.records).catch(() => []); // another check reports its error
      const outcomes: CheckResult[] = stored
        .filter((each) => isLocked(each, keys))
        .map(({ provider, name, secrets }) => {
          const ids = new Set(Object.values(secrets).map(({ sealed }) => keyIdOf(sealed) ?? "unknown"));
          const fix = "add that key again beside the new one, and run `weir credentials rotate`";
          return fail(`${provider} ${name} is locked: it was encrypted with the key ${[...ids].join(", ")}`, fix);
        });
      const path = config.credentials_key_file || madeKeyPath(config);
      if (existsSync(path) && (statSync(path).mode & 0o077) !== 0)
        outcomes.push(warn(`${path} can be read by other users`, `chmod 600 ${path}`));
      return outcomes.length > 0 ? outcomes : [ok(`${stored.length} stored, ${counted(keys.length, "key")}`)];
    } finally {
      await store.close();
    }
  },
};
