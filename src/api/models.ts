import { Elysia } from "elysia";
import { endpoint } from "./endpoint.ts";
import { success } from "./envelope.ts";
import type { Gate } from "./gate.ts";
import type { ApiRoom } from "./room.ts";
import { settled } from "./settled.ts";

interface ModelRow {
  readonly provider: string;
  readonly model: string;
  readonly state: "pending" | "mapped";
  readonly count: number;
  readonly since: number;
  readonly reason: string | null;
}

export function modelEndpoints(room: ApiRoom, gate: () => Gate) {
  return new Elysia().get(
    "/v1/models",
    async ({ request }) => {
      await settled(room);
      const sql = `select provider, model, state, count, since, reason from models where organization_id = ?
        order by count desc, provider, model`;
      const rows = await room.reader.records.query<ModelRow>({ sql, args: [gate().caller(request).organizationId] });
      return success(rows.map((row) => ({ ...row, since: new Date(row.since).toISOString() })));
    },
    endpoint("read", "Models", "List models and whether they are mapped"),
  );
}
