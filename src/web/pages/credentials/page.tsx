import type { Column } from "../../parts/data-table.tsx";
import { SettingActions } from "../../parts/setting-actions.tsx";
import { SettingsPage } from "../../parts/settings-page.tsx";
import { Empty } from "../../parts/states.tsx";
import { Time } from "../../parts/values.tsx";
import { CredentialDialog } from "./credential-dialog.tsx";
import { CredentialState } from "./credential-state.tsx";
import { policyTexts } from "./policy-texts.ts";
import { CREDENTIALS, type CredentialRow, type ShownSecret } from "./shapes.ts";
import { TestButton } from "./test-button.tsx";

export function CredentialsPage() {
  return (
    <SettingsPage<CredentialRow>
      title="Credentials"
      about="Providers' keys that Weir keeps for the unified address. They are encrypted, and never shown again."
      path="/v1/credentials"
      queryKey={CREDENTIALS}
      add="Add credential"
      label="Credentials"
      columns={columnsOf}
      rowKey={keyOf}
      dialog={(credential, onClose) => <CredentialDialog credential={credential} onClose={onClose} />}
      empty={
        <Empty title="No credentials">
          Add one here, write it into the configuration file, or run{" "}
          <code>weir credentials add openai &lt; key.txt</code>.
        </Empty>
      }
    />
  );
}

/** A shared credential of the operator may have the same name as an own one. */
const keyOf = ({ source, id, name }: CredentialRow) => `${source} ${id ?? name}`;

function columnsOf(onEdit: (row: CredentialRow) => void): Column<CredentialRow>[] {
  return [
    { id: "name", header: "Name", value: (row) => row.name, cell: (row) => row.name },
    { id: "provider", header: "Provider", value: (row) => row.provider, cell: (row) => row.provider },
    {
      id: "state",
      header: "State",
      value: (row) => row.state,
      cell: (row) => <CredentialState row={row} />,
    },
    { id: "secrets", header: "Secrets", cell: (row) => <Secrets row={row} /> },
    { id: "weight", header: "Weight", align: "end", value: (row) => row.weight, cell: (row) => row.weight },
    {
      id: "models",
      header: "Models",
      cell: (row) => row.models.join(", ") || <span className="muted">all</span>,
    },
    {
      id: "limit",
      header: "Limit",
      cell: (row) => <Limit row={row} />,
    },
    { id: "actions", header: "Actions", cell: (row) => <Actions row={row} onEdit={() => onEdit(row)} /> },
  ];
}

function Limit({ row }: { readonly row: CredentialRow }) {
  if (row.limit === null) return <span className="muted">{row.source === "shared" ? "not shown" : "none"}</span>;
  return (
    <div className="stacked">
      {policyTexts(row.limit).map((text) => (
        <span key={text}>{text}</span>
      ))}
    </div>
  );
}

function Secrets({ row }: { readonly row: CredentialRow }) {
  const members = Object.entries(row.secrets);
  if (members.length === 0) return <span className="muted">{row.source === "shared" ? "not shown" : "none"}</span>;
  return (
    <div className="stacked">
      {members.map(([member, secret]) => (
        <Secret key={member} member={member} secret={secret} />
      ))}
    </div>
  );
}

function Secret({ member, secret }: { readonly member: string; readonly secret: ShownSecret }) {
  if ("from" in secret) {
    return (
      <span>
        {member} <code>{secret.from}</code>
      </span>
    );
  }
  return (
    <span title={`encrypted with the key ${secret.key_id}`}>
      {member} <code>…{secret.last4 ?? ""}</code>
      <br />
      <span className="muted secret-time">
        set <Time of={secret.set_at} relative />
      </span>
    </span>
  );
}

function Actions({ row, onEdit }: { readonly row: CredentialRow; readonly onEdit: () => void }) {
  if (row.source === "shared") return <span className="muted">the operator's</span>;
  return (
    <SettingActions
      kind="credential"
      name={row.name}
      path={`/v1/credentials/${encodeURIComponent(row.name)}`}
      isInFile={row.source === "file"}
      onEdit={onEdit}
      more={<TestButton credential={row} />}
    >
      Its secrets are removed with it. Requests use the provider's other credentials from the next one on, or are
      refused.
    </SettingActions>
  );
}
