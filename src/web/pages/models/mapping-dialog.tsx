import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ApiFailure, call, get } from "../../api.ts";
import { formatPercent } from "../../metrics/format.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { ConfirmButton, Trouble } from "../../parts/confirm-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Failed, Loading } from "../../parts/states.tsx";
import { Time } from "../../parts/values.tsx";

interface Version {
  readonly version: number;
  readonly state: "draft" | "active" | "approved" | "replaced" | "rolled back";
  readonly origin: "inferred" | "edited";
  readonly confidence: number;
  readonly samples: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly mapping: unknown;
}

interface Shown extends Version {
  readonly history: readonly Version[];
}

interface MappingDialogProps {
  readonly model: string;
  readonly provider: string | undefined;
  readonly onClose: () => void;
}

/** How a model's bodies are read, with all earlier versions. */
export function MappingDialog({ model, provider, onClose }: MappingDialogProps) {
  const query = provider === undefined ? "" : `?provider=${encodeURIComponent(provider)}`;
  const path = (step: string) => `/v1/models/${encodeURIComponent(model)}/${step}${query}`;
  const { data, error, refetch } = useQuery({
    queryKey: ["mapping", model, provider],
    queryFn: ({ signal }) =>
      get<Shown>(path("mapping"), signal).catch((failure: unknown) => {
        if (failure instanceof ApiFailure && failure.status === 404) return null;
        throw failure;
      }),
  });
  const newest = data?.history.find(({ state }) => state === "draft") ?? data;
  return (
    <Dialog title={`Mapping of ${model}`} onClose={onClose}>
      {error !== null ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading rows={4} />
      ) : (
        <>
          {data === null ? (
            <p className="muted">No mapping of its own: a known format is still read; any other is pending.</p>
          ) : (
            <>
              <History versions={data.history} />
              <div className="form-actions">
                <ConfirmButton
                  scope="admin"
                  label="Approve"
                  className=""
                  title={`Approve version ${newest?.version} of ${model}?`}
                  action="Approve"
                  run={() => call("POST", path("approve"))}
                >
                  Requests are read with it from now on, old ones are read again, and the mapper leaves it alone.
                </ConfirmButton>
                <ConfirmButton
                  scope="admin"
                  label="Roll back"
                  className=""
                  danger
                  title={`Roll back the mapping of ${model}?`}
                  action="Roll back"
                  run={() => call("POST", path("rollback"))}
                >
                  The version before it holds again; without one, the model is pending.
                </ConfirmButton>
              </div>
            </>
          )}
          <Editor key={data?.version ?? 0} mapping={data?.mapping} path={path("mapping")} />
        </>
      )}
    </Dialog>
  );
}

const TONES: Readonly<Record<Version["state"], Tone>> = {
  draft: "warn",
  active: "good",
  approved: "good",
  replaced: "plain",
  "rolled back": "bad",
};

function History({ versions }: { readonly versions: readonly Version[] }) {
  return (
    <div className="table-scroller">
      <table className="table" aria-label="Versions of the mapping">
        <thead>
          <tr>
            <th scope="col">Version</th>
            <th scope="col">State</th>
            <th scope="col">From</th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <tbody>
          {versions.map((each) => (
            <tr key={each.version}>
              <td>{each.version}</td>
              <td>
                <Badge tone={TONES[each.state]}>{each.state}</Badge>
              </td>
              <td>
                {each.origin === "edited"
                  ? "written by an admin"
                  : `${each.samples} samples, ${formatPercent(each.confidence)} sure`}
              </td>
              <td>
                <Time of={each.created_at} relative />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const EXAMPLE = { format: 1, wire_schema: "chat-completions" };

interface EditorProps {
  readonly mapping: unknown;
  readonly path: string;
}

function Editor({ mapping, path }: EditorProps) {
  const [text, setText] = useState(() => JSON.stringify(mapping ?? EXAMPLE, null, 2));
  const work = useMutation({ mutationFn: (body: unknown) => call("PUT", path, { body }) });
  const parsed = parse(text);
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!(parsed instanceof Error)) work.mutate(parsed);
      }}
    >
      <Field
        label="Mapping, as JSON"
        hint="Places are JSON Pointers; a saved mapping applies at once, also to recorded requests."
        error={parsed instanceof Error ? parsed.message : undefined}
      >
        {(ids) => (
          <textarea
            {...ids}
            rows={14}
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <Trouble error={work.error} />
      <div className="form-actions">
        <GatedButton
          scope="admin"
          type="submit"
          className="primary"
          disabled={parsed instanceof Error || work.isPending}
        >
          Save and use
        </GatedButton>
        <span role="status" className="muted">
          {work.isSuccess ? "Saved" : ""}
        </span>
      </div>
    </form>
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
