// Owns the proof that nothing generated reached a built-in prototype: what these hold, as text to compare.

const BUILT_IN = [Object, Array, String, Number, Boolean, Function, RegExp, Map, Error];

/** Every key of the built-in prototypes, in order. */
export function prototypeKeys(): string {
  return BUILT_IN.map((made) => `${made.name}: ${Reflect.ownKeys(made.prototype).map(String).join(' ')}`).join('\n');
}
