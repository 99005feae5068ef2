// A real agent that speaks the Agent Client Protocol, installed by npm, driven through whole runs against a stub of its
// model on loopback.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createAcpDriver } from '../../src/agents/acp/acp.ts';
import { claudeEnv, startAnthropicStub, WRITES } from '../programs/anthropic-stub.ts';
import { installPrograms } from '../programs/install.ts';
import type { ModelTurn } from '../programs/model-stub.ts';
import { DONE, leftRunning, type RealProgram, withModel } from '../programs/real-program.ts';
import { describePermissions, describeProgram, describeSilence } from '../programs/real-suite.ts';

const installed = await installPrograms(join(import.meta.dirname, '../programs/acp'));

if ('missing' in installed) {
  console.warn(`The real claude-agent-acp could not be installed, so nothing here was tested: ${installed.missing}`);
  describe('claude-agent-acp', () => {
    test('claude-agent-acp is not tested: npm could not install it', (context) => context.skip());
  });
} else {
  describe('the real claude-agent-acp', () => describeAgent(installed.modules));
}

function describeAgent(modules: string): void {
  const argv = [process.execPath, join(modules, '@agentclientprotocol/claude-agent-acp/dist/index.js')];
  const own = { CLAUDE_CODE_MAX_RETRIES: '0', ANTHROPIC_API_KEY: 'sk-ant-stub' };
  const program: RealProgram = {
    startStub: startAnthropicStub,
    driverFor: (stub, { home }) => createAcpDriver({ argv, env: { ...claudeEnv(stub, home), ...own } }),
  };
  const mended = { costUsd: expect.any(Number) };
  describeProgram({ ...program, writes: WRITES, usage: { oneTurn: { inputTokens: 230, outputTokens: 40, ...mended }, mended } });
  describePermissions(program);
  describeSilence(program);
  describeOwn(program);
}

function describeOwn(program: RealProgram): void {
  test('a model is chosen from those that the agent offers', async () => {
    await withModel(program, DONE, async ({ ask }) => {
      const refused = await ask({ model: 'no-such-model' });
      expect(refused).toMatchObject({ kind: 'failed', failure: 'refused', message: expect.stringMatching(/it offers .*haiku/) });
      expect(await ask({ model: 'haiku' })).toMatchObject({ kind: 'answered' });
    });
  });

  test.each([
    ['quota', 429, 'rate_limit_error'],
    ['auth', 401, 'authentication_error'],
  ])('an error of the model is classified: %s', async (failure, status, type) => {
    const turn = { status, body: { type: 'error', error: { type, message: 'no' } } };
    await withModel(program, turn, async ({ ask, place }) => {
      expect(await ask()).toMatchObject({ kind: 'failed', failure });
      expect(leftRunning(place)).toEqual([]);
    });
  });

  test('an attempt that is stopped leaves nothing running', async () => {
    const controller = new AbortController();
    const silence = (): ModelTurn => {
      controller.abort();
      return 'silence';
    };
    await withModel(program, silence, async ({ ask, place }) => {
      expect(await ask({ signal: controller.signal })).toMatchObject({ kind: 'failed', failure: 'aborted' });
      expect(leftRunning(place)).toEqual([]);
    });
  });
}
