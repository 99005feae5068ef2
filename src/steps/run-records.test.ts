import { expect, test } from 'vitest';
import {
  ACCEPTED,
  ATTENDED,
  CHANGED,
  CONTRACT_FILES,
  DOCUMENTS,
  GATE_PROGRESS,
  GUARDED,
  PROTECTED,
  PUSHED,
  TREE_VERDICTS,
} from './run-records.ts';

const DOCUMENT = { digest: 'd', step: 'plan' };

test('a record is read as it was stored', () => {
  const data = { other: 1, ...PUSHED.with('abc'), ...DOCUMENTS.of('docs/a#1:b.md').with(DOCUMENT) };
  expect(PUSHED.in(data)).toBe('abc');
  expect(DOCUMENTS.of('docs/a#1:b.md').in(data)).toEqual(DOCUMENT);
  expect(DOCUMENTS.namedIn(data)).toEqual([['docs/a#1:b.md', DOCUMENT]]);
});

test('a record that was never stored, or was removed, is undefined', () => {
  const data = DOCUMENTS.of('gone.md').removed();
  expect(DOCUMENTS.of('gone.md').in(data)).toBeUndefined();
  expect(DOCUMENTS.of('never.md').in(data)).toBeUndefined();
  expect(DOCUMENTS.allIn(data)).toEqual([]);
  // A removed verdict still tells that its step has none any more.
  expect(DOCUMENTS.namedIn(data)).toEqual([['gone.md', undefined]]);
});

test.each([
  ['attended', ATTENDED.read('yes')],
  ['pushed', PUSHED.read(7)],
  ['document', DOCUMENTS.of('a').read('text')],
  ['protected files of an older engine', PROTECTED.of('work#1').read({ path: 'work#1', files: {} })],
])('data of another shape is not a record: %s', (_, read) => {
  expect(read).toBeUndefined();
});

test('the names of the records are those that runs have stored', () => {
  const keys = [
    ATTENDED.key,
    TREE_VERDICTS.of('review#2/style').key,
    CONTRACT_FILES.of('work#3').key,
    GATE_PROGRESS.of('gate#2').key,
    GUARDED.of('parent').key,
    ACCEPTED.of({ path: 'work#1', attempt: 2 }).key,
    ACCEPTED.of({ by: 'retry', path: 'work#1', attempt: 2 }).key,
    CHANGED.of({ path: 'work#1', attempt: 2 }).key,
  ];
  expect(keys).toEqual([
    '$attended',
    '$tree:review/style',
    '$contract:work',
    '$look:gate#2',
    '$guarded:parent',
    '$accepted:work#1/2',
    '$accepted:retry:work#1/2',
    '$changed:work#1#2',
  ]);
});
