// Review policies at the command line: each rule is listed, trusted and run like a workflow of its own.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const POLICY = `review_policy:
  default_requirements: [{ role: pr-review }]
  rules:
    - name: pipeline
      match: { base_branch: dev }
      requirements: [{ role: tests }, { role: security }]
      sequence: [tests, security]
roles:
  pr-review: { driver: command, argv: ['false'] }
  tests: { driver: command, argv: ['false'] }
  security: { driver: command, argv: ['false'] }
`;

describe('the rules of a review policy', () => {
  test('the rules of a review policy are listed with the settings file as their source', async () => {
    const file = rig.write('.pawl/config.yaml', POLICY);
    expect(await rig.json(['list'])).toMatchObject({
      workflows: [
        { name: 'default-review', file, steps: ['reviews'] },
        { name: 'pipeline', file, line: 1, steps: ['tests', 'security'] },
      ],
      problems: [],
    });
  });

  test('a rule of a review policy runs only if the settings are trusted, for a pull request', async () => {
    const file = rig.write('.pawl/config.yaml', POLICY);
    expect(await rig.run(['run', 'pipeline', '--pr', '3'])).toMatchObject({ code: 4, stderr: expect.stringContaining('NOT_TRUSTED') });
    expect((await rig.run(['trust', file, '--yes'])).code).toBe(0);
    const { run, steps } = await rig.json<{ run: Record<string, unknown>; steps: { path: string }[] }>(['run', 'pipeline', '--pr', '3']);
    expect(run).toMatchObject({ workflow: 'pipeline' });
    expect(steps[0]?.path).toBe('tests#1');
  });

  test('the default of a review policy is for branches without a rule', async () => {
    rig.write('.pawl/config.yaml', POLICY);
    await rig.run(['trust', '--folder', '--yes']);
    const payload = JSON.stringify({ pull_request: { number: 3, base: { ref: 'dev' } } });
    const words = ['run', 'default-review', '--event', 'pull_request.opened', '--payload', payload];
    expect((await rig.run(words)).stderr).toContain('it is not for pull requests to "dev"');
  });

  test('a review run continues with the rule it was started with, in this process or a detached one', async () => {
    rig.write('.pawl/config.yaml', POLICY);
    await rig.run(['trust', '--folder', '--yes']);
    const { run } = await rig.json<{ run: { id: string } }>(['run', 'pipeline', '--pr', '3']);
    expect((await rig.run(['resume', run.id, '--retry'])).stderr).not.toMatch(/DEFINITION_INVALID|WORKFLOW_UNKNOWN/);
    const detached = await rig.run([
      'run',
      'default-review',
      '--event',
      'pull_request.opened',
      '--payload',
      '{"pull_request":{"number":1,"base":{"ref":"main"}}}',
      '--detach',
    ]);
    expect(detached).toMatchObject({ code: 0 });
  });

  test('a rule with the name of a workflow is an error that names both', async () => {
    rig.write('.pawl/config.yaml', POLICY);
    rig.write(
      '.pawl/workflows/pipeline.yaml',
      'apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: pipeline }\nstages: [{ id: a, type: command, run: "true" }]\n',
    );
    expect((await rig.run(['list'])).stderr).toContain('WORKFLOW_DUPLICATE');
    expect((await rig.run(['run', 'pipeline'])).stderr).toMatch(/2 workflows are called "pipeline": .*pipeline\.yaml, .*config\.yaml/);
  });

  test('errors in a review policy do not hide the workflows of files', async () => {
    rig.write('.pawl/config.yaml', POLICY.replace('role: tests', 'role: 7'));
    rig.write(
      '.pawl/workflows/a.yaml',
      'apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: a }\nstages: [{ id: a, type: command, run: "true" }]\n',
    );
    const { stdout, stderr } = await rig.run(['list']);
    expect(stdout).toMatch(/^a +graph/m);
    expect(stderr).toMatch(/config\.yaml:6:30: .*\[CONFIG_INVALID\]/);
  });
});
