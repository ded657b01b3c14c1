import { useMutation } from "@tanstack/react-query";
import type { AuditEntry } from "../../../store/audit/entry.ts";
import { call } from "../../api.ts";
import { save } from "../../download/table-file.ts";
import { Trouble } from "../../parts/confirm-button.tsx";
import { type AuditQuery, auditPath } from "./audit-path.ts";

const PAGE_ROWS = 1_000;

/** Downloads the filtered entries, one JSON object per line, newest first. */
export function ExportButton({ query, disabled }: { readonly query: AuditQuery; readonly disabled: boolean }) {
  const work = useMutation({
    mutationFn: async () => {
      const parts: string[] = [];
      let cursor: string | null = null;
      do {
        const page: { readonly data: readonly AuditEntry[]; readonly next_cursor?: string | null } = await call(
          "GET",
          auditPath(query, PAGE_ROWS, cursor),
        );
        parts.push(page.data.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
        cursor = page.next_cursor ?? null;
      } while (cursor !== null);
      save(new Blob(parts, { type: "application/x-ndjson" }), "audit", "jsonl");
    },
    meta: { changes: [] },
  });
  return (
    <>
      <button type="button" disabled={disabled || work.isPending} onClick={() => work.mutate()}>
        {work.isPending ? "Exporting…" : "Export"}
      </button>
      <Trouble error={work.error} />
    </>
  );
}
