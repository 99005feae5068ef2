// A skill as a run on the command line: what an agent reads in the three formats, and what it is sent off for.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { CliRig } from './rig.ts';

const SKILL = `import { arg, defineSkill, formatForbidden } from 'pawl/skills';
export default defineSkill({
  name: 'notes',
  description: 'Writes notes. Use it now.',
  params: { topic: arg({ type: 'string', required: true }) },
  steps: [
    {
      id: 'write',
      title: 'Write',
      actions: ({ params }) => ['Write about ' + params.topic + '.', formatForbidden(['No <b>markup</b>.']), '<note>' + params.topic + '</note>'],
      contract: { documents: [{ path: 'notes.md', sections: ['Scope'] }] },
    },
    { id: 'review', title: 'Review', fresh: true, actions: ['Review the notes.'], advisory: 'a test' },
  ],
});
`;
const WORKFLOW = `import { defineWorkflow } from 'pawl';
import { skillWorkflow } from 'pawl/skills';
import skill from '../skills/notes/skill.ts';
export default defineWorkflow({ ...skillWorkflow(skill), name: 'notes' });
`;

let rig: CliRig;
let run: string;
beforeAll(async () => {
  rig = new CliRig();
  rig.write('.pawl/skills/notes/skill.ts', SKILL);
  rig.write('.pawl/workflows/notes.ts', WORKFLOW);
  await rig.run(['trust', '--yes']);
  const { stdout } = await rig.run(['run', 'notes', '--attended', '-p', 'topic=<b>bees</b>', '--json']);
  run = (JSON.parse(stdout) as { run: { id: string } }).run.id;
});
afterAll(() => rig.close());

const DONE = '<done_when>\n- notes.md: sections "Scope"; 20+ words\n</done_when>';

test("blocks of a skill's author are printed unchanged, and text from outside is escaped in XML", async () => {
  const { stdout } = await rig.run(['next', run, '--format', 'xml']);
  expect(stdout).toContain('<forbidden>\n- No &lt;b&gt;markup&lt;/b&gt;.\n</forbidden>');
  expect(stdout).toContain(DONE);
  expect(stdout).toContain('Write about &lt;b&gt;bees&lt;/b&gt;.');
  // An action with markup from outside is no block.
  expect(stdout).toContain('&lt;note&gt;&lt;b&gt;bees&lt;/b&gt;&lt;/note&gt;');
});

test('text and JSON of a skill step have the same instructions', async () => {
  const [text, json] = [await rig.run(['next', run]), await rig.run(['next', run, '--json'])];
  const [openStep] = (JSON.parse(json.stdout) as { openSteps: { prompt: string }[] }).openSteps;
  for (const told of [text.stdout, openStep?.prompt ?? ''])
    expect(told).toContain(`Write about <b>bees</b>.\n<forbidden>\n- No &lt;b&gt;markup`);
  expect(text.stdout).toContain(DONE);
});

test('a false report of a skill step is rejected with what is missing, and a review is dispatched', async () => {
  const token = async (): Promise<string> => {
    const { openSteps } = JSON.parse((await rig.run(['next', run, '--json'])).stdout) as { openSteps: { token: string }[] };
    return openSteps[0]?.token ?? '';
  };
  const refused = await rig.run(['done', run, `--token=${await token()}`]);
  expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('notes.md: it is missing; write it')]);
  rig.write(
    'notes.md',
    '## Scope\nBees live in hives and gather nectar from many flowers, which they turn into honey for the winter when nothing blooms.',
  );
  const sent = await rig.run(['done', run, `--token=${await token()}`, '--format', 'xml']);
  expect(sent.stdout).not.toContain('Review the notes.');
  expect(sent.stdout).toContain(`<subagent_dispatch agent="agent" step="review" run="${run}">`);
  expect(sent.stdout).toContain(`run \`pawl next ${run} --token=${await token()} --format xml\``);
  const { openSteps } = JSON.parse((await rig.run(['next', run, '--json'])).stdout) as { openSteps: Record<string, unknown>[] };
  expect(openSteps[0]).toMatchObject({ step: 'review', dispatch: { agent: 'agent' } });
  expect((await rig.run(['next', run])).stdout).toContain('Do not do it yourself.');
  const own = await rig.run(['next', run, `--token=${await token()}`]);
  expect(own.stdout).toContain('Review the notes.');
});
