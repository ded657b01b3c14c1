import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { get } from "../../api.ts";
import { DATASETS, type Dataset } from "./shapes.ts";

interface Version {
  readonly version: number;
  readonly added: number;
  readonly removed: number;
}

/** Chooses the version that is shown and downloaded. */
export function VersionChoice({
  dataset,
  version,
}: {
  readonly dataset: Dataset;
  readonly version: number | undefined;
}) {
  const navigate = useNavigate({ from: "/datasets/$id" });
  const { data = [] } = useQuery({
    queryKey: [...DATASETS, dataset.id, "versions", dataset.version],
    queryFn: ({ signal }) => get<readonly Version[]>(`/v1/datasets/${dataset.id}/versions`, signal),
  });
  const shown = version ?? dataset.version;
  return (
    <select
      aria-label="Version"
      value={shown}
      onChange={({ target: { value } }) =>
        void navigate({ search: Number(value) === dataset.version ? {} : { version: Number(value) } })
      }
    >
      {data.some((each) => each.version === shown) ? null : <option value={shown}>Version {shown}</option>}
      {data.map((each) => (
        <option key={each.version} value={each.version}>
          Version {each.version} ({changesText(each)})
        </option>
      ))}
    </select>
  );
}

function changesText({ added, removed }: Version): string {
  const parts = [added > 0 ? `${added} added` : "", removed > 0 ? `${removed} removed` : ""];
  return parts.filter(Boolean).join(", ");
}
