import { useQuery } from "@tanstack/react-query";
import type { ShownMember } from "../../../store/people/members.ts";
import { get } from "../../api.ts";
import { DialogForm, useSave } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import { useSession } from "../../session.ts";
import { MEMBERS } from "../members/roles.tsx";
import type { KeyRow } from "./keys-query.ts";

interface TransferKeyProps {
  readonly row: KeyRow;
  readonly onClose: () => void;
}

/** Gives a key another owner, or none. Members of another organization cannot be listed from here. */
export function TransferKey({ row, onClose }: TransferKeyProps) {
  const { organization } = useSession();
  const isHere = row.organization === organization;
  const { data: members } = useQuery({
    queryKey: MEMBERS,
    queryFn: ({ signal }) => get<readonly ShownMember[]>("/v1/members", signal),
    enabled: isHere,
  });
  const work = useSave({ method: "PATCH", path: `/v1/keys/${row.id}`, onSaved: onClose });
  const others = isHere ? (members?.filter(({ user_id, disabled }) => user_id !== row.user_id && !disabled) ?? []) : [];
  return (
    <DialogForm
      title={`Transfer the key “${row.name}”`}
      action="Transfer key"
      work={work}
      onClose={onClose}
      onSubmit={({ text }) => work.mutate({ user_id: text("user_id") || null })}
    >
      {(errorAt) => (
        <>
          <p>
            {row.user_id === null
              ? "It has no owner."
              : `It belongs to ${ownerOf(row)}: it does no more than they may, and stops with them.`}
          </p>
          <Field
            label="New owner"
            hint={isHere ? undefined : `Switch to the organization ${row.organization} to choose one of its members.`}
            error={errorAt("user_id")}
          >
            {(ids) => (
              <select {...ids} name="user_id">
                <option value="">none: it does not stop with a user</option>
                {others.map(({ user_id, email, role }) => (
                  <option key={user_id} value={user_id}>
                    {email}, {role}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <p className="muted">Its secret stays the same: the former owner still knows it until it is rotated.</p>
        </>
      )}
    </DialogForm>
  );
}

/** Whom a key belongs to. */
export function ownerOf({ user, user_id }: KeyRow): string {
  return user ?? (user_id === null ? "none" : "a removed user");
}
