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
    readonly errors: readonly { readonly code: string; readonly message: string; readonly line: number; readonly column: number }[];
    readonly warnings: readonly { readonly code: string }[];
  }[];
}

describe('a mistake is shown with its position and what to do', () => {
  const rig = new CliRig();
  beforeAll(async () => {
    for (const [name, text] of Object.entries(MISTAKES)) rig.write(`${name}.ts`, text);
    rig.write('lib/shared.ts', 'export const shared = [];\n');
    await rig.run(['trust', '--folder', '--yes']);
  });
  afterAll(() => rig.close());

  test.each(Object.keys(MISTAKES))('a mistake is shown with its position and what to do: %s', async (name) => {
    const { code, stdout, stderr } = await rig.run(['validate', `${name}.ts`]);
    await expect(`${stdout}${stderr}exit ${code}\n`).toMatchFileSnapshot(`golden/validate/${name}.txt`);
  });
});

const GOOD = `import { defineWorkflow } from 'pawl/compat';
export default defineWorkflow({ name: 'good', steps: [{ id: 'a', command: 'true', next: null }] });
`;

describe('a module that is not trusted', () => {
  let rig: CliRig;
  beforeEach(() => {
    rig = new CliRig();
  });
  afterEach(() => rig.close());

  test('an untrusted module is parsed and not run, and the command that trusts it is named', async () => {
    const mark = join(rig.folder, 'mark');
    const evil = `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(mark)}, 'x');\n${GOOD.replace('null', "'zz'")}`;
    const file = rig.write('.pawl/workflows/evil.ts', evil);
    expect(await rig.run(['validate'])).toEqual({
      code: 4,
      stdout: '\u25cc .pawl/workflows/evil.ts  good, only its syntax was checked\n',
      stderr: `pawl: 1 file, 0 errors, 1 not trusted\n${file} is not trusted yet, and checking more than its syntax runs its code; review it, then run "pawl trust ${file}" to trust this version\n`,
    });
    expect(await rig.json(['validate'])).toMatchObject({
      code: 4,
      files: [{ ok: false, checked: 'syntax', errors: [{ code: 'NOT_TRUSTED' }] }],
    });
    expect((await rig.run(['list'])).stdout).toContain('good');
    expect(existsSync(mark)).toBe(false);
  });

  test('an untrusted module that imports a missing file or cannot be parsed is an error', async () => {
    rig.write('gone.ts', `${GOOD}import { x } from './lib/gone.ts';\n`);
    rig.write('syntax.ts', `${GOOD}}\n`);
    const { code, files } = await rig.json<Checked>(['validate', 'gone.ts', 'syntax.ts']);
    expect([code, files.map(({ errors }) => errors.map((error) => `${error.line}:${error.column} ${error.code}`))]).toEqual([
      2,
      [['3:19 IMPORT_NOT_FOUND'], ['3:1 SYNTAX']],
    ]);
  });

  test('a terminal asks whether to trust a module, and checks it after a yes until it changes', async () => {
    rig.write('.pawl/workflows/good.ts', GOOD);
    const asked = rig.terminal(['validate']);
    await asked.until('Load it to check it?');
    asked.type('y\r');
    expect(await asked.ended).toBe(0);
    expect((await rig.run(['validate'])).code).toBe(0);
    rig.write('.pawl/workflows/good.ts', `${GOOD}// changed\n`);
    expect(await rig.run(['validate'])).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/has changed since it was trusted: good.ts; review it, then run "pawl trust .*good.ts" to trust/),
    });
    const refused = rig.terminal(['validate']);
    await refused.until('Load it to check it?');
    refused.type('n\r');
    expect(await refused.ended).toBe(4);
  });
});

describe('validate', () => {
  let rig: CliRig;
  beforeEach(async () => {
    rig = new CliRig();
    await rig.run(['trust', '--folder', '--yes']);
  });
  afterEach(() => rig.close());

  test.each([
    ['process.exit(3);', 'it ended the process with exit code 3 while it was loaded', '2:16'],
    ["throw new Error('no luck');", 'no luck', '3:7'],
    ["throwing();\nfunction throwing() { throw 'text'; }", 'text', '2:16'],
    ['await new Promise(() => {});', 'it awaits something that never happens', '2:16'],
    ["import 'no-such-package';", "Cannot find package 'no-such-package'", '3:8'],
    ["import { nothing } from './lib/some.ts';", "does not provide an export named 'nothing'", '3:1'],
    ["import './lib/throws.ts';", /^no luck \(in .*lib\/throws.ts:2:7\)$/, '2:16'],
    ["import './lib/imports.ts';", /^Cannot find module '.*gone.ts' \(in .*lib\/imports.ts\)$/, '2:16'],
  ])('validate reports a module that cannot be loaded: %s', async (line, message, place) => {
    rig.write('lib/some.ts', 'export {};\n');
    rig.write('lib/throws.ts', "\nthrow new Error('no luck');\n");
    rig.write('lib/imports.ts', "import './gone.ts';\n");
    const file = rig.write('bad.ts', `${GOOD}${line}\n`);
    const { code, files } = await rig.json<Checked>(['validate', file]);
    expect([code, files[0]?.errors.map((error) => `${error.line}:${error.column}`)]).toEqual([2, [place]]);
    expect(files[0]?.errors[0]?.message).toMatch(message);
  });

  test('the output of a module is kept out of the result of validate', async () => {
    rig.write('loud.ts', `console.log('out');\nconsole.error('err');\nprocess.send?.({ definition: 1 });\n${GOOD}`);
    expect(await rig.run(['validate', 'loud.ts'])).toMatchObject({ code: 0, stderr: 'pawl: 1 file, 0 errors\n' });
  });

  test('a name that differs once the file is loaded is an error', async () => {
    rig.write(
      'bad.ts',
      `const spec = { name: 'a', steps: [{ id: 'a', command: 'true', next: null }] };\nspec.name = 'b';\n${GOOD.replace(/\(\{.*\}\)/, '(spec)')}`,
    );
    expect(await rig.json(['validate', 'bad.ts'])).toMatchObject({ code: 2, files: [{ errors: [{ code: 'NAME_UNSEEN', line: 4 }] }] });
  });

  test('the JSON of validate has every file and, for each error, its code, message, position and hint', async () => {
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
        hints: [],
      },
      {
        file: good,
        ok: true,
        workflow: 'good',
        form: 'graph',
        checked: 'whole',
        errors: [],
        warnings: [],
        hints: [expect.objectContaining({ code: 'RECOVERY_DEFAULT', line: 2, column: 61 })],
      },
    ]);
  });

  test('computed values are checked like any other, and warnings are errors with --strict', async () => {
    rig.write('lib/limit.ts', "export const limit = () => 'soon';\n");
    rig.write('computed.ts', `import { limit } from './lib/limit.ts';\n${GOOD.replace('next: null', 'timeout: limit(), next: null')}`);
    expect(await rig.json(['validate', 'computed.ts'])).toMatchObject({
      code: 2,
      files: [{ checked: 'whole', errors: [{ code: 'TIMEOUT_INVALID', line: 3 }] }],
    });
    rig.write('flow.ts', "import { step, workflow } from 'pawl';\nexport default workflow('w', function* () { return Date.now(); });\n");
    expect(await rig.json(['validate', 'flow.ts'])).toMatchObject({ code: 0, files: [{ warnings: [{ code: 'REPLAY_DIFFERS' }] }] });
    expect(await rig.json(['validate', 'flow.ts', '--strict'])).toMatchObject({
      code: 2,
      files: [{ errors: [{ code: 'REPLAY_DIFFERS' }] }],
    });
  });

  test('two files with one name are errors that name each other', async () => {
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

  test('a question that needs more people than its groups have is a warning, in YAML and TypeScript', async () => {
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
  - { id: few, type: gate, conditions: [{ check: pr_approval, from: owners, count: 2 }] }
`,
    );
    const { code, stdout } = await rig.run(['validate', 'graph.ts', 'file.yaml', '--json']);
    const { files } = JSON.parse(stdout) as { files: { warnings: { code: string; message: string; line: number }[] }[] };
    expect([code, files.map(({ warnings }) => warnings.map((found) => `${found.line} ${found.code} ${found.message}`))]).toEqual([
      0,
      [
        ['5 GROUP_TOO_SMALL step "ask": 3 people of maintainers or owners must agree, but there are only 2'],
        ['6 GROUP_TOO_SMALL stage "few": 2 people of owners must agree, but there is only 1'],
      ],
    ]);
  });

  test('validating a file that does not exist is a usage error', async () => {
    const { code, stderr } = await rig.run(['validate', 'nothing.ts']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `pawl: file ${join(rig.project, 'nothing.ts')} does not exist; "pawl list" shows the files of this project [USAGE]\n`,
    });
  });

  test('text of a file cannot control the terminal that shows it', async () => {
    rig.write('bad.ts', GOOD.replace("'a'", "'a\\u001b[31m'").replace('next: null', "next: '\u001b[2Jx\u009b1m'"));
    const { stdout } = await rig.run(['validate', 'bad.ts']);
    expect(stdout).toContain('TARGET_UNKNOWN');
    expect([...stdout].filter((char) => char === '\u001b' || char === '\u009b')).toEqual([]);
  });

  test('a long line is shown around the position, within the width of the terminal', async () => {
    rig.write('bad.ts', GOOD.replace('next: null', `title: '${'x'.repeat(300)}', timeout: 'soon', next: null`));
    const terminal = rig.terminal(['validate', 'bad.ts', '--no-color']);
    expect(await terminal.ended).toBe(2);
    const lines = terminal.text().split('\n');
    expect(lines.every((line) => line.length <= 80)).toBe(true);
    const mark = lines.findIndex((line) => /^\s+│\s+\^/.test(line));
    expect(lines[mark - 1]?.slice(lines[mark]?.indexOf('^'))).toMatch(/^'soon'/);
  });

  test('without UTF-8 the output of validate is ASCII', async () => {
    rig.write('bad.ts', GOOD.replace('next: null', "next: 'b'"));
    const { stdout } = await rig.run(['validate', 'bad.ts'], { env: { LANG: 'C' } });
    expect(stdout).toMatch(/^[\n -~]+$/);
  });

  test('a file of more than a megabyte is rejected', async () => {
    writeFileSync(join(rig.project, 'big.ts'), `${GOOD}//${'x'.repeat(1_000_000)}`);
    expect((await rig.run(['validate', 'big.ts'])).stdout).toContain('error FILE_TOO_LARGE');
  });
});
