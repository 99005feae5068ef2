// Holds the whole repository to the rules in test/tidy. Each test prints every violation, so that one run shows all.

import { describe, expect, test } from 'vitest';
import { ERROR_CODES } from '../src/base/error.ts';
import { REGISTRY } from '../src/kinds/registry.ts';
import {
  addressViolations,
  kernelViolations,
  machinePathViolations,
  ownNameViolations,
  silencingViolations,
  unrunTestViolations,
} from './tidy/banned.ts';
import { caseViolations } from './tidy/cases.ts';
import { citedTestViolations, fileTableViolations } from './tidy/citations.ts';
import { importCycles } from './tidy/cycles.ts';
import {
  errorDocViolations,
  featureViolations,
  internalsViolations,
  type Lockfile,
  lockfileGaps,
  lockfileViolations,
  parseFeatureRows,
  pinViolations,
  readingListViolations,
} from './tidy/documents.ts';
import { invariantViolations } from './tidy/invariants.ts';
import { kindNames, kindNameViolations } from './tidy/kind-names.ts';
import { importsOf, layerViolations } from './tidy/layers.ts';
import { limitViolations } from './tidy/limits.ts';
import { docViolations, headerViolations, nameViolations, participleViolations, reExportViolations } from './tidy/naming.ts';
import { fileExists, findFiles, publishedEntries, readJson, readSources, readText } from './tidy/repository.ts';

const sources = readSources();

describe('the code', () => {
  test('the code is found at all', () => {
    expect(sources.map(({ path }) => path)).toEqual(expect.arrayContaining(['src/base/error.ts', 'src/index.ts', 'test/tidy.test.ts']));
  });

  test.each([
    ['imports only what is above it', layerViolations],
    ['stays within the size limits', limitViolations],
    ['keeps clock, chance and I/O out of the kernel', kernelViolations],
    ['silences neither compiler nor reader', silencingViolations],
    ['leaves no test out', unrunTestViolations],
    ['names no path of one machine', machinePathViolations],
    ['takes paths of steps apart in one place', addressViolations],
    ['spells the names of records in one place', ownNameViolations],
    ['says in each file what it owns', headerViolations],
    ['documents every export', docViolations],
    ['names no type with a participle alone', participleViolations],
    ['exports a thing from its own file only', reExportViolations],
  ])('the code %s', (_rule, violations) => {
    expect(sources.flatMap(violations)).toEqual([]);
  });

  test('the code numbers each invariant once, and cites it', () => {
    const pages = findFiles(['docs/internals/*.md']).map(readText);
    const cases = new Set(readText('docs/internals/cases.md').match(/\b[A-Z]\d{2}\b/g));
    expect(invariantViolations(sources, pages, cases)).toEqual([]);
  });

  test('the code keeps the kernel below 2,600 lines, so that it can be read in an afternoon', () => {
    const kernel = sources.filter(({ path }) => path.startsWith('src/kernel/') && !path.endsWith('.test.ts'));
    expect(kernel.reduce((lines, { text }) => lines + text.split('\n').length - 1, 0)).toBeLessThan(2600);
  });

  test('the code names kinds of steps and checks in their folders only', () => {
    const names = kindNames(sources.map(({ path }) => path));
    expect([names.kinds.size, names.checks.size]).toEqual([Object.keys(REGISTRY.kinds).length, Object.keys(REGISTRY.checks).length]);
    expect(sources.flatMap((source) => kindNameViolations(source, names))).toEqual([]);
  });

  test('the code lets the registry import one file of each kind and check', () => {
    const registry = sources.filter(({ path }) => path === 'src/kinds/registry.ts');
    const targets = registry
      .flatMap(importsOf)
      .map(({ target }) => target)
      .filter((target) => /^src\/kinds\/[^/]+\//.test(target));
    expect(targets.filter((target) => !/\/(?:kind|check)\.ts$/.test(target))).toEqual([]);
    expect(targets).toHaveLength(Object.keys(REGISTRY.kinds).length + Object.keys(REGISTRY.checks).length);
  });

  test('the code has no files that need each other to load', () => {
    expect(importCycles(sources)).toEqual([]);
  });

  test('the code lies in files named after concepts', () => {
    const entries = Object.values(publishedEntries());
    expect(sources.flatMap(({ path }) => nameViolations(path, entries))).toEqual([]);
  });
});

describe('the documents', () => {
  test('the documents list exactly the error codes that exist', () => {
    expect(errorDocViolations(Object.keys(ERROR_CODES), readText('docs/errors.md'))).toEqual([]);
  });

  test('the documents list every feature, and call only tested ones done', () => {
    expect(featureViolations(parseFeatureRows(readText('docs/features.md')), fileExists)).toEqual([]);
  });

  test('the documents name a test for every case that must not go wrong', () => {
    const read = (path: string): string | undefined => (fileExists(path) ? readText(path) : undefined);
    expect(caseViolations(readText('docs/internals/cases.md'), read)).toEqual([]);
  });

  test('the documents have a page for every folder of src', () => {
    const pages = findFiles(['docs/internals/*.md']).map((path) => path.slice('docs/internals/'.length));
    expect(internalsViolations(sources, pages)).toEqual([]);
  });

  test('each page of docs/internals names every file of its folder, and no other', () => {
    const paths = findFiles(['{src,test,scripts,bin,bench,dashboard,examples,templates,docs,.ci}/**/*']);
    const violations = findFiles(['docs/internals/*.md']).flatMap((path) => {
      const folder = path.slice('docs/internals/'.length, -'.md'.length);
      const own = sources.filter((source) => source.path.startsWith(`src/${folder}/`) && !/(?:\.test|\/index)\.ts$/.test(source.path));
      const page = { path, text: readText(path) };
      return fileTableViolations(
        page,
        own.map((source) => source.path),
        paths,
      );
    });
    expect(violations).toEqual([]);
  });

  test('the documents cite only tests that exist', () => {
    const paths = sources.map(({ path }) => path);
    // The site has copies of the pages.
    const pages = findFiles(['*.md', 'docs/**/*.md', 'examples/README.md']).filter((path) => !path.startsWith('docs/site/pages/'));
    expect(pages.flatMap((path) => citedTestViolations({ path, text: readText(path) }, { paths, read: readText }))).toEqual([]);
  });

  test('the documents have a reading list that a newcomer can read in an hour', () => {
    expect(readingListViolations(readText('AGENTS.md'), sources)).toEqual([]);
  });

  test('the documents keep AGENTS.md under a hundred lines', () => {
    expect(readText('AGENTS.md').split('\n').length).toBeLessThan(100);
  });
});

describe('the package', () => {
  test('the package pins every dependency', () => {
    expect(pinViolations(readJson('package.json') as Record<string, unknown>)).toEqual([]);
  });

  test('the package has a complete lockfile that names no registry', () => {
    const lockfile = readJson('package-lock.json') as Lockfile;
    expect([...lockfileGaps(lockfile), ...lockfileViolations(lockfile)]).toEqual([]);
  });
});
