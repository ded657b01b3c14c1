import type { Config } from "../../../src/config.ts";
import { ClickHouse } from "../../../src/engine/clickhouse/client.ts";
import type { RecorderOptions } from "../../../src/recorder/recorder-options.ts";
import { type Rig, rig } from "../../recorder/harness.ts";
import { ownDatabase, sharedClickHouse } from "./server.ts";

const TRIES = 12;

export interface ClickHouseRig extends Rig {
  readonly client: ClickHouse;
  /** Those that name the engine, and those of the caller. */
  readonly settings: Partial<Config>;
  /** Columns of a finished record; undefined where there is none. */
  finished(id: string): Promise<Record<string, unknown> | undefined>;
}

/** What makes a recorder write into a database of its own on a server. */
export const recordsAt = (url: string, database = ownDatabase()) =>
  ({ records_engine: "clickhouse", records_url: url, records_database: database }) as const satisfies Partial<Config>;

/** A recorder that writes into ClickHouse, by default on the server that all tests share. */
export async function clickHouseRig(
  changes: Partial<RecorderOptions> & { settings?: Partial<Config> } = {},
): Promise<ClickHouseRig> {
  const settings = { ...recordsAt(await sharedClickHouse()), ...changes.settings };
  const weir = await rig({ ...changes, settings });
  const client = new ClickHouse({ urls: [settings.records_url], database: settings.records_database });
  return {
    ...weir,
    recorder: patient(weir.recorder),
    client,
    settings,
    async finished(id) {
      const rows = await client.query<Record<string, unknown>>(`select * from requests where request_id = '${id}'`);
      if (rows.length > 1) throw new Error(`there are ${rows.length} rows of ${id}`);
      return rows[0];
    },
    [Symbol.asyncDispose]: () => weir[Symbol.asyncDispose](),
  };
}

/**
 * A recorder whose calls wait however busy the machine is: each gives up after ten seconds in which it was not begun, and
 * is then made again.
 */
export function patient(recorder: Rig["recorder"]): Rig["recorder"] {
  return new Proxy(recorder, {
    get(target, name) {
      const call: unknown = Reflect.get(target, name);
      if (typeof call !== "function") return call;
      return async (...args: readonly unknown[]) => {
        for (let tries = 1; ; tries++) {
          try {
            return await call(...args);
          } catch (error) {
            if (tries === TRIES || !String(error).includes("did not catch up")) throw error;
          }
        }
      };
    },
  });
}
