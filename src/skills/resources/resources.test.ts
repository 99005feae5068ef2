// Resources: the texts that come with Pawl, the provider in memory and the one of a folder, and copies that drifted.

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../../../test/temp-folder.ts';
import { defineSkill, lintSkill } from '../index.ts';
import { type ConventionName, formatReference, getConvention, getFormat, referenceText, referenceTexts } from './conventions.ts';
import { driftedCopies, markedCopy } from './copies.ts';
import { folderResources } from './folder-resources.ts';
import { memoryResources, type ResourceProvider } from './provider.ts';

const NAMES = [
  'structural',
  'temporal',
  'severity',
  'intent-markers',
  'documentation',
  'diff-format',
  'plan-format',
  'explore-output-format',
];

/** Tokens of a text at most: it is embedded in a step that an agent reads. */
const TOKENS_MAX = 1_300;

test('there are six conventions and two formats, each short enough to be embedded', () => {
  expect(referenceTexts().map(({ name }) => name)).toEqual(NAMES);
  expect(referenceTexts().filter(({ text }) => text.length / 4 > TOKENS_MAX || !text.startsWith('# ') || !text.endsWith('\n'))).toEqual([]);
  expect(new Set(referenceTexts().map(({ digest }) => digest)).size).toBe(NAMES.length);
});

test('a text is found by its name, and an unknown name lists the known ones', () => {
  expect(getConvention('temporal')).toContain('describe the current state');
  expect(getFormat('plan-format')).toContain('plan.json');
  expect(() => getConvention('temporel' as ConventionName)).toThrow(
    'there is no convention "temporel" (did you mean "temporal"?); there are structural, temporal, severity,',
  );
  expect(() => referenceText('toString')).toThrow(expect.objectContaining({ code: 'RESOURCE_UNKNOWN' }));
});

test('the example of the plan format is a plan without faults', async () => {
  const { planFaults } = await import('../../definition/contract/plan.ts');
  const [, example = ''] = /\n {4}(\{\n.*?\n {4}\})\n/s.exec(getFormat('plan-format')) ?? [];
  expect(planFaults(JSON.parse(example))).toEqual([]);
});

const SKILL = defineSkill({ name: 'sample', description: 'A sample.', steps: [{ id: 'one', title: 'One', actions: ['Do it.'] }] });

/** Both providers, with the same content. */
function providers(): [string, ResourceProvider][] {
  const given = {
    conventions: { house: '# House' },
    resources: { letter: '# Letter' },
    workflows: [SKILL],
    stepData: { scope: { files: 3 } },
  };
  const root = tempFolder();
  mkdirSync(join(root, 'docs'));
  writeFileSync(join(root, 'docs', 'a.md'), 'A');
  return [
    ['in memory', memoryResources({ ...given, files: { 'docs/a.md': 'A' } })],
    ['of a folder', folderResources({ ...given, root })],
  ];
}

describe.each(providers())('a provider %s', (_, provider) => {
  test('the provider returns conventions, files, resources, workflows and the data of steps', () => {
    expect(provider.getConvention('house')).toBe('# House');
    expect(provider.getConvention('severity')).toBe(getConvention('severity'));
    expect(provider.getResource('letter')).toBe('# Letter');
    expect(provider.getResource('plan-format')).toBe(getFormat('plan-format'));
    expect(provider.getWorkflow('sample').steps).toHaveLength(1);
    expect(provider.getStepData('scope')).toEqual({ files: 3 });
    expect(provider.readFile('docs/a.md')).toBe('A');
    expect(provider.readFile('./docs//a.md')).toBe('A');
    provider.writeFile('out/new/b.md', 'B');
    expect(provider.readFile('out/new/b.md')).toBe('B');
  });

  test.each(['../a', '/etc/passwd', 'docs/../../a', 'C:\\a', '~/a', '\\\\host\\a', '', '.', './', 'a\0b'])(
    'refuses the path %j',
    (path) => {
      expect(() => provider.readFile(path)).toThrow(expect.objectContaining({ code: 'RESOURCE_REFUSED' }));
      expect(() => provider.writeFile(path, 'x')).toThrow(expect.objectContaining({ code: 'RESOURCE_REFUSED' }));
    },
  );

  test.each(['../severity', 'Severity', 'a/b', '', '__proto__'])('the provider rejects the name %j', (name) => {
    for (const get of [provider.getConvention, provider.getResource, provider.getWorkflow, provider.getStepData])
      expect(() => get(name)).toThrow(expect.objectContaining({ code: 'RESOURCE_REFUSED' }));
  });

  test('the provider reports missing resources', () => {
    expect(() => provider.readFile('docs/b.md')).toThrow(expect.objectContaining({ code: 'RESOURCE_UNKNOWN' }));
    for (const get of [provider.getConvention, provider.getResource, provider.getWorkflow, provider.getStepData, provider.getStepData])
      expect(() => get('constructor')).toThrow(expect.objectContaining({ code: 'RESOURCE_UNKNOWN' }));
  });
});

test('a link that leads out of the folder is rejected, for a file and for a folder, for reading and for writing', () => {
  const [root, outside] = [tempFolder(), tempFolder()];
  writeFileSync(join(outside, 'secret'), 'secret');
  symlinkSync(join(outside, 'secret'), join(root, 'file'));
  symlinkSync(outside, join(root, 'folder'));
  symlinkSync(join(outside, 'new'), join(root, 'dangling'));
  const provider = folderResources({ root });
  for (const path of ['file', 'folder/secret', 'folder/new']) {
    expect(() => provider.readFile(path)).toThrow(expect.objectContaining({ code: 'RESOURCE_REFUSED' }));
    expect(() => provider.writeFile(path, 'x')).toThrow(expect.objectContaining({ code: 'RESOURCE_REFUSED' }));
  }
  expect(() => provider.writeFile('dangling', 'x')).toThrow(expect.objectContaining({ code: 'RESOURCE_REFUSED' }));
  expect(existsSync(join(outside, 'new'))).toBe(false);
  expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret');
});

test('a copy that equals the original is not reported, in any file format', () => {
  for (const name of NAMES)
    expect(driftedCopies(`before\n${markedCopy(name)}\nafter\n${formatReference(name as ConventionName)}\n`)).toEqual([]);
  expect(driftedCopies(markedCopy('severity').replaceAll('\n', '\r\n'))).toEqual([]);
  const block = formatReference('temporal');
  expect(block).toMatch(/^<resource name="temporal" digest="[0-9a-f]{12}">\n# Temporal/);
  expect(block).toContain('"added", "changed"');
});

test('a copy that was changed, is of another version, or has no end is reported with its line', () => {
  const copy = markedCopy('severity');
  const states = (text: string): unknown[] => driftedCopies(text).map(({ name, line, state }) => [name, line, state]);
  expect(states(`one\n${copy.replace('MUST', 'SHALL')}`)).toEqual([['severity', 2, 'edited']]);
  expect(states(formatReference('severity').replace('MUST', 'SHALL'))).toEqual([['severity', 1, 'edited']]);
  // The digest of "# Older".
  expect(states('<!-- pawl resource severity 6a6deff0c257 -->\n# Older\n<!-- end of severity -->')).toEqual([['severity', 1, 'older']]);
  expect(states(copy.replace('<!-- end of severity -->', ''))).toEqual([['severity', 1, 'unclosed']]);
  expect(states('<resource name="severity">\n# Severity\nOurs.\n</resource>')).toEqual([['severity', 1, 'edited']]);
});

test('a text of the project with the same name, or one that Pawl does not know, does not count as a copy', () => {
  expect(driftedCopies('<resource name="severity">\n# How grave we find things\n</resource>')).toEqual([]);
  expect(driftedCopies('<!-- pawl resource house 1cf1e13e1b5c -->\n')).toEqual([]);
});

test('lint reports a step that prints an outdated copy, but not one that embeds the text itself', () => {
  const withAction = (action: string) =>
    lintSkill(defineSkill({ name: 'sample', description: 'A sample.', steps: [{ id: 'one', title: 'One', actions: [action] }] })).map(
      ({ code, step }) => [code, step],
    );
  expect(withAction(formatReference('temporal'))).not.toContainEqual(['SKILL_RESOURCE_DRIFTED', 1]);
  expect(withAction(formatReference('temporal').replace('history', 'past'))).toContainEqual(['SKILL_RESOURCE_DRIFTED', 1]);
});
