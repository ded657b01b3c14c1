import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { ApiFailure, call, get } from "../../api.ts";
import { Trouble } from "../../parts/confirm-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { useMissing } from "../../session.ts";
import { KEYS, type KeyRow } from "../keys/page.tsx";
import { LIMITS, type LimitRow, type Unit } from "./page.tsx";
import { windowText } from "./words.ts";

const WINDOWS = [1, 60, 300, 3_600, 86_400, 604_800, 2_592_000, 31_536_000];
const UNITS: Readonly<Record<Unit, string>> = { request: "Requests", cents: "US cents", tokens: "Tokens" };

interface LimitDialogProps {
  readonly limit: LimitRow | undefined;
  readonly onClose: () => void;
}

/** Makes a rate limit or budget, or replaces one; what was counted stays. */
export function LimitDialog({ limit, onClose }: LimitDialogProps) {
  const client = useQueryClient();
  const [segment, setSegment] = useState(
    limit?.segment === null || limit === undefined ? "" : limit.segment === "user" ? "user" : "property",
  );
  const missing = useMissing("admin");
  const keys = useQuery({
    queryKey: KEYS,
    queryFn: ({ signal }) => get<readonly KeyRow[]>("/v1/keys", signal),
    enabled: missing === undefined,
  });
  const work = useMutation({
    mutationFn: (body: unknown) =>
      limit === undefined
        ? call("POST", "/v1/rate-limits", { body })
        : call("PUT", `/v1/rate-limits/${limit.id}`, { body }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: LIMITS });
      onClose();
    },
  });
  const failedAt = work.error instanceof ApiFailure ? work.error.path : undefined;
  const errorAt = (path: string) => (failedAt === path ? (work.error as Error).message : undefined);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? "").trim();
    work.mutate({
      name: text("name"),
      quota: Number(text("quota")),
      window_seconds: Number(text("window_seconds")),
      unit: text("unit"),
      segment: segment === "" ? null : segment === "user" ? "user" : text("property"),
      key_id: text("key_id") || null,
    });
  };
  const windows =
    limit === undefined || WINDOWS.includes(limit.window_seconds) ? WINDOWS : [...WINDOWS, limit.window_seconds];
  return (
    <Dialog title={limit === undefined ? "Create a limit" : `Limit “${limit.name}”`} onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <Field label="Name" hint="Clients read it when they are refused." error={errorAt("name")}>
          {(ids) => <input {...ids} name="name" required maxLength={200} defaultValue={limit?.name} />}
        </Field>
        <div className="fields">
          <Field label="At most" error={errorAt("quota")}>
            {(ids) => (
              <input
                {...ids}
                name="quota"
                type="number"
                required
                min={0}
                step="any"
                defaultValue={limit?.quota ?? 100}
              />
            )}
          </Field>
          <Field label="Of what" error={errorAt("unit")}>
            {(ids) => (
              <select {...ids} name="unit" defaultValue={limit?.unit ?? "request"}>
                {Object.entries(UNITS).map(([unit, label]) => (
                  <option key={unit} value={unit}>
                    {label}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Within" error={errorAt("window_seconds")}>
            {(ids) => (
              <select {...ids} name="window_seconds" defaultValue={limit?.window_seconds ?? 60}>
                {windows.map((seconds) => (
                  <option key={seconds} value={seconds}>
                    {windowText(seconds)}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
        <div className="fields">
          <Field label="Counted">
            {(ids) => (
              <select {...ids} value={segment} onChange={(event) => setSegment(event.target.value)}>
                <option value="">all together</option>
                <option value="user">for each user</option>
                <option value="property">for each value of a property</option>
              </select>
            )}
          </Field>
          {segment === "property" ? (
            <Field label="Property" error={errorAt("segment")}>
              {(ids) => <input {...ids} name="property" required maxLength={200} defaultValue={limit?.segment ?? ""} />}
            </Field>
          ) : null}
          <Field label="For" error={errorAt("key_id")}>
            {(ids) => (
              <select {...ids} name="key_id" key={keys.data?.length} defaultValue={limit?.key_id ?? ""}>
                <option value="">every key</option>
                {keys.data
                  ?.filter((key) => key.revoked_at === null || key.id === limit?.key_id)
                  .map((key) => (
                    <option key={key.id} value={key.id}>
                      {key.name}
                    </option>
                  ))}
              </select>
            )}
          </Field>
        </div>
        <Trouble error={failedAt === undefined ? work.error : null} />
        <div className="form-actions">
          <button type="submit" className="primary" disabled={work.isPending}>
            {limit === undefined ? "Create limit" : "Save limit"}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
