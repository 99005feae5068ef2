import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor, type Redactor, whyNotMasked } from './redact.ts';

const SECRET = 'S3cr?t/p"ä ss>~wörd';
const redactor = createRedactor({ TOKEN: SECRET });

function streamed(target: Redactor, chunks: readonly string[]): string {
  const stream = target.stream();
  return chunks.map((chunk) => stream.push(chunk)).join('') + stream.end();
}

describe('redaction', () => {
  const spellings: Record<string, string> = {
    plain: SECRET,
    'in reversed case': 's3CR?T/P"ä SS>~WöRD',
    base64: Buffer.from(SECRET).toString('base64'),
    'base64 without padding': Buffer.from(SECRET).toString('base64').replace(/=+$/, ''),
    base64url: Buffer.from(SECRET).toString('base64url'),
    hex: Buffer.from(SECRET).toString('hex'),
    'upper-case hex': Buffer.from(SECRET).toString('hex').toUpperCase(),
    'URL component': encodeURIComponent(SECRET),
    'URL form field': new URLSearchParams({ x: SECRET }).toString().slice(2),
    JSON: JSON.stringify(SECRET).slice(1, -1),
    'ASCII-only JSON': JSON.stringify(SECRET).slice(1, -1).replace('ä', '\\u00e4').replace('ö', '\\u00f6'),
    'JSON within JSON': JSON.stringify(JSON.stringify(SECRET)).slice(3, -3),
  };

  test.each(Object.entries(spellings))('redaction masks a secret written as %s', (_name, spelling) => {
    expect(redactor.text(`before ${spelling} after ${spelling}`)).toBe('before [redacted:TOKEN] after [redacted:TOKEN]');
  });

  test.each(Object.entries(spellings))('redaction masks a secret split anywhere: %s', (_name, spelling) => {
    const text = `a ${spelling} b`;
    for (let cut = 0; cut <= text.length; cut += 1) {
      expect(streamed(redactor, [text.slice(0, cut), text.slice(cut)])).toBe('a [redacted:TOKEN] b');
    }
    expect(streamed(redactor, [...text])).toBe('a [redacted:TOKEN] b');
  });

  test.each(['', 'x', 'xy', 'xyz', 'user:'])('redaction masks a secret inside a larger base64 text, after %j', (prefix) => {
    for (const encoding of ['base64', 'base64url'] as const) {
      const masked = redactor.text(Buffer.from(`${prefix}${SECRET} and more`).toString(encoding));
      expect(masked).toContain('[redacted:TOKEN]');
      expect(Buffer.from(masked.split('[redacted:TOKEN]').join(''), encoding).toString('latin1')).not.toContain('cr?t');
    }
  });

  test('redaction masks each line of a key in PEM form, alone and together', () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 1024,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const target = createRedactor({ KEY: privateKey });
    const lines = privateKey.trim().split('\n').slice(1, -1);
    expect(target.text(`x${privateKey}y`)).toBe('x[redacted:KEY]y');
    expect(target.text(`> ${lines[2]} <`)).toBe('> [redacted:KEY] <');
    expect(streamed(target, [...JSON.stringify({ key: privateKey })])).toBe('{"key":"[redacted:KEY]"}');
    expect(target.text(Buffer.from(privateKey).toString('base64'))).toBe('[redacted:KEY]');
  });

  test('redaction leaves the plain lines of a multi-line configuration alone', () => {
    const target = createRedactor({ CONFIG: 'clusters:\n  password: correct horse battery\n' });
    expect(target.text('clusters: 3')).toBe('clusters: 3');
    expect(target.text('> password: correct horse battery')).toBe('> [redacted:CONFIG]');
  });

  test('redaction does not mask everyday words and short values, and reports them', () => {
    const target = createRedactor({ PIN: '12345', MODE: 'Production', EMPTY: '', KEY: 'abcdef' });
    expect(target.text('12345 production abcdef')).toBe('12345 production [redacted:KEY]');
    expect(['12345', 'Production', 'abcdef'].map(whyNotMasked)).toEqual(['shorter than 6 characters', 'an everyday word', undefined]);
  });

  test('redaction masks overlapping secrets as one', () => {
    const target = createRedactor({ A: 'abcdefgh', B: 'ghijklmn', C: 'abcdefghijkl' });
    expect(target.text('abcdefghijklmn abcdefgh')).toBe('[redacted:C] [redacted:A]');
    expect(streamed(target, ['abcdefg', 'hij', 'klm', 'n abcdefgh'])).toBe('[redacted:C] [redacted:A]');
  });

  test('redaction holds back only text that could become a secret', () => {
    const stream = createRedactor({ A: 'abcdefgh' }).stream();
    expect(stream.push('all of it\n')).toBe('all of it\n');
    expect(stream.push('x abc')).toBe('x ');
    expect(stream.push('x')).toBe('abcx');
  });

  test('redaction returns the same for a stream as for the whole text, however it is split', () => {
    const target = createRedactor({ A: 'aabaab', B: 'baabaaba', C: 'aaaaaaa', D: 'abcabcd' });
    const chunk = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd', 'A', ' '), maxLength: 9 });
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 20 }), (chunks) => {
        expect(streamed(target, chunks)).toBe(target.text(chunks.join('')));
      }),
      { numRuns: 3000 },
    );
  });

  test('redaction never prints a secret, whatever surrounds it', () => {
    const target = createRedactor({ A: 'tok_1234', B: '4tok_99' });
    const around = fc.string({ unit: fc.constantFrom('t', 'o', 'k', '_', '1', '4', '9'), maxLength: 12 });
    fc.assert(
      fc.property(around, around, (before, after) => {
        expect(target.text(`${before}tok_1234${after}`)).not.toContain('tok_1234');
      }),
    );
  });
});
