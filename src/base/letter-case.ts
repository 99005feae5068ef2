// Owns the names of fields in files and in code: `base_branch` in YAML is `baseBranch` in TypeScript.

type CamelName<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelName<Rest>>}` : Name;
type SnakeName<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeName<Rest>}`
  : Name;

/** The fields with the names that they have in code. */
export function camel<Fields extends object>(fields: Fields): { readonly [Name in keyof Fields as CamelName<Name>]: Fields[Name] } {
  return renamed(fields, (name) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
}

/** The fields with the names that they have in files. */
export function snake<Fields extends object>(fields: Fields): { readonly [Name in keyof Fields as SnakeName<Name>]: Fields[Name] } {
  return renamed(fields, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

function renamed<Renamed>(fields: object, rename: (name: string) => string): Renamed {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [rename(name), value])) as Renamed;
}
