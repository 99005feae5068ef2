// The real agent programs, installed by npm, each driven through whole runs against a stub of its model on loopback.

import { describe, test } from 'vitest';
import { installPrograms } from './install.ts';
import { describeClaudeCode } from './real-claude-code.ts';
import { describeCodex } from './real-codex.ts';

const installed = await installPrograms(import.meta.dirname);

if ('missing' in installed) {
  console.warn(`The real Claude Code and Codex could not be installed, so nothing here was tested: ${installed.missing}`);
  describe('Claude Code and Codex', () => {
    test('are not tested: npm could not install them', (context) => context.skip());
  });
} else {
  describe('the real Claude Code', () => describeClaudeCode(installed.modules));
  describe('the real Codex', () => describeCodex(installed.modules));
}
