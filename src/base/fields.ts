// Owns objects whose fields may be unknown: what nobody said is not there, rather than there and undefined.

/** The fields of an object that hold something. */
type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that were said, without those that are undefined. */
export function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}
