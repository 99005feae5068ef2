import { expect, test } from 'vitest';
import type { Json } from '../../../base/json.ts';
import { decidePage } from './page.ts';

function pageAbout(subjects: Json): string {
  const question = { prompt: 'Release it?', show: [], options: [] };
  const approval = { path: 'release#1', step: 'release', question, digest: 'd'.repeat(64), shown: {}, subjects, since: 0, signed: false };
  return decidePage({ run: 'r', workflow: 'w', approval, person: 'ada', expiresAt: 1, action: '/decide' }).body.text;
}

test('a file that could not be read is named with the reason', () => {
  const page = pageAbout({ files: { 'plan.md': 'a'.repeat(64), 'docs/out': { problem: 'it is a link that leads nowhere' } } });
  expect(page).toContain(`plan.md  ${'a'.repeat(12)}\n`);
  expect(page).toContain('docs/out  it is a link that leads nowhere');
});

test('a workspace that could not be read is reported with the reason', () => {
  expect(pageAbout({ tree: { problem: 'git failed' } })).toContain('The workspace could not be read: git failed');
});

test('subjects that could not be read at all are reported with the reason', () => {
  expect(pageAbout({ problem: 'git failed' })).toContain('could not be read: git failed');
});
