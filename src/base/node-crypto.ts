// Owns the loading of `node:crypto`, when something first needs it: it starts OpenSSL, which takes longer than everything
// else that a short process does.

type NodeCrypto = typeof import('node:crypto');

let loaded: NodeCrypto | undefined;

/** The module, loaded once. */
export function nodeCrypto(): NodeCrypto {
  loaded ??= process.getBuiltinModule('node:crypto');
  return loaded;
}
