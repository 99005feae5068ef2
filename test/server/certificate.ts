// Owns a certificate for tests of TLS: self-signed, for localhost, created each time, so that the project contains no key.

import { generateKeyPairSync, sign } from 'node:crypto';

/** A certificate for localhost and its key, as PEM. */
export function createCertificate(): { readonly cert: string; readonly key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const algorithm = der(0x30, Buffer.from('06032b6570', 'hex'));
  const name = der(0x30, der(0x31, der(0x30, Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from('localhost')))));
  const validity = der(0x30, der(0x17, Buffer.from('250101000000Z')), der(0x17, Buffer.from('490101000000Z')));
  const names = der(0x30, der(0x82, Buffer.from('localhost')));
  const extensions = der(0xa3, der(0x30, der(0x30, Buffer.from('0603551d11', 'hex'), der(0x04, names))));
  const body = der(
    0x30,
    ...[der(0xa0, Buffer.from('020102', 'hex')), Buffer.from('020101', 'hex'), algorithm, name, validity, name],
    ...[publicKey.export({ format: 'der', type: 'spki' }), extensions],
  );
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign(null, body, privateKey)]));
  const lines = der(0x30, body, algorithm, signature).toString('base64').replace(/.{64}/g, '$&\n');
  const cert = `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
  return { cert, key: String(privateKey.export({ format: 'pem', type: 'pkcs8' })) };
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
