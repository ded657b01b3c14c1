import { useMutation, useQuery } from "@tanstack/react-query";
import { post } from "../../api.ts";
import { type ModelRow, modelsQuery } from "../../name-queries.ts";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Empty } from "../../parts/states.tsx";
import type { RequestRecord } from "./record.ts";

/** A record with unreadable bodies; a button starts the mapper. */
export function Pending({ record }: { readonly record: RequestRecord }) {
  const { provider, model_override: override, request_model: requested, model: named } = record;
  const model = override ?? requested ?? named;
  const models = useQuery(modelsQuery);
  const expedite = useMutation({
    mutationFn: () =>
      post<readonly Pick<ModelRow, "state" | "reason">[]>(
        `/v1/models/${encodeURIComponent(model ?? "")}/expedite?provider=${encodeURIComponent(provider ?? "CUSTOM")}`,
        {},
      ),
  });
  const known = models.data?.find((row) => row.provider === provider && row.model === model);
  if (model === null || (known?.state === "mapped" && !expedite.isSuccess)) {
    return (
      <Empty title="Nothing to read in these bodies">The request and the response are shown as they were sent.</Empty>
    );
  }
  const reason = expedite.data?.find((row) => row.state === "pending")?.reason ?? known?.reason;
  return (
    <Empty title="Model is pending mapping">
      <p>
        How <code>{model}</code> of {provider} writes its bodies is not known yet. The mapper looks once a day; the
        record is whole, and is read as soon as it has found out.
      </p>
      {reason ? <p>So far: {reason}.</p> : null}
      <p>
        <GatedButton scope="write" className="primary" disabled={expedite.isPending} onClick={() => expedite.mutate()}>
          {expedite.isPending ? "The mapper is at work…" : "Expedite"}
        </GatedButton>
      </p>
      {expedite.error === null ? null : <p role="alert">{expedite.error.message}</p>}
    </Empty>
  );
}
