import { lookup, Resolver } from "node:dns/promises";
import * as fs from "node:fs";
import { dirname } from "node:path";
import { openFilesMax } from "../../../runtime/open-files.ts";
import { within } from "../../../runtime/within.ts";
import { type Check, type CheckResult, fail, inBytes, ok, warn } from "../finding.ts";

const FREE_BYTES_FAIL = 256e6;
const FREE_BYTES_WARN = 2e9;
const FREE_SHARE_WARN = 0.05;
const FREE_FILES_WARN = 10_000;
/** Each client and each provider connection is an open file; below this, a few thousand streams do not fit. */
const OPEN_FILES_WARN = 8_192;
const OPEN_FILES_FAIL = 512;
/** A correct clock cannot show an earlier time than this. */
const BUILT_AFTER_MS = Date.UTC(2026, 0, 1);
const DNS_MS = 2_000;
/** A name that every deployment is likely to look up. */
const DNS_NAME = "api.openai.com";

export const diskCheck: Check = {
  name: "disk",
  run({ config }) {
    const stats = fs.statfsSync(existing(config.data_dir));
    const free = stats.bavail * stats.bsize;
    const total = stats.blocks * stats.bsize;
    const message = `${inBytes(free)} of ${inBytes(total)} free for ${config.data_dir}`;
    const fix = "delete old records (DELETE /v1/request), move the data directory to a larger disk, or free space";
    const outcomes: CheckResult[] = [
      free < FREE_BYTES_FAIL
        ? fail(message, fix)
        : free < FREE_BYTES_WARN || free < total * FREE_SHARE_WARN
          ? warn(message, fix)
          : ok(message),
    ];
    if (stats.files > 0 && stats.ffree < FREE_FILES_WARN) {
      outcomes.push(
        warn(`the file system has room for ${stats.ffree} more files`, "remove files, or use another disk"),
      );
    }
    return outcomes;
  },
};

/** The limit of this process; the service has the same if it is started in the same way. */
export const openFilesCheck: Check = {
  name: "open files",
  run() {
    const limit = openFilesMax();
    if (limit === undefined) return [ok("this system reports no limit")];
    const message = `${limit} at once`;
    const fix = "raise it: `ulimit -n 65536`, LimitNOFILE= in a unit file, --ulimit nofile=65536 for a container";
    return [limit < OPEN_FILES_FAIL ? fail(message, fix) : limit < OPEN_FILES_WARN ? warn(message, fix) : ok(message)];
  },
};

export const clockCheck: Check = {
  name: "clock",
  run() {
    const now = Date.now();
    const message = new Date(now).toISOString();
    if (now < BUILT_AFTER_MS) return [fail(`it says ${message}`, "set the clock; records and limits depend on it")];
    // Systemd keeps this file while its time service is synchronized; other time services have no such sign.
    const isTime = fs.existsSync("/run/systemd/timesync");
    if (isTime && !fs.existsSync("/run/systemd/timesync/synchronized")) {
      return [warn(`${message}, not synchronized`, "check the time service: `timedatectl timesync-status`")];
    }
    return [ok(message)];
  },
};

export const dnsCheck: Check = {
  name: "dns",
  async run({ config }) {
    const servers = config.dns_servers;
    const resolver = servers.length === 0 ? "the system" : servers.join(", ");
    const started = performance.now();
    try {
      await within(resolveWith(servers), DNS_MS, () => {
        throw new Error(`no response in ${DNS_MS} ms`);
      });
      return [ok(`${resolver} responds, in ${Math.round(performance.now() - started)} ms`)];
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      const fix =
        servers.length === 0
          ? "check the network and /etc/resolv.conf, or set WEIR_DNS_SERVERS; without providers elsewhere it does not matter"
          : "check WEIR_DNS_SERVERS and the network";
      // A server that reports "no such name" works.
      if (code === "ENOTFOUND" && servers.length > 0) return [ok(`${resolver} responds`)];
      return [warn(`${resolver} finds no address of ${DNS_NAME} (${code ?? message})`, fix)];
    }
  },
};

async function resolveWith(servers: readonly string[]): Promise<unknown> {
  if (servers.length === 0) return lookup(DNS_NAME);
  const resolver = new Resolver({ timeout: DNS_MS, tries: 1 });
  resolver.setServers([...servers]);
  return resolver.resolve4(DNS_NAME);
}

/** The directory itself, or the nearest one above it that exists. */
export function existing(path: string): string {
  return fs.existsSync(path) ? path : existing(dirname(path));
}
