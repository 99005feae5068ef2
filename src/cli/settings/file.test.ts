// Settings are checked when they are read, and each error has the position of the wrong value.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { tempFolder } from '../../../test/temp-folder.ts';
import { isEngineError } from '../../base/error.ts';
import { readSettingsFile } from './file.ts';

let folder: string;
beforeEach(() => {
  folder = tempFolder();
});

async function read(text: string): Promise<Record<string, unknown>> {
  const file = join(folder, 'config.yaml');
  writeFileSync(file, text);
  return Object.fromEntries((await readSettingsFile(file)).map(({ key, value }) => [key, value]));
}

/** The error of a file, with its line and column. */
async function fault(text: string): Promise<string> {
  try {
    return JSON.stringify(await read(text));
  } catch (error) {
    return isEngineError(error) ? `${error.code} ${error.position?.line}:${error.position?.column} ${error.message}` : String(error);
  }
}

const SEED = `project:
  default_branch: main
groups:
  maintainers: [ann, bob]
agent_roles:
  feat-dev:
    triggers:
      - event: "issues.labeled"
        label: feature
review_policy:
  enabled: true
  default_requirements:
    - role: pr-review
      count: 1
  rules:
    - name: squadron-dev-pipeline
      match:
        base_branch: squadron-dev
      requirements:
        - role: test-coverage
        - role: security-review
        - role: pr-review
      sequence: [test-coverage, security-review, pr-review]
`;

test('forks are owners or repositories at GitHub', async () => {
  expect(await read('forge: { kind: github, repository: octo/project, forks: [carol, acme/project] }')).toMatchObject({
    'forge.forks': ['carol', 'acme/project'],
  });
  for (const forks of ['carol', '[]', '["*"]', '[a/b/c]', '[-x]'])
    expect(await fault(`forge: { kind: github, repository: octo/project, forks: ${forks} }`)).toContain('a list of owners or repositories');
});

test('the settings of the seed are accepted', async () => {
  expect(await read(SEED)).toMatchObject({
    'project.default_branch': 'main',
    'groups.maintainers': ['ann', 'bob'],
    agent_roles: { 'feat-dev': { triggers: [{ event: 'issues.labeled', label: 'feature' }] } },
    review_policy: { enabled: true, rules: [{ name: 'squadron-dev-pipeline' }] },
  });
});

test('all settings of the seed are in use', async () => {
  await read(SEED);
  const settings = await readSettingsFile(join(folder, 'config.yaml'));
  expect(settings.filter(({ isUsed }) => !isUsed)).toEqual([]);
});

test('"agent_roles" is another name of "roles", and a file must use one of them', async () => {
  expect(await read('roles: { dev: { triggers: [{ event: push }] } }')).toHaveProperty('roles');
  expect(await fault('roles: {}\nlimits: { global: 1 }\nagent_roles: {}\n')).toMatch(
    /^CONFIG_INVALID 3:1 "roles" and "agent_roles" are the same setting/,
  );
});

describe('an error has the position of the wrong value', () => {
  test.each([
    ['a branch that is not a text', 'project:\n  default_branch: 7\n', '2:19 "project.default_branch" must be a string'],
    [
      'a row limit of zero',
      'databases:\n  a: { path: a.db, row_limit: 0 }\n',
      '2:31 "databases.a.row_limit" must be a whole number of at least 1',
    ],
    ['a secret without a source', 'secrets:\n  a: { hosts: [b] }\n', '2:6 "secrets.a" must be where its value comes from'],
    ['a stage with two programs', 'validation:\n  stages:\n    a: { run: x, argv: [y] }\n', '"validation.stages.a" must be a command line'],
    ['an unknown setting', 'project:\n  branch: x\n', '2:3 unknown setting "branch" under "project"'],
    ['a group that is not a list', 'groups:\n  a: ann\n', '2:6 "groups.a" must be a list of people'],
    ['a role that is a word', 'roles:\n  dev: x\n', '2:8 "roles.dev" must be a mapping'],
    ['a hook without a secret', 'hooks:\n  a: { start: x }\n', '2:6 "hooks.a.secret" must be the name of a secret under "secrets"'],
    [
      'a hook that does two things',
      'hooks:\n  a: { secret: S, start: x, signal: { run: r, name: n } }\n',
      '2:6 "hooks.a" must have either start or signal',
    ],
    [
      'a hook that reads secrets',
      'hooks:\n  a: { secret: S, start: x, params: { p: "{{ secrets.S }}" } }\n',
      'reads "secrets"; only body, headers, delivery exist',
    ],
    ['a hook with a misspelt field', 'hooks:\n  a: { secret: S, start: x, debonce: 5s }\n', 'is unknown (did you mean "debounce"?)'],
    [
      'a hook with a rate without a time',
      'hooks:\n  a: { secret: S, start: x, rate: { max: 3 } }\n',
      '"hooks.a.rate.per" must be a duration such as 30s or 5m',
    ],
    [
      'a target of notifications without an address',
      'notifications:\n  a: { events: [failed] }\n',
      '"notifications.a" must have either webhook or command',
    ],
    [
      'an event without notifications',
      'notifications:\n  a: { command: [x], events: [started] }\n',
      '"notifications.a.events" must be a list of waiting, failed',
    ],
    ['metrics with an unknown value', 'metrics: friends\n', '"metrics" must be "public" or absent'],
    ['a trigger without an event', 'roles:\n  dev:\n    triggers:\n      - label: x\n', '4:9 "roles.dev.triggers.0.event" is missing'],
    ['a switch that is not a boolean', 'review_policy:\n  enabled: maybe\n', '2:12 "review_policy.enabled" must be true or false'],
    ['an unknown field', 'review_policy:\n  rules: [{ name: a, requirments: [] }]\n', '(did you mean "requirements"?)'],
    [
      'a count of zero',
      'review_policy:\n  default_requirements:\n    - role: a\n      count: 0\n',
      '4:14 "review_policy.default_requirements.0.count" must be a whole number from 1',
    ],
    ['a rule without a name', 'review_policy: { rules: [{ sequence: [a] }] }', '1:26 "review_policy.rules.0.name" is missing'],
    ['a rule without requirements', 'review_policy: { rules: [{ name: a }] }', 'there are no default_requirements'],
  ])('an error in a setting has the position of the wrong value: %s', async (_, text, message) => {
    expect(await fault(text)).toContain(message);
  });

  const rules = (lines: string): string =>
    `review_policy:\n  rules:\n    - name: a\n      requirements: [{ role: x }, { role: y }]\n${lines}`;
  test.each([
    ['a sequence with a role that is not required', rules('      sequence: [x, z, y]\n'), '5:21 "review_policy.rules.0.sequence.1" is "z"'],
    ['a sequence that repeats', rules('      sequence: [x, x, y]\n'), '5:21 "review_policy.rules.0.sequence.1" is "x"'],
    ['a sequence that leaves out a role', rules('      sequence: [x]\n'), 'does not have "y"'],
    ['a repeated role', rules('').replace('role: y', 'role: x'), 'repeats "x"; increase its count'],
    [
      'two rules with one name',
      `${rules('')}    - name: a\n      requirements: [{ role: x }]\n`,
      '5:13 "review_policy.rules.1.name" is "a"',
    ],
    ['the name of the default', rules('').replace('name: a', 'name: default-review'), 'which is reserved for the default requirements'],
  ])('an error in a setting has the position of the wrong value: %s', async (_, text, message) => {
    expect(await fault(text)).toContain(message);
  });
});

test('"decisions" is "signed" or absent', async () => {
  expect(await read('decisions: signed\n')).toEqual({ decisions: 'signed' });
  expect(await fault('decisions: unsigned\n')).toBe('CONFIG_INVALID 1:12 "decisions" must be "signed" or absent');
});
