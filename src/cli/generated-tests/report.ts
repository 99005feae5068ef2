// Owns the reports on generated tests: a table with the failures below it, and JUnit XML.

import { formatDuration } from '../../base/duration.ts';
import { shellWord } from '../../base/shell-word.ts';
import { escapeXml } from '../../base/xml.ts';
import type { TestResult, WorkflowTestResult } from '../../proof/generated/results.ts';
import type { Shell } from '../shell.ts';
import { counted, oneLine, plain, table } from '../terminal.ts';

/** The results of one workflow. */
export interface TestedWorkflow extends WorkflowTestResult {
  /** The name or path for the command line. */
  readonly reference: string;
  readonly file?: string;
  readonly note?: string;
}

/** The command that repeats one test. */
export function repeatCommand(shell: Shell, reference: string, id: string): string {
  const values = shell.args.options('param').map((value) => ` -p ${shellWord(value)}`);
  const whole = shell.args.options('params').map((value) => ` --params ${shellWord(value)}`);
  const subprocess = shell.args.has('subprocess') ? ' --subprocess' : '';
  return shell.pasteable(`pawl test ${shellWord(reference)} --filter ${shellWord(id)}${values.join('')}${whole.join('')}${subprocess}`);
}

/** The lines for people. */
export function reportLines(shell: Shell, tested: readonly TestedWorkflow[]): string[] {
  const [passed, failed] = [sum(tested, ({ passed }) => passed), sum(tested, ({ failed }) => failed)];
  const total = `${counted(passed + failed, 'test')}, ${passed} passed, ${failed} failed`;
  return [
    ...table(shell.display, [
      { title: 'WORKFLOW', cells: tested.map(({ workflow }) => oneLine(workflow)), shrinks: 'name' },
      { title: 'TESTS', cells: tested.map(({ results }) => String(results.length)) },
      { title: 'PASSED', cells: tested.map(({ passed }) => String(passed)) },
      {
        title: 'FAILED',
        cells: tested.map(({ failed }) => String(failed)),
        style: (cell) => (cell.trim() === '0' ? cell : shell.style('red', cell)),
      },
      { title: 'TIME', cells: tested.map(({ durationMs }) => formatDuration(durationMs)) },
    ]),
    ...tested.flatMap(({ workflow, note }) => (note === undefined ? [] : [`${oneLine(workflow)}: ${note}`])),
    ...tested.flatMap(({ reference, results }) =>
      results.filter(({ ok }) => !ok).flatMap((result) => failureLines(shell, reference, result)),
    ),
    ...(failed === 0 ? [shell.style('green', total)] : ['', shell.style('red', total)]),
  ];
}

function failureLines(shell: Shell, reference: string, { id, problems }: TestResult): string[] {
  return [
    '',
    `${shell.style('red', shell.symbol('failed'))} ${shell.style('bold', oneLine(id))}`,
    ...problems.flatMap((problem) => plain(problem).split('\n')).map((line) => `    ${line}`),
    `    ${shell.style('cyan', repeatCommand(shell, reference, id))}`,
  ];
}

function sum(tested: readonly TestedWorkflow[], count: (one: TestedWorkflow) => number): number {
  return tested.reduce((total, one) => total + count(one), 0);
}

/** The results as a JUnit report. */
export function junitReport(tested: readonly TestedWorkflow[]): string {
  const suites = tested.map(({ workflow, results, failed, durationMs }) => {
    const cases = results.map(({ id, category, problems, durationMs: took }) => {
      const head = `<testcase classname="${escaped(`${workflow}.${category}`)}" name="${escaped(id)}" time="${took / 1000}"`;
      if (problems.length === 0) return `    ${head}/>`;
      return `    ${head}><failure message="${escaped(problems[0] as string)}">${escaped(problems.join('\n'))}</failure></testcase>`;
    });
    const head = `  <testsuite name="${escaped(workflow)}" tests="${results.length}" failures="${failed}" time="${durationMs / 1000}">`;
    return [head, ...cases, '  </testsuite>'].join('\n');
  });
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>', ''].join('\n');
}

function escaped(text: string): string {
  return escapeXml(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;');
}
