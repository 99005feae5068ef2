// Text from outside that looks like a template: a parameter, a title, a result, an error. It is data when the run starts and
// whenever somebody looks at the run later.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const TEXT = '{{ secrets.TOKEN }} {{ run.id }} $HOME `id`';
const SECRET = 'canary-secret-value';

const FILE = `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: titled, title: "${TEXT}" }
params:
  text: { description: any text }
context:
  copy: "{{ params.text }}"
stages:
  - { id: say, type: command, run: 'printf "%s" "$TEXT"; printf "%s" "$TEXT" >&2; exit 3', env: { TEXT: "{{ context.copy }}" } }
`;

test('a parameter that looks like a template is stored, passed on and shown unchanged', async () => {
  rig.write('.pawl/workflows/titled.yaml', FILE);
  rig.write('.pawl/config.yaml', 'secrets:\n  TOKEN: { env: MY_TOKEN }\n');
  const env = { MY_TOKEN: SECRET };
  expect((await rig.run(['trust', '--yes'])).code).toBe(0);
  const started = await rig.json<{ run: { id: string; params: object } }>(['run', 'titled', '-p', `text=${TEXT}`], { env });
  const { id, params } = started.run;
  expect(params).toEqual({ text: TEXT });
  const views = [
    ['show', id],
    ['show', id, '--steps'],
    ['show', id, '--json'],
    ['logs', id],
    ['logs', id, 'say'],
    ['runs'],
    ['inbox'],
    ['graph', '--run', id],
    ['list'],
  ];
  const printed = await Promise.all(views.map(async (words) => (await rig.run(words, { env })).stdout));
  expect(printed.join('\n')).not.toContain(SECRET);
  for (const index of [1, 4]) expect(printed[index]?.replace(/\s+/g, ' ')).toContain(TEXT);
  expect(JSON.parse(printed[2] ?? '')).toMatchObject({ run: { params: { text: TEXT } } });
  expect(printed[8]).toContain(TEXT);
});
