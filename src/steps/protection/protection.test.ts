// Protected files against a real workspace, real git and a scripted agent: what was touched makes the verdict void.

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentAnswer, AgentRequest } from '../../agents/driver.ts';
import { createScriptedDriver } from '../../agents/scripted.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Definition, StepModel } from '../../definition/model.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import { type AttemptFields, createAttemptRequest } from '../../proof/attempt-request.ts';
import type { AttemptResult } from '../attempt.ts';
import { createAttemptRunner } from '../runner.ts';
import type { StepServices } from '../services.ts';

let cwd: string;
let act: (request: AgentRequest) => AgentAnswer | undefined;
/** What the run remembers, as a host keeps it. */
let data: JsonObject;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'pawl-protected-'));
  act = () => undefined;
  data = {};
  put('tests/a.test.ts', 'expect(1).toBe(1)');
  put('src/a.ts', 'export const a = 1;');
});
afterEach(() => rmSync(cwd, { recursive: true }));

function put(path: string, text: string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}
const remove = (path: string): void => rmSync(join(cwd, path));
const git = (...args: string[]): string => execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const done: AgentAnswer = { kind: 'answered', success: true, output: { said: 'done' } };

interface Asking {
  readonly services?: Partial<StepServices>;
  readonly model?: Partial<StepModel>;
  readonly workflow?: Pick<Definition, 'protected'>;
  readonly fields?: Partial<AttemptFields>;
}

async function attempt({ services, model = {}, workflow = {}, fields = {} }: Asking = {}): Promise<AttemptResult> {
  const driver = createScriptedDriver((request) => act(request) ?? done);
  const roles = { dev: { driver: 'scripted' } };
  const run = createAttemptRunner({ cwd, roles, drivers: { scripted: driver }, now: Date.now, ...services }, REGISTRY);
  const plain = createAttemptRequest({ kind: 'agent', config: { role: 'dev' }, model, snapshot: { data }, ...fields });
  const definition = { ...plain.workflow.definition, ...workflow };
  const result = await run({ ...plain, workflow: { ...plain.workflow, definition } });
  if (result.type !== 'observed') data = { ...data, ...result.remember, ...(result.type === 'ready' ? result.found : {}) };
  return result;
}

const tests = { model: { protected: ['tests/**'] } };
const voided = (...files: readonly [path: string, what: string][]) => ({
  type: 'errored',
  error: {
    code: 'PROTECTED_CHANGED',
    reason: 'contract',
    message: expect.stringContaining(files.map((one) => `${one[0]} (${one[1]})`).join(', ')),
  },
  evidence: { protected: files.map(([path, what]) => ({ path, what })) },
});

describe('protected files', () => {
  test('a protected file that is changed or deleted makes the verdict void; the claim stays on record', async () => {
    put('tests/b.test.ts', 'expect(2).toBe(2)');
    act = () => {
      put('tests/a.test.ts', 'expect(1).toBe(1) || true');
      remove('tests/b.test.ts');
      return undefined;
    };
    const result = await attempt(tests);
    expect(result).toMatchObject(voided(['tests/a.test.ts', 'changed'], ['tests/b.test.ts', 'deleted']));
    expect(result).toMatchObject({ claim: { output: { said: 'done' } }, actor: 'dev' });
    expect(result).not.toHaveProperty('output');
  });

  test('a protected file that is no longer executable counts as changed, because a script runner would skip it', async () => {
    put('tests/smoke.sh', 'exit 1');
    chmodSync(join(cwd, 'tests/smoke.sh'), 0o755);
    act = () => void chmodSync(join(cwd, 'tests/smoke.sh'), 0o644);
    expect(await attempt(tests)).toMatchObject(voided(['tests/smoke.sh', 'changed']));
  });

  test('a protected file that is added is allowed, and so is every other change', async () => {
    act = () => {
      put('tests/new.test.ts', 'x');
      put('src/a.ts', 'export const a = 2;');
      return undefined;
    };
    expect(await attempt(tests)).toMatchObject({ type: 'settled', outcome: 'ok' });
  });

  test('a protected file that is rewritten with the same content has not changed', async () => {
    act = () => {
      put('tests/a.test.ts', readFileSync(join(cwd, 'tests/a.test.ts'), 'utf8'));
      return undefined;
    };
    expect(await attempt(tests)).toMatchObject({ type: 'settled', outcome: 'ok' });
  });

  test.each<[string, AgentAnswer]>([
    ['a rejection', { kind: 'answered', success: true, verdict: 'reject', output: {} }],
    ['a failure that the agent admits', { kind: 'answered', success: false, output: {} }],
    ['an agent that broke', { kind: 'failed', failure: 'crash', message: 'gone' }],
  ])('a changed protected file also voids %s', async (_what, answer) => {
    act = () => {
      put('tests/a.test.ts', 'loosened');
      return answer;
    };
    expect(await attempt(tests)).toMatchObject(voided(['tests/a.test.ts', 'changed']));
  });

  test.each<[string, Asking]>([
    ['the step', tests],
    ['the workflow', { workflow: { protected: ['tests/**'] } }],
    ['the project', { services: { protected: ['tests/**'] } }],
  ])('a protected file is named in %s', async (_who, asking) => {
    act = () => {
      put('tests/a.test.ts', 'loosened');
      return undefined;
    };
    expect(await attempt()).toMatchObject({ type: 'settled' });
    put('tests/a.test.ts', 'as it was');
    expect(await attempt(asking)).toMatchObject(voided(['tests/a.test.ts', 'changed']));
  });

  test('a protected file may be changed by a step that declares it', async () => {
    act = () => {
      put('tests/a.test.ts', 'better');
      return undefined;
    };
    expect(await attempt({ model: { protected: ['tests/**'], mayChange: ['tests/a*'] } })).toMatchObject({ type: 'settled' });
  });

  test('a protected file that stays changed fails the next attempt too; one that is restored does not', async () => {
    act = () => {
      put('tests/a.test.ts', 'loosened');
      return undefined;
    };
    expect(await attempt(tests)).toMatchObject(voided(['tests/a.test.ts', 'changed']));
    act = () => undefined;
    const again = { ...tests, fields: { activation: { attempt: 2 } } };
    expect(await attempt(again)).toMatchObject(voided(['tests/a.test.ts', 'changed']));
    act = () => {
      put('tests/a.test.ts', 'expect(1).toBe(1)');
      return undefined;
    };
    expect(await attempt(again)).toMatchObject({ type: 'settled', outcome: 'ok' });
  });

  test('a protected file is compared with the start of the visit, not of the first visit', async () => {
    act = () => ({ kind: 'failed', failure: 'crash', message: 'gone' });
    expect(await attempt(tests)).toMatchObject({ error: { code: 'AGENT_FAILED' } });
    put('tests/a.test.ts', 'a person changed this');
    act = () => undefined;
    expect(await attempt({ ...tests, fields: { activation: { attempt: 2 } } })).toMatchObject(voided(['tests/a.test.ts', 'changed']));
    expect(await attempt({ ...tests, fields: { activation: { path: 'work#2' } } })).toMatchObject({ type: 'settled' });
  });

  test('a protected file is recorded before the work if a step is prepared', async () => {
    await attempt({ ...tests, fields: { want: 'prepare' } });
    put('tests/a.test.ts', 'changed by an attempt that a crash took away');
    expect(await attempt(tests)).toMatchObject(voided(['tests/a.test.ts', 'changed']));
  });

  test('a protected file cannot be outside the workspace', async () => {
    let isAsked = false;
    act = () => {
      isAsked = true;
      return undefined;
    };
    expect(await attempt({ model: { protected: ['../x'] } })).toMatchObject({ error: { code: 'STEP_FAILED', retryable: false } });
    expect(isAsked).toBe(false);
  });
});

test('the protection also applies to a generator that only writes text', async () => {
  act = () => {
    put('tests/a.test.ts', 'loosened');
    return { kind: 'answered', success: true, output: 'a text' };
  };
  const fields = { kind: 'generate', config: { generator: 'dev' } } as const;
  expect(await attempt({ ...tests, fields })).toMatchObject(voided(['tests/a.test.ts', 'changed']));
});

describe('handed-out work', () => {
  const attended = { roles: { dev: { driver: 'attended' } } };

  test('work that is handed out is compared with what was there before it was handed out', async () => {
    expect(await attempt({ ...tests, services: attended })).toMatchObject({ type: 'handed' });
    put('tests/a.test.ts', 'loosened');
    const verify = { ...tests, services: attended, fields: { want: 'verify', result: { said: 'done' } } as const };
    expect(await attempt(verify)).toMatchObject({ ...voided(['tests/a.test.ts', 'changed']), claim: { said: 'done' } });
    put('tests/a.test.ts', 'expect(1).toBe(1)');
    expect(await attempt(verify)).toMatchObject({ type: 'settled', outcome: 'ok' });
  });
});

describe('handed-out commands', () => {
  test("a command that is handed out is an agent's work too", async () => {
    data = { $attended: true };
    const fields = { kind: 'command', config: { run: 'book:plan' } } as const;
    const services = { commands: { 'book:plan': ['echo', 'Write the plan.'] } };
    expect(await attempt({ ...tests, services, fields })).toMatchObject({ type: 'handed' });
    put('tests/a.test.ts', 'loosened');
    const verify = { ...fields, want: 'verify', result: null } as const;
    expect(await attempt({ ...tests, services, fields: verify })).toMatchObject(voided(['tests/a.test.ts', 'changed']));
  });
});

describe('always protected', () => {
  test.each([
    '.pawl/config.yaml',
    '.pawl/workflows/deep/a.yaml',
    '.squadron/agents/dev.md',
    '.github/workflows/ci.yml',
    '.claude/settings.json',
    '.claude/settings.local.json',
    '.vscode/tasks.json',
  ])('%s is always protected', async (path) => {
    put(path, 'before');
    act = () => {
      put(path, 'after');
      return undefined;
    };
    expect(await attempt()).toMatchObject(voided([path, 'changed']));
  });

  test('the hooks and settings of git are always protected, and a new hook counts too', async () => {
    git('init', '--quiet');
    put('.git/hooks/pre-push', 'exit 0');
    act = () => {
      put('.git/hooks/pre-commit', 'curl evil');
      put('.git/hooks/pre-push', 'curl evil');
      git('config', 'core.hooksPath', 'evil/hooks');
      return undefined;
    };
    expect(await attempt()).toMatchObject(
      voided(['.git/config', 'changed'], ['.git/hooks/pre-commit', 'added'], ['.git/hooks/pre-push', 'changed']),
    );
  });

  test('the hooks and settings of the repository that a worktree belongs to are always protected', async () => {
    git('init', '--quiet');
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--allow-empty', '-m', 'x');
    git('worktree', 'add', '--quiet', 'tree');
    const services = { cwd: join(cwd, 'tree') };
    act = () => {
      git('config', 'core.fsmonitor', 'evil');
      return undefined;
    };
    expect(await attempt({ services })).toMatchObject(voided(['.git/config', 'changed']));
  });

  test('the upstream of a branch is not protected: every push writes it', async () => {
    git('init', '--quiet');
    git('config', 'branch.topic.remote', 'origin');
    act = () => {
      git('config', 'branch.topic.merge', 'refs/heads/topic');
      git('config', 'branch.other.remote', 'origin');
      return undefined;
    };
    expect(await attempt()).toMatchObject({ type: 'settled' });
    act = () => {
      writeFileSync(join(cwd, '.git/config'), `${readFileSync(join(cwd, '.git/config'), 'utf8')}[branch "x"] [pull]\n\trebase = true\n`);
      return undefined;
    };
    expect(await attempt()).toMatchObject(voided(['.git/config', 'changed']));
  });

  test("the engine's own database is not protected, wherever it is", async () => {
    put('.pawl/pawl.db', 'before');
    act = () => {
      put('.pawl/pawl.db', 'after');
      put('.pawl/pawl.db-wal', 'new');
      return undefined;
    };
    expect(await attempt({ services: { pidDir: join(cwd, '.pawl/pawl.db.pids') } })).toMatchObject({ type: 'settled' });
    expect(existsSync(join(cwd, '.pawl/pawl.db-wal'))).toBe(true);
  });
});
