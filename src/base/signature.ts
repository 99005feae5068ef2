// Owns the shape of a signature, which inputs and logs carry and only `src/authority` creates and verifies.

/** A signature, the key that created it, and when. */
export interface Signature {
  /** The fingerprint of the key. */
  readonly key: string;
  /** The time of signing by the signer's clock; it is part of what is signed. */
  readonly at: number;
  /** Ed25519, in base64url; for a passkey, its assertion (`src/authority/passkey.ts`). */
  readonly value: string;
}
