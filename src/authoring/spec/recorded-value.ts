// Owns the type of a value after it was recorded as JSON, which is how other code of a run receives it.

import type { Json } from '../../base/json.ts';

type UnrecordableMessage = 'JSON has no functions, symbols, bigints, maps or sets: return plain data, or an object with toJSON';
type Unrecordable = ((...args: never) => unknown) | symbol | bigint | Collection;
/** A map or a set. */
type Collection = { readonly size: number; has(key: never): boolean; entries(): unknown };

/** The type of a value after it was recorded: a date is a string, undefined is null, and a value that JSON cannot represent is an error message. */
export type RecordedValue<T> = unknown extends T
  ? T
  : T extends Json
    ? T
    : undefined extends T
      ? null
      : T extends { toJSON(...args: never): infer Data }
        ? RecordedValue<Data>
        : T extends Unrecordable
          ? UnrecordableMessage
          : T extends readonly unknown[]
            ? { [Index in keyof T]: RecordedValue<T[Index]> }
            : T extends object
              ? { [Field in keyof T]: RecordedField<T[Field]> }
              : T;

/** A field whose value is undefined is left out. */
type RecordedField<V> = unknown extends V ? V : V extends undefined ? undefined : RecordedValue<V>;
