// Owns texts with `{{ expr }}` placeholders: parse once, render often. A rendering always ends in bounded time, with data or
// an EngineError with a position inside the placeholder.
//
// - Values are inserted once, from left to right, and never parsed again: `{{` inside a value stays text.
// - A template with exactly one placeholder and only spaces around it keeps the type of its value; any other becomes text.
// - Null has no text. It is an error, like a missing name, so that no command or title is built with a gap.

import type { SourcePosition } from '../base/error.ts';
import type { Json } from '../base/json.ts';
import { toJsonText } from './data.ts';
import { run } from './expression.ts';
import type { FreePath } from './free-paths.ts';
import { Meter } from './meter.ts';
import { startOf } from './source.ts';
import { inPlaceholder, type Origin, type Placeholder, readParts, templateLimit } from './template-placeholder.ts';

const TEMPLATE_MAX = 200_000;
const OUTPUT_MAX = 1_000_000;
const STEPS_MAX = 100_000;

/** A parsed template: plain data that can be stored and rendered any number of times. */
export interface Template {
  readonly source: string;
  readonly hasPlaceholders: boolean;
  /** True for exactly one placeholder with only spaces around it: such a template keeps the type of its value. */
  readonly isWhole: boolean;
  /** Every path that its placeholders may read, in source order. */
  readonly paths: readonly FreePath[];
  readonly parts: readonly (string | Placeholder)[];
}

/** Parses a text with placeholders. `origin` is the position of its first character. */
export function parseTemplate(text: string, origin: Origin = {}): Template {
  if (text.length > TEMPLATE_MAX) {
    throw templateLimit(text, startOf(origin), `it has ${text.length} characters, and at most ${TEMPLATE_MAX} are allowed; split it up`);
  }
  const parts = readParts(text, origin);
  const placeholders = parts.filter((part) => typeof part !== 'string');
  const isWhole = placeholders.length === 1 && parts.every((part) => typeof part !== 'string' || part.trim() === '');
  return {
    source: text,
    hasPlaceholders: placeholders.length > 0,
    isWhole,
    paths: placeholders.flatMap((placeholder) => placeholder.paths),
    parts,
  };
}

/** Renders the template. The members of `scope` are its names. */
export function renderTemplate(template: Template, scope: Json): Json {
  return renderWithin(template, scope, new Rendering(false));
}

/** Returns where a template, or a tree of them, reads `secrets`: callers reject these where secrets are not allowed. */
export function readsSecrets(template: { readonly paths: readonly FreePath[] }): SourcePosition[] {
  return template.paths.filter(isSecret).map((path) => path.position);
}

/** Renders one of the templates of a rendering. */
export function renderWithin(template: Template, scope: Json, rendering: Rendering): Json {
  const [placeholder] = template.isWhole ? template.parts.filter((part) => typeof part !== 'string') : [];
  if (placeholder === undefined) return textOf(template, scope, rendering);
  const meter = new PlaceholderMeter(placeholder, rendering);
  return inPlaceholder(placeholder.place, () => {
    const value = run(placeholder.expression, scope, meter);
    meter.offset = placeholder.expression.tree.offset;
    if (rendering.isShared) rendering.add(toJsonText(value, meter).length, meter);
    return value;
  });
}

/** The usage of all placeholders of one rendering together, so that many small ones cannot bypass the limits. */
export class Rendering {
  /** True if one value may be inserted many times, so that also values that keep their type are counted. */
  readonly isShared: boolean;
  private steps = 0;
  private characters = 0;

  constructor(isShared: boolean) {
    this.isShared = isShared;
  }

  spend(steps: number, meter: Meter): void {
    this.steps += steps;
    if (this.steps > STEPS_MAX)
      meter.fail(`all placeholders together took more than ${STEPS_MAX} steps; look at less data, or prepare it in a step`);
  }

  add(characters: number, meter: Meter): void {
    this.characters += characters;
    if (this.characters > OUTPUT_MAX)
      meter.fail(`all placeholders together produce more than ${OUTPUT_MAX} characters; insert less, or refer to a file`);
  }
}

class PlaceholderMeter extends Meter {
  private readonly rendering: Rendering;

  constructor(placeholder: Placeholder, rendering: Rendering) {
    super(placeholder.expression.stretch, placeholder.paths.some(isSecret));
    this.rendering = rendering;
  }

  override spend(steps: number): void {
    super.spend(steps);
    this.rendering.spend(steps, this);
  }
}

function textOf(template: Template, scope: Json, rendering: Rendering): string {
  return template.parts.map((part) => (typeof part === 'string' ? part : placeholderText(part, scope, rendering))).join('');
}

function placeholderText(placeholder: Placeholder, scope: Json, rendering: Rendering): string {
  const meter = new PlaceholderMeter(placeholder, rendering);
  return inPlaceholder(placeholder.place, () => {
    const value = run(placeholder.expression, scope, meter);
    meter.offset = placeholder.expression.tree.offset;
    if (value === null) meter.fail("it is null, which has no text; give a default: a.b ?? 'none'");
    const text = typeof value === 'string' ? value : toJsonText(value, meter);
    rendering.add(text.length, meter);
    return text;
  });
}

function isSecret(path: FreePath): boolean {
  return path.segments[0] === 'secrets';
}
