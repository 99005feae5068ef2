// Compiles a pattern into the small program that pattern.ts runs. It rejects patterns that are too long, too deep or
// not linear before they cost anything.

import type { Meter } from './meter.ts';

/** One instruction: read a character, continue at several places, continue if a position matches, or finish. */
export type Instruction =
  | { readonly op: 'one'; readonly accepts: (code: number) => boolean }
  | { readonly op: 'fork'; readonly to: readonly number[] }
  | { readonly op: 'assert'; readonly holds: (text: string, at: number) => boolean }
  | { readonly op: 'match' };

/** Code whose forks are relative to its first instruction. */
type Fragment = readonly Instruction[];

const PATTERN_MAX = 1_000;
const PROGRAM_MAX = 2_000;
const DEPTH_MAX = 32;
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
const CLASS_TESTS: Readonly<Record<string, RegExp>> = { d: /\d/, D: /\D/, w: /\w/, W: /\W/, s: /\s/, S: /\S/ };

type Accepts = (code: number) => boolean;

/** The part of a meter that compiling a pattern uses. */
export type PatternMeter = Pick<Meter, 'spend' | 'fail'>;

/** Compiles a pattern, or fails through the meter. */
export function readPattern(pattern: string, meter: PatternMeter): readonly Instruction[] {
  if (pattern.length > PATTERN_MAX) meter.fail(`the pattern has more than ${PATTERN_MAX} characters`);
  const reader = new PatternReader(pattern, meter);
  return [...reader.whole(), { op: 'match' }];
}

class PatternReader {
  private readonly pattern: string;
  private readonly meter: PatternMeter;
  private at = 0;
  private depth = 0;

  constructor(pattern: string, meter: PatternMeter) {
    this.pattern = pattern;
    this.meter = meter;
  }

  whole(): Fragment {
    const fragment = this.alternatives();
    if (this.at < this.pattern.length) this.refuse('has a ) without a (');
    return fragment;
  }

  private refuse(problem: string): never {
    return this.meter.fail(
      `the pattern ${problem} at its character ${this.at + 1}; patterns have . ^ $ [] () | * + ? {n,m} \\d \\w \\s \\b`,
    );
  }

  private accept(text: string): boolean {
    if (!this.pattern.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  private alternatives(): Fragment {
    let result = this.sequence();
    while (this.accept('|')) result = this.sized(either(result, this.sequence()));
    return result;
  }

  private sequence(): Fragment {
    const result: Instruction[] = [];
    while (this.at < this.pattern.length && !'|)'.includes(this.pattern.charAt(this.at))) {
      for (const instruction of shifted(this.repeated(), result.length)) result.push(instruction);
      this.sized(result);
    }
    return result;
  }

  private sized(fragment: Fragment): Fragment {
    this.meter.spend(1 + fragment.length / 16);
    if (fragment.length > PROGRAM_MAX) this.meter.fail('the pattern is too large; use smaller {n,m} counts');
    return fragment;
  }

  private repeated(): Fragment {
    const start = this.at;
    const atom = this.atom();
    const asserts = this.pattern.slice(start, this.at).match(/^(?:[\^$]|\\[bB])$/) !== null;
    const count = this.count();
    if (count === undefined) return atom;
    if (asserts) this.refuse('repeats a position');
    this.accept('?');
    if (/^[*+?{]/.test(this.pattern.slice(this.at, this.at + 1))) this.refuse('repeats a repetition');
    return this.expanded(atom, count);
  }

  private count(): readonly [least: number, most: number] | undefined {
    if (this.accept('*')) return [0, Number.POSITIVE_INFINITY];
    if (this.accept('+')) return [1, Number.POSITIVE_INFINITY];
    if (this.accept('?')) return [0, 1];
    if (this.pattern.charAt(this.at) !== '{') return undefined;
    const found = /^\{(\d{1,4})(?:(,)(\d{1,4})?)?\}/.exec(this.pattern.slice(this.at, this.at + 12));
    if (found === null) return this.refuse('has a { that is not a count; write \\{ for the character');
    const least = Number(found[1]);
    const most = found[2] === undefined ? least : found[3] === undefined ? Number.POSITIVE_INFINITY : Number(found[3]);
    if (most < least) this.refuse('has a count whose maximum is below its minimum');
    this.at += found[0].length;
    return [least, most];
  }

  private expanded(atom: Fragment, [least, most]: readonly [number, number]): Fragment {
    const copies = Number.isFinite(most) ? most : least + 1;
    if (copies * (atom.length + 1) > PROGRAM_MAX) this.meter.fail('the pattern is too large; use smaller {n,m} counts');
    let result: Fragment = [];
    for (let copy = 0; copy < least; copy += 1) result = joined(result, atom);
    if (!Number.isFinite(most)) return this.sized(joined(result, anyNumber(atom)));
    let optional: Fragment = [];
    for (let copy = least; copy < most; copy += 1) optional = this.sized(either(joined(atom, optional), []));
    return this.sized(joined(result, optional));
  }

  private atom(): Fragment {
    if (this.accept('(')) return this.group();
    if (this.accept('[')) return one(this.characterClass());
    if (this.accept('.')) return one((code) => code !== 10 && code !== 13 && code !== 0x2028 && code !== 0x2029);
    if (this.accept('^')) return [{ op: 'assert', holds: (_, at) => at === 0 }];
    if (this.accept('$')) return [{ op: 'assert', holds: (text, at) => at === text.length }];
    if (this.accept('\\b')) return [{ op: 'assert', holds: isWordBorder }];
    if (this.accept('\\B')) return [{ op: 'assert', holds: (text, at) => !isWordBorder(text, at) }];
    if ('*+?{}]'.includes(this.pattern.charAt(this.at))) this.refuse(`has a ${this.pattern.charAt(this.at)} with nothing to apply to`);
    return one(this.character().accepts);
  }

  private group(): Fragment {
    if (!this.accept('?:') && this.pattern.charAt(this.at) === '?') this.refuse('has a special group');
    if (this.depth >= DEPTH_MAX) this.refuse('is nested too deep');
    this.depth += 1;
    const inside = this.alternatives();
    this.depth -= 1;
    if (!this.accept(')')) this.refuse('has a ( without a )');
    return inside;
  }

  private character(): { readonly accepts: Accepts; readonly code: number | undefined } {
    const escaped = this.accept('\\');
    if (this.at >= this.pattern.length) this.refuse('ends too early');
    const character = this.pattern.charAt(this.at);
    if (escaped && Object.hasOwn(CLASS_TESTS, character)) {
      this.at += 1;
      const test = CLASS_TESTS[character] as RegExp;
      return { accepts: (code) => test.test(String.fromCharCode(code)), code: undefined };
    }
    const plain = escaped && Object.hasOwn(CONTROLS, character) ? (CONTROLS[character] as string) : character;
    if (escaped && plain === character && /[0-9A-Za-z]/.test(character)) this.refuse(`has an unknown \\${character}`);
    this.at += 1;
    const wanted = plain.charCodeAt(0);
    return { accepts: (code) => code === wanted, code: wanted };
  }

  private characterClass(): Accepts {
    const negated = this.accept('^');
    const members: Accepts[] = [];
    while (!this.accept(']')) {
      if (this.at >= this.pattern.length) this.refuse('has a [ without a ]');
      members.push(this.classMember());
    }
    return remembered((code) => members.some((accepts) => accepts(code)) !== negated);
  }

  private classMember(): Accepts {
    const low = this.character();
    if (this.pattern.charAt(this.at) !== '-' || this.pattern.charAt(this.at + 1) === ']') return low.accepts;
    this.at += 1;
    const high = this.character();
    if (low.code === undefined || high.code === undefined || low.code > high.code) this.refuse('has an invalid range');
    const [from, to] = [low.code as number, high.code as number];
    return (code) => code >= from && code <= to;
  }
}

function one(accepts: Accepts): Fragment {
  return [{ op: 'one', accepts: (code) => !Number.isNaN(code) && accepts(code) }];
}

/** Caches each result, so that a large class costs no more per character than a small one. */
function remembered(accepts: Accepts): Accepts {
  const known = new Map<number, boolean>();
  return (code) => {
    const answer = known.get(code) ?? accepts(code);
    known.set(code, answer);
    return answer;
  };
}

function shifted(fragment: Fragment, by: number): Fragment {
  if (by === 0) return fragment;
  return fragment.map((instruction) => (instruction.op === 'fork' ? { op: 'fork', to: instruction.to.map((to) => to + by) } : instruction));
}

function joined(first: Fragment, second: Fragment): Fragment {
  return [...first, ...shifted(second, first.length)];
}

function either(first: Fragment, second: Fragment): Fragment {
  const secondAt = first.length + 2;
  const fork: Instruction = { op: 'fork', to: [1, secondAt] };
  const leave: Instruction = { op: 'fork', to: [secondAt + second.length] };
  return [fork, ...shifted(first, 1), leave, ...shifted(second, secondAt)];
}

function anyNumber(atom: Fragment): Fragment {
  const fork: Instruction = { op: 'fork', to: [1, atom.length + 2] };
  return [fork, ...shifted(atom, 1), { op: 'fork', to: [0] }];
}

function isWordBorder(text: string, at: number): boolean {
  return isWord(text.charAt(at - 1)) !== isWord(text.charAt(at));
}

function isWord(character: string): boolean {
  return /^\w$/.test(character);
}
