import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GraphDescription } from '../../src/definition/describe.ts';
import { dbOf, openLibrary, settle } from './look-runs.ts';
import { CliRig } from './rig.ts';

const LOOP = 'a100000000000001';
const BROKEN = 'd400000000000001';
const FLOW = 'e500000000000001';
const HOSTILE = 'f700000000000001';

let rig: CliRig;

beforeAll(async () => {
  rig = new CliRig();
  const engine = await openLibrary(rig);
  await settle(engine, 'fix-bug', LOOP);
  await engine.run(LOOP).decide({ option: 'rework', actor: 'ann', input: 'shorter' });
  await engine.run(LOOP).wait('idle');
  await settle(engine, 'broken', BROKEN);
  await settle(engine, 'stroll', FLOW);
  await settle(engine, 'hostile', HOSTILE);
  await engine.close();
  rig.write(
    '.pawl/workflows/tiny.ts',
    `import { defineWorkflow } from 'pawl/compat';
console.log('what a module prints is not part of its graph');
export default defineWorkflow({ name: 'tiny', steps: [{ id: 'one', handler: () => null, next: null }] });
`,
  );
  rig.write(
    '.pawl/workflows/walk.ts',
    `import { step, workflow } from 'pawl';
export default workflow('walk', {}, function* () { yield* step('one').task(() => 1); });
`,
  );
});
afterAll(() => rig.close());

function graph(...words: string[]): string[] {
  return ['graph', ...words, '--db', dbOf(rig)];
}

describe('the graph of a run', () => {
  test.each(['mermaid', 'dot', 'svg'])(
    'the graph of a run as %s shows the current step and the transitions that were taken',
    async (format) => {
      const { code, stdout, stderr } = await rig.run(graph(LOOP, '--format', format));
      expect([code, stderr]).toEqual([0, '']);
      await expect(stdout).toMatchFileSnapshot(`golden/graph-loop.${format === 'mermaid' ? 'mmd' : format}`);
    },
  );

  test('the graph of a run as JSON has the state and visits of each node, and how often each arrow was taken', async () => {
    const drawn = await rig.json<{ run: object; graph: GraphDescription }>(graph('--run', 'a1'));
    expect(drawn.run).toEqual({ id: LOOP, status: 'waiting' });
    expect(drawn.graph.nodes.map(({ id, state, visits }) => [id, state, visits])).toEqual([
      ['plan', 'done', 1],
      ['fix', 'done', 2],
      ['gate', 'done', 2],
      ['ask', 'current', 2],
      ['ship', 'ahead', 0],
    ]);
    expect(drawn.graph.arrows.filter(({ taken }) => taken !== 0).map(({ from, to, on, taken }) => [from, to, on, taken])).toEqual([
      ['plan', 'fix', ['ok', 'skip'], 1],
      ['fix', 'gate', ['ok', 'skip'], 2],
      ['gate', 'ask', ['ok'], 2],
      ['ask', 'fix', ['rework'], 1],
    ]);
  });

  test('the graph of a run draws a transition that the definition does not name', async () => {
    const { graph: drawn } = await rig.json<{ graph: GraphDescription }>(graph(BROKEN));
    expect(drawn.nodes[0]).toMatchObject({ id: 'try', state: 'failed' });
    expect(drawn.arrows).toContainEqual({ from: 'try', to: 'escalate', toEnd: true, on: ['error'], via: 'edge', isBack: false, taken: 1 });
  });

  test("the graph of a flow's run is the path that it took", async () => {
    expect((await rig.run(graph(FLOW))).stdout).toContain('s0 --> s1');
  });

  test('a graph escapes markup in titles', async () => {
    const svg = (await rig.run(graph(HOSTILE, '--format', 'svg'))).stdout;
    expect(svg).not.toContain('<script');
    expect(svg).toContain('&lt;script&gt;');
    const dot = (await rig.run(graph(HOSTILE, '--format', 'dot'))).stdout;
    expect(dot).toContain('label="say \\"hi\\" \\\\ & <script>alert(1)</script>\\nsecond line\\ntask, done"');
    expect((await rig.run(graph(HOSTILE))).stdout).not.toMatch(/<script|"hi"/);
  });
});

describe('the graph of a workflow', () => {
  beforeAll(async () => {
    expect(await rig.run(['trust', '--yes'])).toMatchObject({ code: 0 });
  });

  test('the graph of a workflow is drawn by its name or its file', async () => {
    const { stdout } = await rig.run(graph('tiny'));
    expect(stdout).toBe('flowchart TD\n  s0["one"]\n  end_complete(["complete"])\n  s0 -->|"ok, skip"| end_complete\n');
    expect((await rig.run(graph('.pawl/workflows/tiny.ts'))).stdout).toBe(stdout);
  });

  test('"pawl graph -o" writes the graph to a file', async () => {
    const file = join(rig.project, 'tiny.svg');
    expect(await rig.run(graph('tiny', '--format', 'svg', '-o', 'tiny.svg'))).toMatchObject({ code: 0, stdout: `Wrote ${file}\n` });
    expect(readFileSync(file, 'utf8')).toMatch(/^<svg .*<\/svg>\n$/s);
    expect(await rig.run(graph('tiny', '-o', 'nowhere/tiny.svg'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot write the graph to'),
    });
  });

  test('the graph of a module that cannot be loaded, or is not trusted, is an error', async () => {
    const file = rig.write('bad.ts', "import './gone.ts';\n");
    await rig.run(['trust', '--yes', file]);
    expect(await rig.run(graph('bad.ts'))).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/bad\.ts could not be loaded: Cannot find module '.*gone\.ts'; .* \[MODULE_FAILED\]/),
    });
    rig.write('bad.ts', 'export default 1;\n');
    expect(await rig.run(graph('bad.ts'))).toMatchObject({ code: 4, stderr: expect.stringContaining('[NOT_TRUSTED]') });
  });

  test('a flow has no graph before it runs, and the error says what to do', async () => {
    expect(await rig.run(graph('walk'))).toMatchObject({ code: 2, stderr: expect.stringContaining('it has no graph before it runs') });
  });

  test('the graph of an unknown workflow is an error, and so is a missing name', async () => {
    expect(await rig.run(graph('tyni'))).toMatchObject({ code: 2, stderr: expect.stringContaining('[WORKFLOW_UNKNOWN]') });
    expect(await rig.run(graph())).toMatchObject({ code: 2, stderr: expect.stringContaining('WORKFLOW is missing') });
    expect(await rig.run(graph('tiny', '--run', 'a1'))).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be combined') });
  });
});
