import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { call, get } from "../../api.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { DialogForm, useSave } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ListStates } from "../../parts/list-states.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { Count, Time } from "../../parts/values.tsx";
import { DATASETS, type Dataset } from "./shapes.ts";

export function DatasetsPage() {
  const [edited, setEdited] = useState<Dataset | "new">();
  const { data, error, refetch } = useQuery({
    queryKey: DATASETS,
    queryFn: ({ signal }) => get<readonly Dataset[]>("/v1/datasets", signal),
  });
  const columns = useMemo(() => columnsOf(setEdited), []);
  return (
    <Page
      title="Datasets"
      about="Examples made of requests, for fine-tuning and tests."
      actions={
        <GatedButton scope="write" className="primary" onClick={() => setEdited("new")}>
          <Icon name="plus" />
          Create dataset
        </GatedButton>
      }
    >
      <ListStates
        rows={data}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <Empty title="No datasets">Select requests in the list, or open one, and choose “Add to dataset”.</Empty>
        }
      >
        {(rows) => <DataTable label="Datasets" rows={rows} columns={columns} rowKey={({ id }) => id} />}
      </ListStates>
      {edited === undefined ? null : (
        <DatasetEditor dataset={edited === "new" ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </Page>
  );
}

interface DatasetEditorProps {
  readonly dataset: Dataset | undefined;
  readonly onClose: () => void;
}

function DatasetEditor({ dataset, onClose }: DatasetEditorProps) {
  const work = useSave<Dataset>({
    ...(dataset === undefined
      ? { method: "POST", path: "/v1/datasets" }
      : { method: "PATCH", path: `/v1/datasets/${dataset.id}` }),
    onSaved: onClose,
  });
  return (
    <DialogForm
      title={dataset === undefined ? "Create a dataset" : `Dataset “${dataset.name}”`}
      action={dataset === undefined ? "Create dataset" : "Save dataset"}
      work={work}
      onClose={onClose}
      onSubmit={({ text }) => work.mutate({ name: text("name"), description: text("description") })}
    >
      {(errorAt) => (
        <>
          <Field label="Name" error={errorAt("name")}>
            {(ids) => <input {...ids} name="name" required maxLength={100} defaultValue={dataset?.name} />}
          </Field>
          <Field label="Description" error={errorAt("description")}>
            {(ids) => (
              <textarea {...ids} name="description" rows={3} maxLength={2_000} defaultValue={dataset?.description} />
            )}
          </Field>
        </>
      )}
    </DialogForm>
  );
}

function columnsOf(onEdit: (dataset: Dataset) => void): Column<Dataset>[] {
  return [
    {
      id: "name",
      header: "Name",
      value: ({ name }) => name,
      cell: ({ id, name }) => (
        <Link to="/datasets/$id" params={{ id }}>
          {name}
        </Link>
      ),
    },
    { id: "description", header: "Description", cell: ({ description }) => description },
    {
      id: "items",
      header: "Examples",
      align: "end",
      value: ({ items }) => items,
      cell: ({ items }) => <Count of={items} />,
    },
    { id: "version", header: "Version", align: "end", cell: ({ version }) => <Count of={version} /> },
    { id: "created_by", header: "Created by", value: ({ created_by }) => created_by, cell: (row) => row.created_by },
    {
      id: "updated_at",
      header: "Changed",
      value: ({ updated_at }) => updated_at,
      cell: ({ updated_at }) => <Time of={updated_at} relative />,
    },
    {
      id: "actions",
      header: "Actions",
      cell: (row) => (
        <span className="row-actions">
          <GatedButton scope="write" className="small" onClick={() => onEdit(row)}>
            Edit<span className="unseen"> {row.name}</span>
          </GatedButton>
          <ConfirmButton
            scope="write"
            label="Delete"
            of={row.name}
            danger
            title={`Delete the dataset “${row.name}”?`}
            action="Delete dataset"
            run={() => call("DELETE", `/v1/datasets/${row.id}`)}
          >
            All of its versions are deleted. This cannot be undone.
          </ConfirmButton>
        </span>
      ),
    },
  ];
}
