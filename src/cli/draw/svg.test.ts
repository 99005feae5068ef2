import { expect, test } from 'vitest';
import { compileGraph } from '../../authoring/graph/graph.ts';
import { describeGraph } from '../../definition/describe.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import { drawDot } from './dot.ts';
import { drawSvg } from './svg.ts';

const TITLE = '</title><script>alert("1")</script> & \u0001\ud800 end';

function graphOf(title: string) {
  const { definition } = compileGraph(
    {
      name: 'wf"',
      title,
      steps: [
        { id: 'work', title, handler: () => null, next: { ok: 'ask', fail: { to: 'work', maxIterations: 2 } } },
        { id: 'ask', human: { prompt: 'Go?', options: [{ label: title, nextStep: null, ends: 'completed' }] } },
      ],
    },
    REGISTRY,
  );
  return describeGraph(definition);
}

/** The names of the elements of a document; fails unless all tags are closed in order and no text contains markup. */
function elementsOf(xml: string): string[] {
  const open: string[] = [];
  const seen: string[] = [];
  let rest = xml.trim();
  while (rest !== '') {
    const [token, closing, name, attributes = '', empty] = /^<(\/?)([a-zA-Z]+)((?: [a-zA-Z-]+="[^"<&]*")*)\s*(\/?)>/.exec(rest) ?? [];
    if (token === undefined) {
      const [text] = /^(?:[^<&]|&(?:amp|lt|gt|quot|#39);)+/.exec(rest) ?? [];
      if (text === undefined) throw new Error(`not XML: ${rest.slice(0, 80)}`);
      rest = rest.slice(text.length);
      continue;
    }
    rest = rest.slice(token.length);
    if (closing === '/') expect(open.pop()).toBe(name);
    else {
      seen.push(`${name}${attributes === '' ? '' : '*'}`);
      if (empty !== '/') open.push(name as string);
    }
  }
  expect(open).toEqual([]);
  return seen;
}

test('an SVG is well formed whatever a title contains, and has only shapes and texts', () => {
  const svg = drawSvg(graphOf(TITLE));
  expect(new Set(elementsOf(svg))).toEqual(new Set(['svg*', 'title', 'style', 'rect*', 'g*', 'path*', 'polygon*', 'text*', 'circle*']));
  expect(svg.includes('\u0001') || svg.includes('\ud800')).toBe(false);
});

test('a long title is wrapped and truncated', () => {
  const svg = drawSvg(graphOf(`${'very '.repeat(40)}long`));
  const lines = [...svg.matchAll(/<text x[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text as string);
  expect(lines.filter((line) => line.startsWith('very'))).toHaveLength(3);
  expect(lines.every((line) => line.length <= 28)).toBe(true);
});

test('a graph marks the state of each node and the taken transitions only for a run', () => {
  const plain = graphOf('Work');
  expect(drawSvg(plain)).not.toContain('class="box done"');
  const nodes = plain.nodes.map((node) => ({ ...node, state: 'done' as const, visits: 3 }));
  const drawn = drawSvg({ ...plain, nodes, arrows: plain.arrows.map((arrow) => ({ ...arrow, taken: 2 })) });
  expect(drawn).toContain('class="box done"');
  expect(drawn).toContain('class="arrow taken"');
  expect(drawn).toContain('Work \u00d73');
  expect(drawn).toContain('task, done');
});

test('DOT keeps quotes, backslashes and line ends inside its strings', () => {
  const dot = drawDot(graphOf('a "b" \\N\nc'));
  expect(dot).toContain('digraph "wf\\"" {');
  expect(dot).toContain('label="a \\"b\\" \\\\N\\nc\\ntask"');
  const strings = /"(?:[^"\\]|\\.)*"/g;
  expect(dot.replace(strings, '').includes('"')).toBe(false);
  expect(dot.split('\n').every((line) => line.replace(strings, '').match(/^[\w\s={}[\],;.>-]*$/))).toBe(true);
});
