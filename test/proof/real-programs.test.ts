// The real agent programs, installed by npm, each driven through whole runs against a stub of its model on loopback.

import { join } from 'node:path';
import { describe, test } from 'vitest';
import { installPrograms } from '../programs/install.ts';
import { describeClaudeCode } from '../programs/real-claude-code.ts';
import { describeCodex } from '../programs/real-codex.ts';

const PROGRAMS = join(import.meta.dirname, '../programs');
const installed = await installPrograms(PROGRAMS);

if ('missing' in installed) {
  console.warn(`The real Claude Code and Codex could not be installed, so nothing here was tested: ${installed.missing}`);
  describe('Claude Code and Codex', () => {
    test('Claude Code and Codex are not tested: npm could not install them', (context) => context.skip());
  });
} else {
  describe('the real Claude Code', () => describeClaudeCode(installed.modules));
  describe('the real Codex', () => describeCodex(installed.modules));
}
