// What no kind of step may get wrong: a worker that says it is done has not done anything until the engine has seen it.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createScriptedDriver } from '../agents/scripted.ts';
import { REGISTRY } from '../kinds/registry.ts';
import { type AttemptFields, createAttemptRequest } from '../proof/attempt-request.ts';
import { createAttemptRunner } from './runner.ts';

const cwd = mkdtempSync(join(tmpdir(), 'pawl-contract-'));
afterAll(() => rmSync(cwd, { recursive: true }));
const file = join(cwd, 'plan.md');
beforeEach(() => rmSync(file, { force: true }));

const run = createAttemptRunner(
  {
    cwd,
    now: () => 0,
    stages: { honest: 'echo x > plan.md', idle: 'true' },
    roles: { honest: { driver: 'honest' }, idle: { driver: 'idle' } },
    drivers: {
      honest: createScriptedDriver(() => [
        { do: 'write', path: 'plan.md', text: 'x' },
        { do: 'answer', output: 'done' },
      ]),
      idle: createScriptedDriver(() => [{ do: 'answer', output: 'done, all tests pass' }]),
    },
  },
  REGISTRY,
);
const write = (): void => writeFileSync(file, 'x');
const answer = { outcome: 'ok', output: { saved: true } };
const REPORT = 'echo \'{"success": true, "result": {"saved": true}, "postconditionsPassed": true}\'';

interface Worker {
  readonly kind: AttemptFields['kind'];
  readonly honest: Partial<AttemptFields>;
  readonly idle: Partial<AttemptFields>;
}

const WORKERS: Readonly<Record<string, Worker>> = {
  task: {
    kind: 'task',
    honest: {
      code: {
        run: () => {
          write();
          return answer;
        },
      },
    },
    idle: { code: { run: async () => answer } },
  },
  command: { kind: 'command', honest: { config: { run: `echo x > plan.md; ${REPORT}` } }, idle: { config: { run: REPORT } } },
  gate: {
    kind: 'gate',
    honest: { config: { checks: [{ check: 'command', run: 'echo x > plan.md' }] } },
    idle: { config: { checks: [{ check: 'command', run: 'true' }] } },
  },
  validate: { kind: 'validate', honest: { config: { stages: 'honest', retry: 0 } }, idle: { config: { stages: 'idle', retry: 0 } } },
  'agent by role': { kind: 'agent', honest: { config: { role: 'honest' } }, idle: { config: { role: 'idle' } } },
  'agent as an object': {
    kind: 'agent',
    honest: { code: { agent: { execute: async () => write() } } },
    idle: { code: { agent: { execute: () => ({ success: true, output: 'done' }) } } },
  },
  generate: { kind: 'generate', honest: { config: { generator: 'honest' } }, idle: { config: { generator: 'idle' } } },
};

const contract = {
  model: { postconditions: [{ name: 'plan_created', error: 'Plan not saved' }] },
  code: { postconditions: [() => existsSync(file)] },
};
function withContract({ kind }: Worker, fields: Partial<AttemptFields>): AttemptFields {
  return { kind, ...fields, model: contract.model, code: { ...fields.code, ...contract.code } };
}

describe.each(Object.entries(WORKERS))('%s', (_kind, worker) => {
  test('a step that reports success without the effect fails', async () => {
    const result = await run(createAttemptRequest(withContract(worker, worker.idle)));
    expect(result).toMatchObject({
      type: 'errored',
      error: { code: 'POSTCONDITION_FAILED', reason: 'contract', message: 'Plan not saved (postcondition "plan_created" of step "work")' },
      evidence: { postconditions: [{ name: 'plan_created', passed: false, error: 'Plan not saved' }] },
      claim: expect.anything(),
    });
  });

  test('a step with the effect is ok, and the evidence says so', async () => {
    const result = await run(createAttemptRequest(withContract(worker, worker.honest)));
    expect(result).toMatchObject({
      type: 'settled',
      outcome: 'ok',
      evidence: { postconditions: [{ name: 'plan_created', passed: true }] },
    });
  });
});

describe('declared files', () => {
  const outputs = [{ name: 'plan', type: 'file', pattern: 'plan.md', required: true }] as const;
  const declared = ({ kind }: Worker, fields: Partial<AttemptFields>) => run(createAttemptRequest({ kind, ...fields, model: { outputs } }));

  test.each(Object.entries(WORKERS).filter(([name]) => name !== 'gate' && name !== 'validate'))(
    'a declared file of %s must be new',
    async (_name, worker) => {
      write();
      expect(await declared(worker, worker.idle)).toMatchObject({ type: 'errored', error: { reason: 'contract' } });
      rmSync(file);
      // A text has no place for the output; it is in the evidence of every worker.
      const outputs = [expect.objectContaining({ name: 'plan' })];
      expect(await declared(worker, worker.honest)).toMatchObject({ type: 'settled', outcome: 'ok', evidence: { outputs } });
    },
  );
});

test('a row that the application should hold is looked for in its database', async () => {
  const db = new DatabaseSync(':memory:');
  db.exec('CREATE TABLE versions (id INTEGER PRIMARY KEY)');
  const exists = (id: number): boolean => db.prepare('SELECT 1 FROM versions WHERE id = ?').get(id) !== undefined;
  const request = createAttemptRequest({
    kind: 'task',
    context: () => ({ exists }),
    model: { postconditions: [{ name: 'version_persisted', error: 'Version not saved to DB' }] },
    code: {
      run: () => ({ outcome: 'ok', output: { versionId: 7 } }),
      postconditions: [(ctx: { exists: typeof exists; result: { versionId: number } }) => ctx.exists(ctx.result.versionId)],
    },
  });
  expect(await run(request)).toMatchObject({ type: 'errored', error: { code: 'POSTCONDITION_FAILED' }, claim: { versionId: 7 } });
  db.exec('INSERT INTO versions VALUES (7)');
  expect(await run(request)).toMatchObject({ type: 'settled', outcome: 'ok', output: { versionId: 7 } });
});

test('the end of a wait for a person, a signal or a child is verified by the postconditions', async () => {
  const request = createAttemptRequest({ kind: 'human', want: 'verify', result: { option: 'approve' }, ...contract });
  expect(await run(request)).toMatchObject({ type: 'errored', error: { code: 'POSTCONDITION_FAILED' }, claim: { option: 'approve' } });
  write();
  expect(await run(request)).toMatchObject({ type: 'settled', outcome: 'ok', output: { option: 'approve' } });
});
