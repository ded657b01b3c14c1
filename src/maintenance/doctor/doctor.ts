import { existsSync } from "node:fs";
import type { Config } from "../../config.ts";
import { lockDirectory } from "../../store/database/lock.ts";
import { authoritiesCheck, certificateCheck } from "./checks/certificates.ts";
import { credentialsCheck } from "./checks/credentials.ts";
import { deliveriesCheck } from "./checks/deliveries.ts";
import { limitsCheck } from "./checks/limits.ts";
import { clockCheck, diskCheck, dnsCheck, openFilesCheck } from "./checks/machine.ts";
import { objectsCheck } from "./checks/objects.ts";
import { packsCheck } from "./checks/packs.ts";
import { recordsCheck } from "./checks/records.ts";
import { dropInsCheck, serviceCheck } from "./checks/service.ts";
import { spoolCheck, stateCheck } from "./checks/spool.ts";
import { ssoCheck, upgradeSsoCheck } from "./checks/sso.ts";
import { databaseCheck, dataDirectoryCheck } from "./checks/storage.ts";
import { tablesCheck } from "./checks/tables.ts";
import { unreadCheck } from "./checks/unread.ts";
import { upgradeDatabaseCheck, upgradeRoomCheck, upgradeSpoolCheck } from "./checks/upgrade.ts";
import { type Check, examine, type Finding, type Surroundings } from "./finding.ts";

/** Checks for everything that can keep a deployment from working, the machine first. */
export const DOCTOR_CHECKS: readonly Check[] = [
  dataDirectoryCheck,
  diskCheck,
  openFilesCheck,
  clockCheck,
  dnsCheck,
  authoritiesCheck,
  certificateCheck,
  databaseCheck,
  recordsCheck,
  packsCheck,
  objectsCheck,
  limitsCheck,
  spoolCheck,
  stateCheck,
  dropInsCheck,
  tablesCheck,
  unreadCheck,
  credentialsCheck,
  ssoCheck,
  deliveriesCheck,
  serviceCheck,
];

/** Whether this program can use the data of another version. Needs no network. */
export const UPGRADE_CHECKS: readonly Check[] = [
  dataDirectoryCheck,
  upgradeDatabaseCheck,
  upgradeRoomCheck,
  upgradeSpoolCheck,
  stateCheck,
  dropInsCheck,
  tablesCheck,
  upgradeSsoCheck,
];

/** Runs checks on the deployment of this configuration, whether it is running or not. */
export async function checkUp(
  checks: readonly Check[],
  config: Config,
  options: Pick<Surroundings, "env" | "thorough">,
): Promise<readonly Finding[]> {
  return examine(checks, { config, running: isRunning(config), ...options });
}

/** Whether a service has locked the data directory. */
function isRunning({ data_dir }: Config): boolean {
  if (!existsSync(`${data_dir}/weir.lock`)) return false;
  try {
    const lock = lockDirectory(data_dir);
    lock?.release();
    return lock === undefined;
  } catch {
    return false; // not writable: another check reports it
  }
}
