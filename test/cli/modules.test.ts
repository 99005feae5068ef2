// What a command loads is what its user waits for: a command that is called all day loads one or two files, which stay
// small, and no module of Node that takes long.

import { readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

/** A module to be loaded first, which writes down every file that is loaded after it. */
const RECORDER = `import { registerHooks } from 'node:module';
import { appendFileSync, rmSync } from 'node:fs';
registerHooks({
  load: (url, context, next) => {
    appendFileSync(process.env.LOADED_FILES, url + '\\n');
    return next(url, context);
  },
});
`;

/** The names of the files of the bundle that a command loads, and the modules of Node. */
async function loadedBy(words: readonly string[]): Promise<{ readonly files: readonly string[]; readonly builtins: readonly string[] }> {
  const recorder = rig.write('recorder.mjs', RECORDER);
  const list = join(rig.folder, 'loaded');
  rmSync(list, { force: true });
  const { code, stderr } = await rig.start(words, {
    // Node tells only of files that it compiles itself.
    env: { NODE_OPTIONS: `--import=${pathToFileURL(recorder).href}`, LOADED_FILES: list, NODE_DISABLE_COMPILE_CACHE: '1' },
  }).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const urls = [...new Set(readFileSync(list, 'utf8').trimEnd().split('\n'))];
  const commands = pathToFileURL(join(inject('bundle'), 'cli')).href;
  return {
    files: urls.filter((url) => url.startsWith(commands)).map((url) => basename(fileURLToPath(url))),
    builtins: urls.filter((url) => url.startsWith('node:')),
  };
}

const FILE = `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: steps }
stages:
  - { id: plan, type: agent, agent: planner, action: Plan it. }
  - { id: build, type: agent, agent: builder, action: Build it. }
`;

const BYTES_MAX = { 'main.cjs': 280_000, 'skill.cjs': 60_000, 'modules.cjs': 150_000, 'engine.cjs': 480_000 };
const SLOW_MODULES = ['node:http', 'node:https', 'node:net', 'node:readline/promises'];
const DAILY: Readonly<Record<string, readonly (keyof typeof BYTES_MAX)[]>> = {
  runs: ['main.cjs'],
  show: ['main.cjs'],
  inbox: ['main.cjs'],
  next: ['main.cjs'],
  done: ['main.cjs', 'engine.cjs'],
};

test.each(Object.entries(DAILY))('pawl %s loads only %j, which are small', async (command, expected) => {
  const file = rig.write('steps.yaml', FILE);
  await rig.run(['trust', '--yes', file]);
  const { stdout } = await rig.run(['run', file, '--attended']);
  const [, run = '', token = ''] = /pawl done (\S+) --token=(\S+)/.exec(stdout) ?? [];
  const more = { show: [run], next: [run], done: [run, `--token=${token}`] }[command] ?? [];
  const { files, builtins } = await loadedBy([command, ...more]);
  expect(files.filter((name) => name !== 'compiled.cjs')).toEqual(expected);
  expect(builtins.filter((name) => SLOW_MODULES.includes(name))).toEqual([]);
  for (const name of expected) expect(statSync(join(inject('bundle'), 'cli', name)).size).toBeLessThan(BYTES_MAX[name]);
});

const SKILL = `import { defineSkill } from 'pawl/skills';
const steps = [{ id: 'look', title: 'Look', actions: ['Look at it.'], advisory: 'it only reads' }];
export default defineSkill({ name: 'own', description: 'Looks at it. Use it to look.', steps });
`;

test.each([['skill.mjs'], ['skill.ts']])('pawl skill step loads small files for a skill of the project in %s', async (name) => {
  const file = rig.write(`.pawl/skills/own/${name}`, SKILL);
  await rig.run(['trust', '--yes', file]);
  const { files, builtins } = await loadedBy(['skill', 'step', 'own', '--step', '1']);
  const bundles = ['main.cjs', 'skill.cjs', 'modules.cjs'] as const;
  expect(files).toEqual([...bundles, 'skills.js']);
  expect(builtins.filter((one) => SLOW_MODULES.includes(one))).toEqual([]);
  for (const bundle of bundles) expect(statSync(join(inject('bundle'), 'cli', bundle)).size).toBeLessThan(BYTES_MAX[bundle]);
});

const CATCHING = `import { StepFailed, step, workflow } from 'pawl';
export default workflow('catching', function* () {
  yield* step('plan').agent({ agent: 'planner', prompt: 'Plan it.' });
  try {
    yield* step('break').task(() => { throw new Error('broken'); });
  } catch (error) {
    return error instanceof StepFailed;
  }
});
`;

test('code of a run that pawl done drives has the classes of the engine that drives it', async () => {
  const file = rig.write('catching.ts', CATCHING);
  await rig.run(['trust', '--yes', file]);
  const { stdout } = await rig.run(['run', file, '--attended']);
  const [, run = '', token = ''] = /pawl done (\S+) --token=(\S+)/.exec(stdout) ?? [];
  expect(await rig.run(['done', run, `--token=${token}`])).toMatchObject({ code: 0 });
  expect(await rig.json(['show', run, '--output'])).toMatchObject({ output: true });
});
