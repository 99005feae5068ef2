// What a question is about, looked at in a real folder: links are followed inside of it, and what is not read is told.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SeenSubjects } from '../definition/question/subjects.ts';
import { REGISTRY } from '../kinds/registry.ts';
import { createAttemptRequest } from '../proof/attempt-request.ts';
import { createAttemptRunner } from './runner.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'pawl-subjects-'));
  mkdirSync(join(cwd, 'docs'));
  writeFileSync(join(cwd, 'plan.md'), 'one');
});
afterEach(() => rmSync(cwd, { recursive: true }));

async function observed(files: readonly string[]): Promise<SeenSubjects['files']> {
  const question = { prompt: 'Fine?', show: [], options: [], subjects: { files } };
  const request = createAttemptRequest({ kind: 'human', config: {}, model: { question }, want: 'observe' });
  const result = await createAttemptRunner({ cwd, now: Date.now }, REGISTRY)(request);
  if (result.type !== 'observed' || 'problem' in result.subjects) throw new Error(JSON.stringify(result));
  return result.subjects.files;
}

test('a subject that is a link consists of the link and the file behind it', async () => {
  symlinkSync('../plan.md', join(cwd, 'docs/plan.md'));
  const before = await observed(['docs/**']);
  expect(before).toEqual({ 'docs/plan.md': expect.stringMatching(/^link \.\.\/plan\.md [0-9a-f]{64}$/) });
  writeFileSync(join(cwd, 'plan.md'), 'two');
  expect(await observed(['docs/**'])).not.toEqual(before);
});

test('a link out of the workspace, a broken link and a named pipe are reported as problems', async () => {
  symlinkSync('/etc/hostname', join(cwd, 'docs/outside'));
  symlinkSync('nothing', join(cwd, 'docs/nowhere'));
  execFileSync('sh', ['-c', 'mkfifo docs/pipe'], { cwd });
  expect(await observed(['docs/*'])).toEqual({
    'docs/outside': { problem: 'it is a link that leads out of the workspace, and is not read' },
    'docs/nowhere': { problem: 'it is a link that leads nowhere' },
    'docs/pipe': { problem: 'it is a named pipe, a socket or a device, and is not read' },
  });
});
