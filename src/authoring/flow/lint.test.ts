import { describe, expect, test } from 'vitest';
import { step } from '../../kinds/step-builder.ts';
import { lintFlow } from './lint.ts';

const named = (body: () => unknown) => lintFlow(body).map((warning) => warning.split(' in line')[0]);

/** A function with this text: compilers of tests drop comments. */
function written(source: string): () => unknown {
  return Object.assign(() => undefined, { toString: () => source });
}

describe('lintFlow', () => {
  test('names what would differ in a replay, where it is, and the way out', () => {
    const [warning, ...more] = lintFlow(function* () {
      yield* step('a').delay(1);
      return Date.now();
    });
    expect(warning).toBe(
      'Date.now() in line 3 of the flow reads the clock, so a replay would go another way; do it in a step, whose result is recorded: yield* step("…").task(() => …)',
    );
    expect(more).toEqual([]);
  });

  test('sees clock, chance, network and environment, in order', () => {
    const body = function* () {
      const values = [new Date(), Math.random(), crypto.randomUUID(), process.env.HOME, performance.now(), fetch('x')];
      yield* step(`a-${Date.now()}`).delay(1);
      return values;
    };
    expect(named(body)).toEqual([
      'new Date()',
      'Math.random()',
      'crypto.randomUUID()',
      'process.env',
      'performance.now()',
      'fetch()',
      'Date.now()',
    ]);
  });

  test('leaves alone what is deterministic or only looks alike', () => {
    const api = { fetch: (x: number) => x, now: { Date: { now: () => 1 } } };
    const body = function* (input: { at: number }) {
      const at = new Date(input.at);
      yield* step('a').delay(1);
      return [at, api.fetch(1), api.now.Date.now()];
    };
    expect(lintFlow(body)).toEqual([]);
  });

  test('does not read comments, texts and patterns', () => {
    const source = [
      'function* () {',
      '  // Date.now() would be wrong here, and so would an unpaired " or `',
      '  /* so would',
      '     Math.random() */',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text under test holds a template.
      '  const texts = ["fetch(", \'it\\\'s process.env\', `Date.now() and ${input.x} then Math.random()`, /["`]fetch\\(/.source];',
      '  return 8 / 2 / texts.length;',
      '}',
    ].join('\n');
    expect(lintFlow(written(source))).toEqual([]);
  });

  test('reads what stands between and after texts', () => {
    const source = [
      'function* () {',
      '  const a = "x" + Math.random() + "y";',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text under test holds a template.
      '  return `${fetch("z")}${`${1}`} ` + Date.now();',
      '}',
    ].join('\n');
    expect(lintFlow(written(source)).map((warning) => warning.split(' of the flow')[0])).toEqual([
      'Math.random() in line 2',
      'fetch() in line 3',
      'Date.now() in line 3',
    ]);
  });

  test('allows everything inside a function that a step runs, but not among its arguments', () => {
    const note = (at: number) => at;
    const inside = function* () {
      const now = yield* step('now').task(() => Date.now());
      yield* step('ask').agent({ agent: 'x', context: async () => ({ id: crypto.randomUUID(), at: [Math.random()] }), timeout: '1s' });
      yield* step('block').task(function pick() {
        return Math.random();
      });
      yield* step('many').each([1], () => step('one').task(() => Math.random()));
      return now;
    };
    const among = function* () {
      yield* step('note').task(note, Date.now());
      yield* step('both').task((at: number) => at + Math.random(), Date.now());
      yield* step('many').each([1], () => step('one').task(note, Math.random()));
    };
    expect(lintFlow(inside)).toEqual([]);
    expect(named(among)).toEqual(['Date.now()', 'Date.now()', 'Math.random()']);
  });
});
