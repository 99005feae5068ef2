// Owns objects with optional fields: an unknown field is absent, not undefined.

/** The fields of an object, where those that may be undefined may be missing. */
type WithoutUndefined<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Returns the object, or undefined if it has no fields. */
export function unlessEmpty<T extends object>(fields: T): T | undefined {
  return Object.keys(fields).length === 0 ? undefined : fields;
}

/** Returns the fields without those that are undefined. */
export function omitUndefined<T extends object>(fields: T): WithoutUndefined<T> {
  const defined: Record<string, unknown> = {};
  // Without `Object.entries`, which makes a list for every field: each step of a flow is built with this.
  for (const name of Object.keys(fields)) {
    const value: unknown = fields[name as keyof T];
    if (value !== undefined) defined[name] = value;
  }
  return defined as WithoutUndefined<T>;
}
