import { expect, test } from "bun:test";
import fc from "fast-check";
import { boundaryOf, formFields, withField, withoutField } from "../../src/unified/form.ts";
import { assertProperty } from "../chance.ts";

test.each([
  ["multipart/form-data; boundary=abc", "abc"],
  ['Multipart/Form-Data; charset=utf-8; boundary="a b;c"', "a b;c"],
  ["multipart/mixed; boundary=abc", undefined],
  ["multipart/form-data", undefined],
  ["application/json", undefined],
  ["", undefined],
])("the boundary of %p", (type, expected) => {
  expect(boundaryOf(type)).toBe(expected);
});

const field = fc.record({
  name: fc.stringMatching(/^[a-z_[\]]{1,10}$/),
  value: fc.string({ maxLength: 40 }),
  isFile: fc.boolean(),
});

test("any form is read and written as others read it, and only the field changes", async () => {
  await assertProperty(
    fc.asyncProperty(
      fc.array(field, { minLength: 1, maxLength: 6 }),
      fc.string({ maxLength: 20 }),
      async (fields, model) => {
        // A line end alone becomes both on its way into a form, and so does not show what we did.
        const plain = (text: string) => text.replace(/[\r\n]/g, "");
        const form = new FormData();
        for (const { name, value, isFile } of fields) {
          if (isFile) form.append(name, new File([value], "f.bin"));
          else form.append(name, plain(value));
        }
        const request = new Response(form);
        const type = request.headers.get("content-type")!;
        const bytes = new Uint8Array(await request.arrayBuffer());
        const boundary = boundaryOf(type)!;
        const plainFields = fields.filter(({ isFile }) => !isFile);
        expect(formFields(bytes, boundary)!.map(({ name, value }) => [name, value])).toEqual(
          plainFields.map(({ name, value }) => [name, plain(value)]),
        );
        const changed = withField(bytes, boundary, "model", plain(model))!;
        const read = (await new Response(Buffer.from(changed), {
          headers: { "content-type": type },
        }).formData()) as unknown as FormData;
        expect(read.getAll("model").filter((each) => typeof each === "string")).toEqual(
          plainFields.some(({ name }) => name === "model")
            ? plainFields.filter(({ name }) => name === "model").map(() => plain(model))
            : [plain(model)],
        );
        for (const { name } of fields) {
          if (name !== "model") expect(read.getAll(name)).toHaveLength(form.getAll(name).length);
        }
      },
    ),
    { numRuns: 200 },
  );
});

test("no bytes make it throw", () => {
  assertProperty(
    fc.property(
      fc.array(fc.constantFrom("--b", "\r\n", "--", "x", 'Content-Disposition: form-data; name="m"', "\r\n\r\n")),
      (list) => {
        const bytes = Buffer.from(list.join(""));
        const fields = formFields(bytes, "b");
        if (fields === undefined) return;
        withField(bytes, "b", "m", "v");
        expect(formFields(withoutField(bytes, "b", "m")!, "b")?.some(({ name }) => name === "m") ?? false).toBe(false);
      },
    ),
  );
});
