// Owns the shape of a signature, which inputs and logs carry and only `src/authority` makes and proves.

/** Who signed, when they say they did, and the signature itself. */
export interface Signature {
  /** The fingerprint of the key. */
  readonly key: string;
  /** When it was signed, by the clock of whoever signed; it is part of what is signed. */
  readonly at: number;
  /** Ed25519, in base64url. */
  readonly value: string;
}
