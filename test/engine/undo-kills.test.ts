// kill -9 in the middle of an undo: called again, it is finished, and what others wrote meanwhile stays.

import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { defineWorkflow } from '../../src/index.ts';
import { createRepository } from '../git.ts';
import { createRig, type Rig } from './rig.ts';

const MESS = 'echo two >> a; echo two >> b; rm c; mkdir sub; echo x > sub/new; chmod +x d; ln -s a link; rm e; mkdir e; echo y > e/f';
const mess = defineWorkflow({
  name: 'mess',
  steps: { first: { command: 'echo one >> a', next: 'second' }, second: { command: MESS, next: null } },
});

let rig: Rig;
let project: string;
beforeEach(() => {
  rig = createRig();
  project = rig.path('project');
  createRepository(project, { a: 'a\n', b: 'b\n', c: 'c\n', d: 'd\n', e: 'e\n' });
});
afterEach(() => rig.close());

/** Everything in the workspace, with what was left of an undo. */
function files(folder = project, prefix = ''): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== '.git')
    .flatMap((entry) => {
      const file = join(folder, entry.name);
      const name = `${prefix}${entry.name}`;
      if (entry.isDirectory()) return [`${name}/`, ...files(file, `${name}/`)];
      if (entry.isSymbolicLink()) return [`${name} -> ${readlinkSync(file)}`];
      return [`${name} ${(lstatSync(file).mode & 0o100) === 0 ? '' : 'x '}${readFileSync(file, 'utf8')}`];
    })
    .sort();
}

/** Undoes a run in a process that ends itself before one of its changes of files; returns how many it made, if it lived. */
function undoElsewhere(run: string, dieAt: number): number | undefined {
  // The library takes the functions when it is loaded, so they are replaced before.
  const script = `
    import promises from 'node:fs/promises';
    import { syncBuiltinESMExports } from 'node:module';
    let changes = 0;
    for (const name of ['rename', 'link', 'symlink', 'copyFile', 'unlink', 'rmdir', 'mkdir', 'chmod', 'rm']) {
      const real = promises[name];
      promises[name] = (...given) => {
        if (given.some((one) => String(one).includes('/project/'))) changes += 1;
        if (changes === ${dieAt}) process.kill(process.pid, 'SIGKILL');
        return real(...given);
      };
    }
    syncBuiltinESMExports();
    const { createEngine } = await import(${JSON.stringify(pathToFileURL(join(inject('bundle'), 'index.mjs')).href)});
    const engine = await createEngine({ db: ${JSON.stringify(rig.db)}, drives: 'own', cwd: ${JSON.stringify(project)} });
    await engine.run(${JSON.stringify(run)}).undo({ to: 'second', actor: 'ann' });
    await engine.close();
    console.log(changes);`;
  const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
  return signal === 'SIGKILL' ? undefined : Number(stdout);
}

test('an undo that is killed at any change of a file is finished by the next one, and what others wrote stays', async () => {
  const engine = await rig.open({ cwd: project, workflows: [mess] });
  const runMess = async (): Promise<{ id: string; before: string[] }> => {
    for (const name of ['a', 'b']) writeFileSync(join(project, name), `${name}\n`);
    const { id } = await engine.start(mess);
    expect(await engine.run(id).wait()).toMatchObject({ status: 'completed' });
    return { id, before: ['a a\none\n', 'b b\n', 'c c\n', 'd d\n', 'e e\n'] };
  };
  const whole = await runMess();
  const changes = undoElsewhere(whole.id, -1) ?? 0;
  expect([changes > 10, files()]).toEqual([true, whole.before]);
  // Every third change and the last one: taking files in hand, putting new ones in place, letting the old ones go.
  const moments = Array.from({ length: Math.ceil(changes / 3) }, (_, index) => changes - index * 3);
  for (const dieAt of moments) {
    const { id, before } = await runMess();
    expect([dieAt, undoElsewhere(id, dieAt)]).toEqual([dieAt, undefined]);
    for (const name of ['b', 'theirs']) writeFileSync(join(project, name), 'theirs\n');
    const done = await engine.run(id).undo({ to: 'second', actor: 'ann', keepChanged: true });
    expect([dieAt, done.changed.map(({ path }) => path)]).toEqual([dieAt, ['b']]);
    expect([dieAt, files()]).toEqual([dieAt, before.toSpliced(1, 1, 'b theirs\n').concat('theirs theirs\n')]);
    rmSync(join(project, 'theirs'));
  }
  expect(existsSync(join(project, 'sub'))).toBe(false);
});
