import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestText } from '../../base/digest.ts';
import { createActivation, createFirst } from '../../proof/store-deltas.ts';
import { packJson, phraseRows, unpackJson, unpackSql } from './packing.ts';

test('any JSON text comes back as it was', () => {
  fc.assert(fc.property(fc.json({ stringUnit: 'binary' }), (text) => unpackJson(packJson(text)) === text));
});

test('texts that look like codes and phrases come back as they were', () => {
  const text = JSON.stringify([
    '\u0001\u0002\u001fA',
    ',"at":',
    digestText('x'),
    { [digestText('y')]: `"${digestText('z')}"`, kind: 'human"' },
  ]);
  expect(unpackJson(packJson(text))).toBe(text);
});

test('what was never packed is left alone', () => {
  const text = JSON.stringify(createFirst({ run: 'r', owner: 'me' }).events);
  expect(unpackJson(text)).toBe(text);
});

test('a packed event row is less than half as long', () => {
  const text = JSON.stringify(createFirst({ run: 'r', owner: 'me', activation: createActivation('approve', { kind: 'human' }) }).events);
  expect(Buffer.byteLength(packJson(text)) / text.length).toBeLessThan(0.5);
});

test('plain SQL unpacks all but digests', () => {
  const text = JSON.stringify(createFirst({ run: 'r', owner: 'me' }).state);
  const db = new DatabaseSync(':memory:');
  db.exec('CREATE TABLE phrases (n INTEGER PRIMARY KEY, code TEXT, phrase TEXT)');
  for (const row of phraseRows()) db.prepare('INSERT INTO phrases (code, phrase) VALUES (?, ?)').run(...row);
  const found = db.prepare(`SELECT ${unpackSql('?')} AS text`).get(packJson(text));
  db.close();
  expect(String(found?.text).replace(/"~[\w-]{43}"/g, '"digest"')).toBe(text.replace(/"[0-9a-f]{64}"/g, '"digest"'));
});
