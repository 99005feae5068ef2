// What gates check and programs are given: the lines of the specification about checks, each on a real engine.

import { utimesSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSample } from '../../src/proof/forge-suite/stage.ts';
import { createVirtualClock } from '../../src/proof/virtual-clock.ts';
import { type LocalForgeStage, openLocalForgeStage } from '../forge/local-stage.ts';
import { createPlay, errorsOf, outputOf, type Play, type PlayOptions, storyOf } from './yaml-play.ts';

let play: Play;
beforeEach(() => {
  play = createPlay();
});
afterEach(() => play.close());

/** A gate with these checks, and where its verdicts lead. */
const gate = (checks: string, more = '') => `
stages:
  - id: gate
    type: gate
    conditions:
${checks}
    on_pass: complete
    on_fail: fail${more}
`;

describe('Gates', () => {
  test('all checks run, in file order, even after a failure', async () => {
    const view = await play.run(
      gate('      - { check: command, run: "echo 1 >> log; false" }\n      - { check: command, run: "echo 2 >> log" }'),
    );
    expect([view.status, play.read('log')]).toEqual(['failed', '1\n2\n']);
    expect(outputOf(view, 'gate')).toMatchObject({ passed: false, checks: [{ passed: false }, { passed: true }] });
  });

  test.each([
    ['any error is an error, also beside a failure', ['could', 'no', 'pending'], ['escalated', 'gate#1 error']],
    ['any fail is a fail, also beside what is pending', ['yes', 'no', 'pending'], ['failed', 'gate#1 fail']],
  ])('%s', async (_, words, story) => {
    const verdict = { could: null, yes: true, no: false } as const;
    const own = (word: string) => ({
      name: word,
      run: () =>
        word === 'pending'
          ? { passed: null, why: 'pending' as const, result: null, error: 'not yet' }
          : { passed: verdict[word as 'yes'], result: null, error: word },
    });
    const checks = Object.fromEntries(['could', 'yes', 'no', 'pending'].map((word) => [word, own(word)]));
    const view = await play.run(gate(words.map((word) => `      - { check: ${word} }`).join('\n')), { checks });
    expect(storyOf(view)).toEqual(story);
  });

  test('a gate that ran no test has not passed', async () => {
    const empty = '<testsuite tests="0"></testsuite>';
    const junit = (text: string, more = '') =>
      gate(`      - { check: command, run: 'printf "%s" "$R" > junit.xml', env: { R: '${text}' }, report: junit.xml${more} }`);
    const none = await play.run(junit(empty));
    expect([...storyOf(none), none.error]).toEqual(['escalated', 'gate#1 error', expect.stringContaining('no test ran')]);
    expect((await play.run(junit(empty, ', tests: optional'))).status).toBe('completed');
    expect((await play.run(junit('<testsuite tests="1"><testcase name="a"/></testsuite>'))).status).toBe('completed');
    const silent = await play.run(gate('      - { check: command, run: "true", tests: required }'));
    expect([silent.status, silent.error]).toEqual(['escalated', expect.stringContaining('not from a known test runner')]);
  });

  test('a failed test in the report is a fail, whatever the program exits with', async () => {
    const text = '<testsuite tests="1"><testcase name="a"><failure message="boom"/></testcase></testsuite>';
    const view = await play.run(gate(`      - { check: command, run: 'printf "%s" "$R" > r.xml', env: { R: '${text}' }, report: r.xml }`));
    expect(outputOf(view, 'gate')).toMatchObject({ failed_checks: [expect.stringContaining('1 of its tests failed')] });
  });

  test('a report that is older than its program is none', async () => {
    play.write('old.xml', '<testsuite tests="1"><testcase name="a"/></testsuite>');
    utimesSync(play.rig.path('old.xml'), 1, 1);
    const view = await play.run(gate('      - { check: command, run: "true", report: old.xml }'));
    expect([view.status, view.error]).toEqual(['escalated', expect.stringContaining('is older than the work that it should be about')]);
  });
});

describe('on a forge', () => {
  let stage: LocalForgeStage;
  beforeEach(async () => {
    stage = await openLocalForgeStage();
  });
  afterEach(async () => {
    await play.rig.close();
    await stage.close();
  });

  /** Starts a gate about a pull request, on which something may have happened already, and sees it wait. */
  async function waiting(
    checks: string,
    { more = '', before, ...options }: PlayOptions & { more?: string; before?: (pr: number) => Promise<void> } = {},
  ) {
    const { number } = await openSample(stage, 'feature');
    await before?.(number);
    const groups = { maintainers: ['ann', 'bob'], security: ['cid', 'Bob'] };
    const started = await play.start(gate(checks, more), { forge: stage.forge, groups, facts: { pr_number: number }, ...options });
    expect((await started.run.wait('idle')).waits.map(({ kind }) => kind)).toEqual(['checks']);
    return { ...started, number };
  }

  test('a pending check makes the gate wait and is made again on forge events, and the approval of the head passes it', async () => {
    const { run, number } = await waiting('      - { check: pr_approval, from: maintainers }');
    await stage.review(number, 'ann', 'approved');
    expect(storyOf(await run.wait())).toEqual(['completed', 'gate#1 ok']);
  });

  test('a gate waits until its timeout', async () => {
    const clock = createVirtualClock();
    const { run } = await waiting('      - { check: pr_approval, from: maintainers }', { more: '\n    timeout: 48h', clock });
    clock.advance(48 * 3_600_000);
    expect(storyOf(await run.wait())).toEqual(['escalated', 'gate#1 timeout']);
  });

  test('changes requested are a fail', async () => {
    const { run, number } = await waiting('      - { check: pr_approval, from: maintainers }');
    await stage.review(number, 'bob', 'changes_requested');
    expect(storyOf(await run.wait())).toEqual(['failed', 'gate#1 fail']);
  });

  test.each([
    ['success', 'completed', 'ok'],
    ['failure', 'failed', 'fail'],
  ] as const)('ci_status is pending until there is a conclusion: %s ends it', async (conclusion, status, outcome) => {
    const { run } = await waiting('      - { check: ci_status, workflows: [test], expect: success }');
    await stage.check('feature', { name: 'test', status: 'completed', conclusion });
    expect(storyOf(await run.wait())).toEqual([status, `gate#1 ${outcome}`]);
  });

  test('expect of ci_status is a word for a conclusion', async () => {
    const { run } = await waiting('      - { check: ci_status, workflows: [test], expect: neutral }');
    await stage.check('feature', { name: 'test', status: 'completed', conclusion: 'neutral' });
    expect((await run.wait()).status).toBe('completed');
    expect(errorsOf(gate('      - { check: ci_status, expect: exit_code == 0 }'))).toEqual([
      expect.stringMatching(/^9:37 FIELD_INVALID "expect" /),
    ]);
  });

  test('from as a list is the union of the groups, and count is of distinct people', async () => {
    const before = async (pr: number) => {
      await stage.review(pr, 'bob', 'approved');
      await stage.review(pr, 'BOB', 'approved');
    };
    const { run, number } = await waiting('      - { check: pr_approval, from: [maintainers, security], count: 2 }', { before });
    await stage.review(number, 'cid', 'approved');
    expect((await run.wait()).status).toBe('completed');
  });

  test('an approval of an older head does not count', async () => {
    const before = async (pr: number) => {
      await stage.review(pr, 'ann', 'approved');
      stage.forge.control.outdate(pr, 'ann');
    };
    const { run, number } = await waiting('      - { check: pr_approval, from: [maintainers] }', { before });
    await stage.review(number, 'ann', 'approved');
    expect((await run.wait()).status).toBe('completed');
  });
});

describe('expect', () => {
  let server: Server;
  let url: string;
  let asked: string[];
  beforeEach(async () => {
    asked = [];
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.writeHead(Number(request.url?.slice(1)), { 'content-type': 'application/json', 'x-mark': 'yes' });
      response.end('{"approved": true, "by": {"name": "ann", "count": 2}}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    url = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));
  const status = async (lines: string) => (await play.run(lines, { webhooks: { allow: [url] } })).status;

  test.each([
    ['', 'exit 0', 'completed'],
    ['', 'exit 3', 'failed'],
    ['exit_code == 3', 'exit 3', 'completed'],
    ['{{ exit_code == 3 }}', 'exit 3', 'completed'],
    ["stdout | contains('yes')", 'echo yes', 'completed'],
    ["stderr | contains('yes')", 'echo yes', 'failed'],
    ["stderr | contains('yes') and exit_code == 1", 'echo yes >&2; exit 1', 'completed'],
  ])('expect of a command sees exit_code, stdout and stderr: "%s" of "%s" is %s', async (expected, run, end) => {
    const told = expected === '' ? '' : `, expect: "${expected}"`;
    expect(await status(gate(`      - { check: command, run: "${run}"${told} }`))).toBe(end);
  });

  test.each([
    ['', 204, 'completed'],
    ['', 300, 'failed'],
    ['status == 404', 404, 'completed'],
    ["headers['x-mark'] == 'yes' and body.by.count == 2", 200, 'completed'],
    ['{{ body.approved }}', 200, 'completed'],
    ["body.by.count == '2'", 200, 'failed'],
  ])('expect of a webhook check sees status, headers and body: "%s" of %i is %s', async (expected, code, end) => {
    const told = expected === '' ? '' : `, expect: "${expected}"`;
    expect(await status(gate(`      - { check: webhook, url: "http://${url}/${code}"${told} }`))).toBe(end);
  });

  test('expect sees only its own check', () => {
    expect(errorsOf(gate('      - { check: command, run: "true", expect: "context.x == 1" }'))).toEqual([
      '9:49 NAME_UNKNOWN unknown name "context"',
    ]);
    expect(errorsOf(gate('      - { check: webhook, url: "https://example.org", expect: "exit_code == 0" }'))).toEqual([
      '9:64 NAME_UNKNOWN unknown name "exit_code"',
    ]);
  });

  test.each([
    ['', 201, 'completed'],
    ['', 404, 'escalated'],
    ['expect: { status: 201 }', 200, 'escalated'],
    ['expect: { status: 404 }', 404, 'completed'],
    ['expect: { body: { approved: true } }', 200, 'completed'],
    ['expect: { body: { by: { name: ann } } }', 200, 'completed'],
    ['expect: { body: { by: { count: "2" } } }', 200, 'escalated'],
    ['expect: { body: { approved: true, more: 1 } }', 200, 'escalated'],
  ])(
    'expect of a webhook stage is a map, with a body that is a deep subset with strict scalars: %s of %i is %s',
    async (expected, code, end) => {
      const view = await play.run(
        `stages:\n  - id: ask\n    type: webhook\n    request: { url: "http://${url}/${code}" }\n    ${expected}\n`,
        { webhooks: { allow: [url] } },
      );
      expect(storyOf(view)).toEqual([end, `ask#1 ${end === 'completed' ? 'ok' : 'fail'}`]);
      expect(asked).toEqual([`GET /${code}`]);
    },
  );
});

describe('minimum', () => {
  /** Of eight lines seven are covered, which is 87.5 percent; of two branches one. */
  const LCOV = `SF:a.py\\nBRDA:1,0,0,1\\nBRDA:1,0,1,0\\n${[1, 2, 3, 4, 5, 6, 7, 8].map((n) => `DA:${n},${n === 8 ? 0 : 1}\\n`).join('')}end_of_record\\n`;
  const covered = (fields: string) =>
    gate(`      - { check: command, run: "printf '${LCOV}' > lcov.info" }\n      - { check: coverage, ${fields} }`);

  test.each([
    ['minimum: 80%', 'completed'],
    ['minimum: 80', 'completed'],
    ['minimum: 87.5%', 'completed'],
    ['minimum: 87.6', 'failed'],
    ['minimum: 88%', 'failed'],
    ['minimum: 0.5%', 'completed'],
    ['minimum: 1%', 'completed'],
    ['minimum: 60%, metric: branch', 'failed'],
    ['minimum: 50%, metric: branch', 'completed'],
  ])('%s of 87.5 percent of lines and 50 of branches is %s', async (fields, end) => {
    const view = await play.run(covered(fields));
    expect(view.status).toBe(end);
    expect(outputOf(view, 'gate')).toMatchObject({ coverage: fields.includes('branch') ? 50 : 87.5 });
  });

  test.each(['0.8', '1', '0', '0%', '101', '101%'])('%s is refused at its place', (minimum) => {
    expect(errorsOf(gate(`      - { check: coverage, minimum: ${minimum} }`))).toEqual([
      expect.stringMatching(/^9:37 FIELD_INVALID "minimum" /),
    ]);
  });

  test('the report must be newer than the start of the gate', async () => {
    play.write('lcov.info', LCOV.replaceAll('\\n', '\n'));
    utimesSync(play.rig.path('lcov.info'), 1, 1);
    const view = await play.run(gate('      - { check: coverage, minimum: 80% }'));
    expect([...storyOf(view), view.error]).toEqual(['escalated', 'gate#1 error', expect.stringContaining('lcov.info is older')]);
  });
});

describe('run', () => {
  test('run goes verbatim to sh -c, and values come only through env', async () => {
    const value = '$(touch hacked) "; touch hacked; #';
    const view = await play.run(
      `params: { text: { description: a text } }
stages:
  - id: say
    type: command
    run: |
      set -- 'a  b' "$TEXT"; printf '%s|%s|%s' "$#" "$1" "$2" > said
    env: { TEXT: "{{ params.text }}" }
`,
      { params: { text: value } },
    );
    expect([view.status, play.read('said')]).toEqual(['completed', `2|a  b|${value}`]);
    expect(() => play.read('hacked')).toThrow('ENOENT');
  });

  test('argv avoids the shell', async () => {
    await play.run(`stages: [{ id: say, type: command, argv: [node, -e, "fs.writeFileSync('said', process.argv[1])", "$HOME; *"] }]`);
    expect(play.read('said')).toBe('$HOME; *');
  });

  test.each([
    ['run: "echo {{ params.text }}"', '5:42'],
    ['argv: [echo, "{{ params.text }}"]', '5:45'],
  ])('a template is refused in %s', (fields, place) => {
    expect(errorsOf(`stages:\n  - { id: say, type: command, ${fields} }\nparams: { text: {} }\n`)).toEqual([
      expect.stringMatching(new RegExp(`^${place} TEMPLATE_IN_COMMAND `)),
    ]);
  });
});
