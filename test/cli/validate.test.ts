import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CliRig } from './rig.ts';
import { MISTAKES } from './validate-mistakes.ts';

interface Checked {
  readonly files: readonly {
    readonly file: string;
    readonly ok: boolean;
    readonly checked: string;
    readonly errors: readonly { readonly code: string; readonly line: number; readonly column: number }[];
    readonly warnings: readonly { readonly code: string }[];
    readonly unseen: readonly { readonly what: string; readonly line: number; readonly column: number }[];
  }[];
}

describe('a mistake is told as its author needs it', () => {
  const rig = new CliRig();
  beforeAll(() => {
    for (const [name, text] of Object.entries(MISTAKES)) rig.write(`${name}.ts`, text);
  });
  afterAll(() => rig.close());

  test.each(Object.keys(MISTAKES))('%s', async (name) => {
    const { code, stdout, stderr } = await rig.run(['validate', `${name}.ts`]);
    await expect(`${stdout}${stderr}exit ${code}\n`).toMatchFileSnapshot(`golden/validate/${name}.txt`);
  });
});

describe('validate', () => {
  let rig: CliRig;
  beforeEach(() => {
    rig = new CliRig();
  });
  afterEach(() => rig.close());

  const GOOD = `import { defineWorkflow } from 'pawl/compat';
export default defineWorkflow({ name: 'good', steps: [{ id: 'a', command: 'true', next: null }] });
`;

  test('a module that throws, exits and writes when it is imported is checked like any other, and does none of it', async () => {
    const mark = join(rig.folder, 'mark');
    const evil = `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(mark)}, 'x');\n${GOOD}process.exit(3);\nthrow new Error('no');\n`;
    rig.write('.pawl/workflows/evil.ts', evil);
    const { code, files } = await rig.json<Checked>(['validate']);
    expect({ code, ok: files.map((file) => file.ok) }).toEqual({ code: 0, ok: [true] });
    expect((await rig.run(['list'])).stdout).toContain('good');
    expect(existsSync(mark)).toBe(false);
  });

  test('JSON names every file and, for each error, its code, message, place and hint', async () => {
    const good = rig.write('.pawl/workflows/good.ts', GOOD);
    const bad = rig.write('.pawl/workflows/bad.js', GOOD.replace('good', 'bad').replace('next: null', "next: 'b'"));
    const { code, files } = await rig.json<Checked>(['validate']);
    expect(code).toBe(2);
    expect(files).toEqual([
      {
        file: bad,
        ok: false,
        workflow: 'bad',
        form: 'graph',
        checked: 'whole',
        errors: [
          {
            code: 'TARGET_UNKNOWN',
            message: 'step "a": the outcome "ok" leads to "b", which does not exist (did you mean "a"?)',
            hint: 'name a step, or null to end the run',
            line: 2,
            column: 88,
          },
        ],
        warnings: [],
        unseen: [],
      },
      { file: good, ok: true, workflow: 'good', form: 'graph', checked: 'whole', errors: [], warnings: [], unseen: [] },
    ]);
  });

  test('what only running would tell is named, and is an error with --strict', async () => {
    const text = GOOD.replace('next: null', 'timeout: limit(), next: null');
    const file = rig.write('good.ts', text);
    const place = { line: 2, column: text.split('\n')[1]?.indexOf('limit()') ?? 0 };
    const lenient = await rig.json<Checked>(['validate', file]);
    expect(lenient).toMatchObject({ code: 0, files: [{ ok: true, checked: 'partly', unseen: [{ line: 2, column: place.column + 1 }] }] });
    const strict = await rig.json<Checked>(['validate', file, '--strict']);
    expect(strict).toMatchObject({ code: 2, files: [{ ok: false, errors: [{ code: 'UNSEEN', line: 2, column: place.column + 1 }] }] });
  });

  test('two files of one name are each told of the other', async () => {
    const one = rig.write('.pawl/workflows/one.ts', GOOD);
    const two = rig.write('.squadron/workflows/two.ts', GOOD);
    const { code, files } = await rig.json<{ files: { file: string; errors: { code: string; message: string }[] }[] }>(['validate']);
    expect(code).toBe(2);
    expect(files.map(({ file, errors }) => [file, errors[0]?.code])).toEqual([
      [one, 'WORKFLOW_DUPLICATE'],
      [two, 'WORKFLOW_DUPLICATE'],
    ]);
    expect(files[0]?.errors[0]?.message).toContain(two);
    expect(files[1]?.errors[0]?.message).toContain(one);
  });

  test('a question that takes more people than its groups have is a warning, in both spellings', async () => {
    rig.write('.pawl/config.yaml', 'groups: { maintainers: [ann, bob], owners: [bob] }\n');
    rig.write(
      'graph.ts',
      `import { defineWorkflow } from 'pawl/compat';
export default defineWorkflow({
  name: 'graph',
  steps: [
    { id: 'ask', human: { prompt: 'Go?', from: ['maintainers', 'owners'], count: 3 }, next: null },
  ],
});
`,
    );
    rig.write(
      'file.yaml',
      `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: file }
stages:
  - { id: enough, type: human, prompt: Go?, from: maintainers, count: 2 }
  - { id: elsewhere, type: human, prompt: Go?, from: nobody-here, count: 9 }
  - { id: few, type: gate, conditions: [{ check: pr_approval, from: owners, count: 2 }] }
`,
    );
    const { code, stdout } = await rig.run(['validate', 'graph.ts', 'file.yaml', '--json']);
    const { files } = JSON.parse(stdout) as { files: { warnings: { code: string; message: string; line: number }[] }[] };
    expect([code, files.map(({ warnings }) => warnings.map((found) => `${found.line} ${found.code} ${found.message}`))]).toEqual([
      0,
      [
        ['5 GROUP_TOO_SMALL step "ask" needs 3 people of maintainers or owners, but there are only 2'],
        ['7 GROUP_TOO_SMALL step "few" needs 2 people of owners, but there is only 1'],
      ],
    ]);
  });

  test('a file that does not exist is a usage error', async () => {
    const { code, stderr } = await rig.run(['validate', 'nothing.ts']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `pawl: file ${join(rig.project, 'nothing.ts')} does not exist; "pawl list" shows the files of this project [USAGE]\n`,
    });
  });

  test('text of a file cannot steer the terminal that shows it', async () => {
    rig.write('bad.ts', GOOD.replace("'a'", "'a\\u001b[31m'").replace('next: null', "next: '\u001b[2Jx\u009b1m'"));
    const { stdout } = await rig.run(['validate', 'bad.ts']);
    expect(stdout).toContain('TARGET_UNKNOWN');
    expect([...stdout].filter((char) => char === '\u001b' || char === '\u009b')).toEqual([]);
  });

  test('a long line is shown where its place is, within the width of the terminal', async () => {
    rig.write('bad.ts', GOOD.replace('next: null', `title: '${'x'.repeat(300)}', timeout: 'soon', next: null`));
    const terminal = rig.terminal(['validate', 'bad.ts', '--no-color']);
    expect(await terminal.ended).toBe(2);
    const lines = terminal.text().split('\n');
    expect(lines.every((line) => line.length <= 80)).toBe(true);
    const mark = lines.findIndex((line) => /^\s+│\s+\^/.test(line));
    expect(lines[mark - 1]?.slice(lines[mark]?.indexOf('^'))).toMatch(/^'soon'/);
  });

  test('without UTF-8 the output is ASCII', async () => {
    rig.write('bad.ts', GOOD.replace('next: null', "next: 'b'"));
    const { stdout } = await rig.run(['validate', 'bad.ts'], { env: { LANG: 'C' } });
    expect(stdout).toMatch(/^[\n -~]+$/);
  });

  test('a file of more than a megabyte is refused with a word', async () => {
    writeFileSync(join(rig.project, 'big.ts'), `${GOOD}//${'x'.repeat(1_000_000)}`);
    expect((await rig.run(['validate', 'big.ts'])).stdout).toContain('error FILE_TOO_LARGE');
  });
});
