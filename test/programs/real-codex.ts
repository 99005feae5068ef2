// Owns the tests of the driver `codex` with the real program, against a stub of its model.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCodexDriver } from '../../src/agents/codex/codex.ts';
import type { AgentEvent } from '../../src/agents/driver.ts';
import { createAgentRequest } from '../../src/proof/driver-suite.ts';
import type { ModelStub, ModelTurn } from './model-stub.ts';
import { startOpenaiStub } from './openai-stub.ts';
import { callsOnce, DONE, type RealProgram, withModel } from './real-program.ts';
import { describeProgram, describeSilence } from './real-suite.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const refusal = (status: number, error: object): ModelTurn => ({ status, body: { error } });
const run = (cmd: string): ModelTurn => ({ tool: 'exec_command', input: { cmd } });

const KEY = 'PAWL_STUB_LOGIN';

/** Tests the real Codex among these modules. */
export function describeCodex(modules: string): void {
  beforeAll(() => {
    process.env[KEY] = 'the-login-of-codex';
  });
  afterAll(() => {
    delete process.env[KEY];
  });
  const argv = [process.execPath, join(modules, '@openai/codex/bin/codex.js')];
  const program: RealProgram = {
    startStub: startOpenaiStub,
    driverFor(stub, { home }) {
      const codexHome = join(home, '.codex');
      mkdirSync(codexHome, { recursive: true });
      writeFileSync(join(codexHome, 'config.toml'), configFor(stub));
      return createCodexDriver({ program: argv, env: { HOME: home, CODEX_HOME: codexHome }, inherits: [KEY] });
    },
  };
  const writes = { plan: run('echo "# Plan" > plan.md'), code: run('echo built > code.txt') };
  const usage = { inputTokens: 200, outputTokens: 40 };
  describeProgram({ ...program, writes, usage: { oneTurn: usage, mended: usage } });
  describeSilence(program);
  describeTelling(program);
  describeSandbox(program);
  describeFailures(program);
}

function configFor(stub: ModelStub): string {
  return `model = "gpt-5-codex"
model_provider = "stub"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.stub]
name = "stub"
base_url = "${stub.url}/v1"
env_key = "${KEY}"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
`;
}

function describeTelling(program: RealProgram): void {
  test('the usage of a session that goes on is that of the new turn, and unknown to a driver that did not see the last one', async () => {
    await withModel(program, DONE, async ({ ask, stub, place }) => {
      const session = { id: (await ask()).session as string, handover: 'What came before.' };
      expect((await ask({ session })).usage).toMatchObject({ inputTokens: 100, outputTokens: 20 });
      const other = program.driverFor(stub, place);
      expect((await other.ask(createAgentRequest({ cwd: place.cwd, session }))).usage).toBeUndefined();
    });
  });

  test('a session whose name is none begins afresh', async () => {
    await withModel(program, DONE, async ({ ask, stub }) => {
      const lost = await ask({ session: { id: 'a-name-that-is-none', handover: 'What came before.' } });
      expect(lost).toMatchObject({ kind: 'answered', sessionLost: true });
      expect(stub.calls.at(-1)?.all).toContain('What came before.');
    });
  });

  test('what it does is told as it does it', async () => {
    await withModel(program, callsOnce(run('echo seen; exit 0')), async ({ ask }) => {
      const events: AgentEvent[] = [];
      await ask({ onEvent: (event) => events.push(event) });
      expect(events).toContainEqual(expect.objectContaining({ kind: 'tool', name: 'command_execution' }));
      expect(events).toContainEqual(expect.objectContaining({ kind: 'tool-result', ok: true, text: 'seen\n' }));
      expect(events).toContainEqual(expect.objectContaining({ kind: 'text', text: expect.stringContaining('Done.') }));
    });
  });
}

function describeSandbox(program: RealProgram): void {
  test.each([
    [['read', 'execute'] as const, false],
    [['read', 'edit'] as const, true],
  ])('files change only where an action of the role changes files: %j', async (allow, written) => {
    await withModel(program, callsOnce(run('echo x > made.txt')), async ({ ask, place }) => {
      expect(await ask({ permissions: { allow } })).toMatchObject({ kind: 'answered' });
      expect(existsSync(join(place.cwd, 'made.txt'))).toBe(written);
    });
  });

  test('the commands of the agent do not see its login', async () => {
    await withModel(program, callsOnce(run('env')), async ({ ask, stub }) => {
      await ask({ env: { DECLARED: 'yes' } });
      expect(stub.calls.at(-1)?.last).toContain('DECLARED=yes');
      expect(stub.calls.at(-1)?.last).not.toContain('the-login-of-codex');
    });
  });

  test('the search of the web is there only for a role that may fetch', async () => {
    await withModel(program, DONE, async ({ ask, stub }) => {
      await ask();
      await ask({ permissions: { allow: ['edit', 'fetch'] } });
      expect(stub.calls.map(({ tools }) => tools.includes('web_search'))).toEqual([false, true]);
    });
  });
}

function describeFailures(program: RealProgram): void {
  test('an account that is used up is quota, with the time when it is not', async () => {
    const resetsAt = Math.ceil((Date.now() + HOUR_MS) / MINUTE_MS) * MINUTE_MS;
    const turn = refusal(429, { type: 'usage_limit_reached', message: 'used up', plan_type: 'plus', resets_at: resetsAt / 1000 });
    await withModel(program, turn, async ({ ask }) => {
      const answer = await ask();
      expect(answer).toMatchObject({ kind: 'failed', failure: 'quota', resumeAt: resetsAt });
      expect(answer.usage).toBeUndefined();
    });
  });

  test.each<[string, string, ModelTurn]>([
    ['a quota that is exceeded', 'quota', refusal(429, { code: 'insufficient_quota', type: 'insufficient_quota', message: 'no money' })],
    ['a rate that is exceeded', 'quota', refusal(429, { code: 'rate_limit_exceeded', type: 'requests', message: 'slow down' })],
    ['a key that is not taken', 'auth', refusal(401, { code: 'invalid_api_key', type: 'invalid_request_error', message: 'Incorrect key' })],
    ['a server that is broken', 'crash', refusal(500, { type: 'server_error', message: 'oh' })],
  ])('a failure has its class: %s', async (_what, failure, turn) => {
    await withModel(program, turn, async ({ ask }) => {
      expect(await ask()).toMatchObject({ kind: 'failed', failure, session: expect.any(String) });
    });
  });
}
