// Owns the type of data that is readonly at every depth.

import type { Json } from './json.ts';

/** A type whose arrays and objects are readonly, and whose objects have only the fields that it names. */
export type DeepReadonly<T> = [Json] extends [T]
  ? T
  : T extends readonly (infer E)[]
    ? readonly DeepReadonly<E>[]
    : T extends object
      ? { readonly [K in keyof T as IsAnyField<T, K> extends true ? never : K]: DeepReadonly<T[K]> }
      : T;

/** Whether a key represents all fields that a loose schema accepts. */
type IsAnyField<T, K extends keyof T> = string extends K ? (unknown extends T[K] ? true : false) : false;
