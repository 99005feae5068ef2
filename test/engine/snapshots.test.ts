// Steps that write have snapshots around them, and those with `onFail: 'restore'` leave nothing of a failed attempt.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkYaml } from '../../src/authoring/yaml/check/check.ts';
import type { CompiledWorkflow } from '../../src/definition/code.ts';
import { defineWorkflow, type Engine, step, workflow } from '../../src/index.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { SnapshotLog, snapshotsOf } from '../../src/steps/workspace/snapshot-log.ts';
import { createRepository, git } from '../git.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
let project: string;
beforeEach(() => {
  rig = createRig();
  project = rig.path('project');
  createRepository(project, { text: 'one\n', '.gitignore': 'ignored\n' });
});
afterEach(() => rig.close());

const read = (name: string): string => readFileSync(join(project, name), 'utf8');

function yaml(stages: string, more = ''): CompiledWorkflow {
  const { compiled, errors } = checkYaml(
    'w.yaml',
    `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: w }\n${more}stages:\n${stages}`,
    REGISTRY,
  );
  if (compiled === undefined) throw new Error(JSON.stringify(errors));
  return compiled;
}

async function run(definition: CompiledWorkflow, engine?: Engine) {
  const used = engine ?? (await rig.open({ cwd: project }));
  return (await used.start(definition)).wait();
}

const linesOf = (id: string) => new SnapshotLog(snapshotsOf(rig.db)).read(id).filter(({ is }) => is !== 'place');

test('a step that may write has a snapshot before and after it, and the others have none', async () => {
  const view = await run(
    yaml(`  - { id: look, type: command, run: "cat text", mutates_checkout: false }
  - { id: write, type: command, run: "echo two >> text; echo new > new" }
  - { id: check, type: gate, conditions: [{ check: command, run: "test -e new" }] }
`),
  );
  expect(view.status).toBe('completed');
  const lines = linesOf(view.id);
  expect(lines.map((line) => [line.is, 'path' in line && line.path])).toEqual([
    ['before', 'write#1'],
    ['after', 'write#1'],
  ]);
  const [before, after] = lines.map((line) => ('snapshot' in line ? line.snapshot.tree : ''));
  expect([git(project, 'cat-file', '-p', `${before}:text`), git(project, 'cat-file', '-p', `${after}:text`)]).toEqual(['one', 'one\ntwo']);
  expect(git(project, 'for-each-ref', '--format=%(refname)', 'refs/pawl')).toBe(`refs/pawl/snapshots/${view.id}`);
});

describe('on_fail: restore', () => {
  const MESS = 'echo $PAWL_ATTEMPT >> text; rm -f .gitignore; mkdir -p sub; echo x > sub/new; ln -s text link';

  test('on_fail: restore puts the files back before each retry and before what follows', async () => {
    const view = await run(
      yaml(`  - { id: write, type: command, on_fail: restore, run: "cat text >> ../seen; ${MESS}; false", on_error: { retry: 1, then: after } }
  - { id: after, type: command, run: "cat text >> ../seen; ls -A" }
`),
    );
    expect(view.status).toBe('completed');
    expect(readFileSync(rig.path('seen'), 'utf8')).toBe('one\none\none\n');
    expect([read('text'), read('.gitignore'), existsSync(join(project, 'sub')), existsSync(join(project, 'link'))]).toEqual([
      'one\n',
      'ignored\n',
      false,
      false,
    ]);
    expect(view.steps.filter(({ step: id }) => id === 'write')[0]).toMatchObject({ path: 'write#1' });
    expect(linesOf(view.id).filter(({ is }) => is === 'restored')).toMatchObject([
      { attempt: 1, files: 4, kept: [] },
      { attempt: 2, files: 4, kept: [] },
    ]);
  });

  test('on_fail: restore is the same in a graph and in a flow, for functions too, and when a contract is broken', async () => {
    const write = () => writeFileSync(join(project, 'text'), 'broken');
    const broken = { name: 'is never so', check: () => false, error: 'no' };
    const graph = defineWorkflow({
      name: 'graph',
      steps: { write: { handler: write, onFail: 'restore', postconditions: [broken], next: null } },
    });
    const engine = await rig.open({ cwd: project });
    await (await engine.start(graph)).wait();
    expect(read('text')).toBe('one\n');
    const flow = workflow('flow', function* () {
      const action = (): void => {
        write();
        throw new Error('no');
      };
      yield* step('write').task({ action, onFail: 'restore' });
    });
    await (await engine.start(flow)).wait();
    expect(read('text')).toBe('one\n');
  });

  test('on_fail: restore puts back what a step left that ran out of time', async () => {
    const view = await run(
      yaml(`  - { id: slow, type: command, timeout: 1s, on_fail: restore, run: "${MESS}; sleep 30", on_timeout: after }
  - { id: after, type: command, run: "cat text > ../seen" }
`),
    );
    expect([view.status, readFileSync(rig.path('seen'), 'utf8')]).toEqual(['completed', 'one\n']);
  });

  test('on_fail: restore works with a database in memory, and on named files without git', async () => {
    const plain = rig.path('plain');
    mkdirSync(plain);
    writeFileSync(join(plain, 'data.csv'), 'good');
    const engine = await rig.open({ cwd: plain, db: ':memory:' });
    await run(
      yaml(
        `  - { id: write, type: command, restore_on_fail: true, run: "echo bad > data.csv; false" }\n`,
        'snapshot: { include: ["*.csv"] }\n',
      ),
      engine,
    );
    expect(readFileSync(join(plain, 'data.csv'), 'utf8')).toBe('good');
    expect(existsSync(snapshotsOf(rig.db))).toBe(false);
  });

  test('members of a group put back only what they declare to write', async () => {
    const view = await run(
      yaml(`  - id: both
    type: parallel
    branches:
      - { id: a, type: command, restore_on_fail: true, run: "echo bad > a.txt; echo bad > other; false", writes: ["a.*"] }
      - { id: b, type: command, run: "echo good > b.txt", writes: ["b.*"] }
`),
    );
    expect([existsSync(join(project, 'a.txt')), existsSync(join(project, 'other')), read('b.txt')]).toEqual([false, true, 'good\n']);
    const restored = linesOf(view.id).find((line) => line.is === 'restored');
    expect(restored).toMatchObject({ path: 'both#1/a', files: 1 });
  });

  test('on_fail: restore puts back what a killed engine left of an attempt, before it runs again', async () => {
    const code = `
      const file = ${JSON.stringify(join(project, 'text'))};
      const work = workflow('work', function* () {
        return yield* step('write').task({
          action: async () => {
            const found = readFileSync(file, 'utf8');
            writeFileSync(file, 'broken');
            if (existsSync(db + '.again')) return found;
            writeFileSync(db + '.again', '');
            say('at work');
            await new Promise(() => setInterval(() => {}, 1000));
          },
          onFail: 'restore',
          recovery: 'rerun',
        });
      });
      const engine = await createEngine({ db, workflows: [work], cwd: ${JSON.stringify(project)}, drives: 'own' });`;
    const first = rig.other(`${code} await engine.start(work, {}, { id: 'run' }); await new Promise(() => {});`);
    expect(await first.said()).toBe('at work');
    await first.kill();
    expect(read('text')).toBe('broken');
    const second = rig.other(
      `${code} await engine.run('run').resume(); say(JSON.stringify((await engine.run('run').wait()).output)); await engine.close();`,
    );
    expect(await second.said()).toBe('"one\\n"');
    expect(linesOf('run').map((line) => [line.is, 'ended' in line ? line.ended : ''])).toEqual([
      ['before', ''],
      ['after', 'interrupted'],
      ['restored', ''],
      ['before', ''],
      ['after', 'ok'],
    ]);
  });

  test('on_fail: restore puts back what an attended agent left that gave up, before the next one begins', async () => {
    const engine = await rig.open({ cwd: project, roles: { dev: { driver: 'attended' } } });
    const definition = yaml(
      `  - { id: work, type: agent, agent: dev, prompt: Do it., restore_on_fail: true, on_error: { retry: 1, then: escalate } }\n`,
    );
    const run = await engine.start(definition);
    await run.wait('idle');
    const [first] = await run.openSteps();
    writeFileSync(join(project, 'text'), 'half done');
    await run.report({ token: first?.token ?? '', failure: 'it is too hard' });
    await run.wait('idle');
    expect([(await run.openSteps()).length, read('text')]).toEqual([1, 'one\n']);
  });
});

test('changes that a program makes after the attempt has ended stay when its files are put back', async () => {
  const engine = await rig.open({ cwd: project });
  const run = await engine.start(yaml(`  - { id: write, type: command, run: "echo two > text; echo made > made" }\n`));
  await run.wait();
  writeFileSync(join(project, 'text'), 'by hand\n');
  expect((await run.planUndo('write')).changed).toMatchObject([{ path: 'text' }]);
  await expect(run.undo({ to: 'write', actor: 'ann' })).rejects.toMatchObject({ code: 'UNDO_REFUSED' });
  await run.undo({ to: 'write', actor: 'ann', keepChanged: true });
  expect([read('text'), existsSync(join(project, 'made'))]).toEqual(['by hand\n', false]);
  expect((await run.files()).steps).toMatchObject([{ path: 'write#1', ended: 'ok', files: [{ path: 'made' }, { path: 'text' }] }]);
});
