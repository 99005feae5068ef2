// `pawl debug`: one file with what a maintainer needs, and no secret in it, however it is encoded.

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { secretForms } from '../../src/process/secret-forms.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const CANARY = 'c4nary "value"/ä+42~';
const FROM_VARIABLE = 'variable-canary-7731';
const TOKEN = `ghp_${'a1B2'.repeat(9)}`;

test('the file of "pawl debug" has the run, and no secret in any encoding', async () => {
  const forms = secretForms(CANARY);
  // Not known as secrets while the run goes on, so that the store has them as they are.
  const leaks = [...forms, ...secretForms(FROM_VARIABLE), TOKEN, 'https://ann:pa55-canary@example.org/x'];
  rig.write('leaks.json', JSON.stringify(leaks));
  const script =
    "const l = JSON.parse(require('fs').readFileSync('leaks.json', 'utf8')); for (const x of l) console.log(x); console.error(l[0]); console.log(JSON.stringify({ success: true, result: { [l[0]]: l } }))";
  rig.write('leak.js', script);
  rig.write('package.json', '{"type":"commonjs"}');
  rig.write(
    '.pawl/workflows/work.yaml',
    `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: work, description: ${JSON.stringify(CANARY)} }\nstages:\n  - { id: leak, type: command, argv: [node, leak.js] }\n`,
  );
  await rig.run(['trust', '--yes']);
  const started = await rig.json<{ run: { id: string } }>(['run', 'work']);
  expect(started.code).toBe(0);

  rig.write('canary.txt', CANARY);
  rig.write('.pawl/config.yaml', `secrets:\n  CANARY: { file: ${join(rig.project, 'canary.txt')} }\n`);
  await rig.run(['trust', '--yes']);
  const file = join(rig.project, 'bundle.json');
  const done = await rig.json(['debug', started.run.id, '--out', 'bundle.json'], { env: { OTHER_API_KEY: FROM_VARIABLE } });
  expect(done).toMatchObject({ code: 0, file });
  expect(statSync(file).mode & 0o077).toBe(0);
  const text = readFileSync(file, 'utf8');
  const bundle = JSON.parse(text) as { definition: { name: string }; events: unknown[]; report: { steps: unknown[] } };
  expect([bundle.definition.name, bundle.events.length > 1, bundle.report.steps.length]).toEqual(['work', true, 1]);
  // The escapes of JSON are no hiding place: both the text and its values are searched.
  const all = `${text}\n${valuesIn(bundle).join('\n')}`.toLowerCase();
  expect([...leaks.slice(0, -1), 'pa55-canary'].filter((leak) => all.includes(leak.toLowerCase()))).toEqual([]);
  expect((await rig.run(['debug', started.run.id, '--out', 'bundle.json'])).stderr).toContain('already exists');
});

function valuesIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...valuesIn(item)]);
}
