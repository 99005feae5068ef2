// Owns the promise that the YAML of seed 002 is read as it stands there: the complete examples unchanged, every stage
// inside an envelope. The files in `002` are copies; their digests say that nobody has mended them.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { triggerOf } from '../../src/authoring/yaml/compile/compile.ts';
import { specOf } from '../../src/authoring/yaml/compile/spec.ts';
import { Transitions } from '../../src/authoring/yaml/compile/transition.ts';
import { readYamlWorkflow } from '../../src/authoring/yaml/read/read.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';

const FOLDER = join(import.meta.dirname, '002');

const DIGESTS: Readonly<Record<string, string>> = {
  archetypes: '7ea7746c9fb3b4f951c904623a5c244214362e3ccca3d65f118595d80e74e503',
  'bug-fix': '1721f80b209185aa3cf6e14da07793619f51a17dc76e9e9fc0a0645cc4b17631',
  'feature-development': '0f8054ddef425b06b8917bd3dfc3a12775141744483104d13c4c166d9de9d6ae',
  'security-feature': '81c4003dd9dba81232ca26f1cab7e620859277e5b4a27988f89958a1ea4df36e',
  'simple-review': 'a0a028011b3e302c4fcf74ec48de29d1ed225ecb1c0a1a9d3b98dbfde15742d3',
  'stage-action': '670278710d8ea2b0edccbcf58e0ced4987595675f3037eb0b54c2d91ceea4b8d',
  'stage-agent': '91928c6cf3b24720bbf700e7efafb32371745c1f3047c33e2475453731e2a435',
  'stage-delay': '17e67ebd19fe0bca96fe0ae5084dae9b3b36113f2d23789044ab70c0547e8bea',
  'stage-gate': '9382ba789a23819e07675988a0896b2f1e610c49a3b1b29071494049a6760393',
  'stage-parallel': 'e54181d7eb02cd007711b9bab89adffa219d0959c76a5360e48ebf186434dec4',
  'stage-webhook': '61315ddcc3956580e9d36f9ee9606e56cf1eebf57233ea1b644c0b5556d82ef8',
};

const textOf = (name: string): string => readFileSync(join(FOLDER, `${name}.yaml`), 'utf8');
const read = (text: string) => readYamlWorkflow(text, 'seed.yaml', { compilers: REGISTRY });
const HEAD = 'apiVersion: squadron.dev/v1\nkind: Workflow\nmetadata:\n  name: envelope\nstages:\n';

it.each(Object.entries(DIGESTS))('%s is the block of the seed', (name, digest) => {
  expect(createHash('sha256').update(textOf(name)).digest('hex')).toBe(digest);
});

it('every block has a digest', () => {
  const blocks = readdirSync(FOLDER).filter((file) => file.endsWith('.yaml'));
  expect(blocks.map((file) => file.replace('.yaml', '')).sort()).toEqual(Object.keys(DIGESTS).sort());
});

describe('the complete examples are read without a word', () => {
  it.each([
    [
      'feature-development',
      'feature-development',
      'research implement test documentation pull_request review_pipeline human_approval merge',
    ],
    ['simple-review', 'simple-review', 'review'],
    ['bug-fix', 'bug-fix-workflow', 'diagnose implement verify open_pr'],
    ['security-feature', 'security-feature', 'threat_model implement security_review human_approval merge'],
  ])('%s', (file, name, stages) => {
    const { document, problems } = read(textOf(file));
    expect(problems).toEqual([]);
    expect(document?.metadata.name).toBe(name);
    expect(document?.stages.map(({ id }) => id).join(' ')).toBe(stages);
  });
});

describe('every stage of the seed is read inside an envelope', () => {
  it.each(['agent', 'gate', 'parallel', 'delay', 'action', 'webhook'])('%s', (type) => {
    const indented = textOf(`stage-${type}`).replaceAll(/^(?=.)/gm, '  ');
    const { document, problems } = read(`${HEAD}${indented}`);
    expect(problems).toEqual([]);
    expect(document?.stages.map((stage) => stage.type)).toEqual([type]);
  });
});

it('feature-development is compiled to the letter', () => {
  const { document } = read(textOf('feature-development'));
  const file = document as NonNullable<typeof document>;
  const spec = specOf(file, new Transitions(file, 10), REGISTRY);
  const step = (id: string) => new Map(spec.steps).get(id);
  expect(triggerOf(file)).toMatchObject({ event: 'issues.labeled', label: 'feature' });
  expect(spec).toMatchObject({ onError: 'on_error.1', entry: 'research' });
  expect(Object.keys(spec.data ?? {})).toEqual(['issue_number', 'issue_title', 'base_branch']);
  expect(step('on_complete.1')?.forge?.action).toBe('close_issue');
  expect(step('on_complete.2')?.forge).toMatchObject({ action: 'comment', target: 'issue' });
  expect(step('on_error.1')?.forge).toMatchObject({ action: 'label', add: ['needs-human'] });
  expect(step('on_error.2')?.forge).toMatchObject({ action: 'notify', target: 'maintainers' });
  expect(step('test')?.next).toMatchObject({ fail: { to: 'implement', maxIterations: 3, onExhausted: 'escalate' } });
  expect(step('pull_request')?.next).toMatchObject({ ok: { to: 'pull_request.on_complete.delay' } });
  expect(step('pull_request.on_complete.delay')).toMatchObject({ delay: '30s', next: { ok: 'review_pipeline' } });
  expect(step('human_approval')).toMatchObject({ extend: { by: '24h', max: 3 }, next: { timeout: { to: 'escalate' } } });
  expect(step('merge.on_conflict.spawn')).toMatchObject({ agent: 'merge-conflict', next: { ok: 'review_pipeline' } });
  expect(step('documentation')).toMatchObject({ condition: '{{ outputs.code_changes | has_public_api }}' });
});

it('the table of archetypes is refused, with the long form shown', () => {
  const { document, problems } = read(textOf('archetypes'));
  expect(document).toBeUndefined();
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatchObject({ code: 'STAGE_SHORT', line: 2, column: 1 });
  expect(problems[0]?.hint).toContain('type: agent');
});
