// Owns the tests of the driver `claude-code` with the real program, against a stub of its model.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createClaudeCodeDriver } from '../../src/agents/claude-code/claude-code.ts';
import { claudeEnv, startAnthropicStub, WRITES } from './anthropic-stub.ts';
import type { ModelTurn } from './model-stub.ts';
import { callsOnce, DONE, type RealProgram, withModel } from './real-program.ts';
import { describePermissions, describeProgram, describeSilence } from './real-suite.ts';

const HOUR_MS = 3_600_000;

type ProgramWith = (login: Readonly<Record<string, string>>) => RealProgram;

/** Tests the real Claude Code among these modules. */
export function describeClaudeCode(modules: string): void {
  const argv = [process.execPath, join(modules, '@anthropic-ai/claude-code/cli-wrapper.cjs')];
  const programWith: ProgramWith = (login) => ({
    startStub: startAnthropicStub,
    driverFor: (stub, { home }) => createClaudeCodeDriver({ program: argv, env: { ...claudeEnv(stub, home), ...login } }),
  });
  const program = programWith({ ANTHROPIC_API_KEY: 'sk-ant-stub' });
  const usage = { inputTokens: 230, outputTokens: 40, costUsd: expect.any(Number), turns: 2 };
  describeProgram({ ...program, writes: WRITES, usage: { oneTurn: usage, mended: usage } });
  describeSilence(program);
  describePermissions(program, [
    ['a command that only looks', { tool: 'Bash', input: { command: 'ls' } }, { tool: 'Bash', action: 'execute' }],
  ]);
  describeOwn(program);
  describeAccount(program, programWith);
}

function describeOwn(program: RealProgram): void {
  test('the cost of a session that goes on is that of the new turn, also with another model', async () => {
    await withModel(program, DONE, async ({ ask }) => {
      const first = await ask();
      const session = { id: first.session as string, handover: 'What came before.' };
      const second = await ask({ session, model: 'claude-opus-5-5' });
      expect(first.usage?.costUsd).toBeGreaterThan(0);
      expect(second.usage).toEqual(first.usage);
    });
  });

  test.each([
    ['touch yes.txt', 0],
    ['touch no.txt', 1],
  ])('a single command is permitted by its rule, and others are not: %s', async (command, refused) => {
    await withModel(program, callsOnce({ tool: 'Bash', input: { command } }), async ({ ask, place }) => {
      const answer = await ask({ permissions: { allow: ['read'], tools: ['Bash(touch yes.txt)'] } });
      expect(answer.refusals ?? []).toHaveLength(refused);
      expect(existsSync(join(place.cwd, command.slice(6)))).toBe(refused === 0);
    });
  });

  const again: ModelTurn = { tool: 'Bash', input: { command: 'echo again' } };

  test('turns that are used up are budget', async () => {
    await withModel(program, again, async ({ ask }) => {
      expect(await ask({ budget: { turns: 2 } })).toMatchObject({ kind: 'failed', failure: 'budget', usage: { inputTokens: 230 } });
    });
  });

  test('tokens that are used up are budget', async () => {
    await withModel(program, again, async ({ ask, stub }) => {
      expect(await ask({ budget: { tokens: 300 } })).toMatchObject({ kind: 'failed', failure: 'budget' });
      // The call after the one that was too much may be on its way when the program is ended.
      expect(stub.calls.length).toBeLessThan(5);
    });
  });
}

function describeAccount(program: RealProgram, programWith: ProgramWith): void {
  const errorOf = (type: string): object => ({ type: 'error', error: { type, message: 'no' } });

  test('an account that is used up is quota, with the time when it is not', async () => {
    const resetsAt = Math.floor(Date.now() / 1000) * 1000 + HOUR_MS;
    const headers = {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(resetsAt / 1000),
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    };
    const turn = { status: 429, headers, body: errorOf('rate_limit_error') };
    await withModel(programWith({ CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-stub' }), turn, async ({ ask }) => {
      const answer = await ask();
      expect(answer).toMatchObject({ kind: 'failed', failure: 'quota', resumeAt: resetsAt });
      expect(answer.usage).toBeUndefined();
    });
  });

  test('a long wait that the API asks for is not waited out; when it ends is not told', async () => {
    const turn = { status: 429, headers: { 'retry-after': '90' }, body: errorOf('rate_limit_error') };
    await withModel(program, turn, async ({ ask }) => {
      const answer = await ask();
      expect(answer).toMatchObject({ kind: 'failed', failure: 'quota' });
      expect(answer).not.toHaveProperty('resumeAt');
    });
  });

  test('a login that is not taken is auth', async () => {
    await withModel(program, { status: 401, body: errorOf('authentication_error') }, async ({ ask, stub }) => {
      expect(await ask()).toMatchObject({ kind: 'failed', failure: 'auth' });
      expect(stub.calls.length).toBeLessThan(4);
    });
  });

  test('no login at all is auth', async () => {
    await withModel(programWith({}), DONE, async ({ ask }) => {
      expect(await ask()).toMatchObject({ kind: 'failed', failure: 'auth' });
    });
  });
}
