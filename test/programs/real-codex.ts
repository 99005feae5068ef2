// Owns the tests of the driver `codex` with the real program, against a stub of its model.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCodexDriver } from '../../src/agents/codex.ts';
import type { AgentDriver, AgentEvent } from '../../src/agents/driver.ts';
import type { ModelCall, ModelStub, ModelTurn } from './model-stub.ts';
import { startOpenaiStub } from './openai-stub.ts';
import { askOnce, leftRunning, type Place, runThreeSteps, withStub } from './real-program.ts';

const DONE: ModelTurn = { text: 'Done.\n{"success": true, "output": {"n": 1}}' };
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
  const program = [process.execPath, join(modules, '@openai/codex/bin/codex.js')];
  const driverFor = (stub: ModelStub, { home }: Place): AgentDriver => {
    const codexHome = join(home, '.codex');
    mkdirSync(codexHome, { recursive: true });
    writeFileSync(join(codexHome, 'config.toml'), configFor(stub));
    return createCodexDriver({ program, env: { HOME: home, CODEX_HOME: codexHome }, inherits: [KEY] });
  };
  describeWork(driverFor);
  describeSandbox(driverFor);
  describeFailures(driverFor);
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

type DriverFor = (stub: ModelStub, place: Place) => AgentDriver;

function describeWork(driverFor: DriverFor): void {
  test('three steps are done, and the one that was only claimed is done at the second attempt', async () => {
    const model = (call: ModelCall): ModelTurn => {
      if (call.toolResults > 0) return DONE;
      if (call.last.includes('Write the plan')) return run('echo "# Plan" > plan.md');
      return call.last.includes('Previous attempt failed') ? run('echo built > code.txt') : DONE;
    };
    await withStub(startOpenaiStub(model), async (stub, place) => {
      const view = await runThreeSteps(driverFor(stub, place), place);
      expect(view.status).toBe('completed');
      expect(readFileSync(join(place.cwd, 'plan.md'), 'utf8')).toBe('# Plan\n');
      expect(readFileSync(join(place.cwd, 'code.txt'), 'utf8')).toBe('built\n');
      expect(view.steps.map(({ path, attempt, outcome }) => [path, attempt, outcome])).toEqual([
        ['plan#1', 1, 'ok'],
        ['build#1', 1, undefined],
        ['build#1', 2, 'ok'],
        ['review#1', 1, 'ok'],
      ]);
      expect(view.steps[0]?.evidence).toMatchObject({ usage: { inputTokens: 200, outputTokens: 40 } });
      expect(leftRunning(place)).toEqual([]);
    });
  });

  test('a session goes on, its usage is that of the new turn, and a lost one begins afresh', async () => {
    await withStub(
      startOpenaiStub(() => DONE),
      async (stub, place) => {
        const driver = driverFor(stub, place);
        const first = await askOnce(driver, place, { prompt: 'The first.' });
        const session = { id: first.session as string, handover: 'What came before.' };
        const second = await askOnce(driver, place, { prompt: 'The second.', session });
        expect(second).toMatchObject({ kind: 'answered', session: session.id, usage: { inputTokens: 100, outputTokens: 20 } });
        expect(stub.calls.at(-1)?.all).toMatch(/The first\.(.|\n)*The second\./);
        expect((await askOnce(driverFor(stub, place), place, { session })).usage).toBeUndefined();
        for (const id of ['0199a213-81c0-7800-8aa1-bbab2a035a53', 'a-name-that-is-none']) {
          const lost = await askOnce(driver, place, { session: { ...session, id } });
          expect(lost).toMatchObject({ kind: 'answered', sessionLost: true });
          expect(stub.calls.at(-1)?.all).toContain('What came before.');
        }
      },
    );
  });

  test('an answer that does not pass is mended in the same thread', async () => {
    const model = (call: ModelCall): ModelTurn => (call.last.includes('too small') ? { text: '{"success": true, "output": 7}' } : DONE);
    await withStub(startOpenaiStub(model), async (stub, place) => {
      const answer = await askOnce(driverFor(stub, place), place, { check: ({ output }) => (output === 7 ? undefined : 'too small') });
      expect(answer).toMatchObject({ kind: 'answered', output: 7, usage: { inputTokens: 200, outputTokens: 40 } });
    });
  });

  test('what it does is told as it does it', async () => {
    await withStub(
      startOpenaiStub(({ toolResults }) => (toolResults > 0 ? DONE : run('echo seen; exit 0'))),
      async (stub, place) => {
        const events: AgentEvent[] = [];
        await askOnce(driverFor(stub, place), place, { onEvent: (event) => events.push(event) });
        expect(events).toContainEqual(expect.objectContaining({ kind: 'tool', name: 'command_execution' }));
        expect(events).toContainEqual(expect.objectContaining({ kind: 'tool-result', ok: true, text: 'seen\n' }));
        expect(events).toContainEqual(expect.objectContaining({ kind: 'text', text: expect.stringContaining('Done.') }));
      },
    );
  });
}

function describeSandbox(driverFor: DriverFor): void {
  test('files change only where a deed of the role changes files', async () => {
    for (const [deeds, written] of [
      [['read', 'execute'], false],
      [['read', 'edit'], true],
    ] as const) {
      await withStub(
        startOpenaiStub(({ toolResults }) => (toolResults > 0 ? DONE : run('echo x > made.txt'))),
        async (stub, place) => {
          expect(await askOnce(driverFor(stub, place), place, { permissions: { deeds } })).toMatchObject({ kind: 'answered' });
          expect(existsSync(join(place.cwd, 'made.txt'))).toBe(written);
        },
      );
    }
  });

  test('the commands of the agent do not see its login', async () => {
    await withStub(
      startOpenaiStub(({ toolResults }) => (toolResults > 0 ? DONE : run('env'))),
      async (stub, place) => {
        await askOnce(driverFor(stub, place), place, { env: { DECLARED: 'yes' } });
        expect(stub.calls.at(-1)?.last).toContain('DECLARED=yes');
        expect(stub.calls.at(-1)?.last).not.toContain('the-login-of-codex');
      },
    );
  });

  test('the search of the web is there only for a role that may fetch', async () => {
    await withStub(
      startOpenaiStub(() => DONE),
      async (stub, place) => {
        const driver = driverFor(stub, place);
        await askOnce(driver, place);
        await askOnce(driver, place, { permissions: { deeds: ['edit', 'fetch'] } });
        expect(stub.calls.map(({ tools }) => tools.includes('web_search'))).toEqual([false, true]);
      },
    );
  });
}

function describeFailures(driverFor: DriverFor): void {
  test('an account that is used up is quota, with the time when it is not', async () => {
    const resetsAt = Math.ceil((Date.now() + HOUR_MS) / MINUTE_MS) * MINUTE_MS;
    const error = { type: 'usage_limit_reached', message: 'used up', plan_type: 'plus', resets_at: resetsAt / 1000 };
    await withStub(
      startOpenaiStub(() => ({ status: 429, body: { error } })),
      async (stub, place) => {
        const answer = await askOnce(driverFor(stub, place), place);
        expect(answer).toMatchObject({ kind: 'failed', failure: 'quota', resumeAt: resetsAt });
        expect(answer.usage).toBeUndefined();
      },
    );
  });

  test.each<[string, string, ModelTurn]>([
    ['a quota that is exceeded', 'quota', refusal(429, { code: 'insufficient_quota', type: 'insufficient_quota', message: 'no money' })],
    ['a rate that is exceeded', 'quota', refusal(429, { code: 'rate_limit_exceeded', type: 'requests', message: 'slow down' })],
    ['a key that is not taken', 'auth', refusal(401, { code: 'invalid_api_key', type: 'invalid_request_error', message: 'Incorrect key' })],
    ['a server that is broken', 'crash', refusal(500, { type: 'server_error', message: 'oh' })],
  ])('a failure has its class: %s', async (_what, failure, turn) => {
    await withStub(
      startOpenaiStub(() => turn),
      async (stub, place) => {
        expect(await askOnce(driverFor(stub, place), place)).toMatchObject({ kind: 'failed', failure, session: expect.any(String) });
      },
    );
  });

  test('an endpoint that never answers is silence, and nothing is left running', async () => {
    await withStub(
      startOpenaiStub(() => 'silence'),
      async (stub, place) => {
        const answer = await askOnce(driverFor(stub, place), place, { watchdogs: { idleMs: 3000 } });
        expect(answer).toMatchObject({ kind: 'failed', failure: 'timeout', message: expect.stringContaining('silent') });
        expect(stub.calls).not.toEqual([]);
        expect(leftRunning(place)).toEqual([]);
      },
    );
  });
}
