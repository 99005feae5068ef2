// Owns the graph as data for people and programs that draw or analyse it, and its Mermaid text.

import { transitionsOf } from './analysis.ts';
import type { Definition, StepKind, StepModel, Target } from './model.ts';

/** A step as a node of a drawing. */
export interface GraphNode {
  readonly id: string;
  readonly title: string;
  readonly kind: StepKind;
  readonly isEntry: boolean;
  /** True when at least one way out of it ends the run. */
  readonly isTerminal: boolean;
  readonly asksPerson: boolean;
  readonly members: readonly { readonly id: string; readonly title: string; readonly kind: StepKind }[];
}

/** A transition as an arrow of a drawing; `to` is a step id or an end. */
export interface GraphArrow {
  readonly from: string;
  readonly to: string;
  readonly toEnd: boolean;
  /** The outcomes that lead here, or the label of a person's choice. */
  readonly on: readonly string[];
  readonly via: 'edge' | 'bound' | 'option';
  /** The expression that must hold, written with `not (…)` for the other branch. */
  readonly condition?: string;
  readonly max?: number;
  /** True when it leads to this step or to one before it. */
  readonly isBack: boolean;
}

/** The graph of a definition as data. */
export interface GraphDescription {
  readonly name: string;
  readonly title: string;
  readonly nodes: readonly GraphNode[];
  readonly arrows: readonly GraphArrow[];
}

/** Nodes and arrows of a definition; outcomes with the same way share one arrow. */
export function describeGraph(definition: Definition): GraphDescription {
  const positions = new Map(definition.steps.map((step, index) => [step.id, index]));
  return {
    name: definition.name,
    title: definition.title,
    nodes: definition.steps.map((step) => nodeOf(step, definition.entry)),
    arrows: definition.steps.flatMap((step) => arrowsOf(step, positions)),
  };
}

function nodeOf(step: StepModel, entry: string): GraphNode {
  return {
    id: step.id,
    title: step.title,
    kind: step.kind,
    isEntry: step.id === entry,
    isTerminal: transitionsOf(step).some(({ to }) => 'end' in to && to.end !== 'escalate'),
    asksPerson: step.gate !== undefined,
    members: step.members.map(({ id, title, kind }) => ({ id, title, kind })),
  };
}

function arrowsOf(step: StepModel, positions: ReadonlyMap<string, number>): GraphArrow[] {
  const arrows = new Map<string, GraphArrow>();
  for (const { from, to, on, via, condition, max } of transitionsOf(step)) {
    const source = condition === undefined ? undefined : condition.is ? condition.source : `not (${condition.source})`;
    const key = JSON.stringify([to, via, source, max, via === 'option' ? on : '']);
    const known = arrows.get(key);
    arrows.set(key, {
      from,
      to: nameOf(to),
      toEnd: 'end' in to,
      on: [...(known?.on ?? []), on],
      via,
      ...(source === undefined ? {} : { condition: source }),
      ...(max === undefined ? {} : { max }),
      isBack: 'step' in to && (positions.get(to.step) ?? Number.POSITIVE_INFINITY) <= (positions.get(from) as number),
    });
  }
  return [...arrows.values()];
}

function nameOf(target: Target): string {
  return 'step' in target ? target.step : target.end;
}

/** The graph as a Mermaid flowchart. */
export function toMermaid(definition: Definition): string {
  const { nodes, arrows } = describeGraph(definition);
  const names = new Map(nodes.map(({ id }, index) => [id, `s${index}`]));
  const ends = [...new Set(arrows.filter(({ toEnd }) => toEnd).map(({ to }) => to))];
  const lines = [
    'flowchart TD',
    ...nodes.map((node) => `  ${names.get(node.id)}${shapeOf(node)}`),
    ...ends.map((end) => `  end_${end}(["${end}"])`),
    ...arrows.map((arrow) => arrowLine(arrow, names)),
  ];
  return `${lines.join('\n')}\n`;
}

function shapeOf({ title, asksPerson, kind, members }: GraphNode): string {
  const text = members.length === 0 ? title : `${title} (${kind}: ${members.map((member) => member.title).join(', ')})`;
  return asksPerson ? `{"${quoted(text)}"}` : `["${quoted(text)}"]`;
}

function arrowLine({ from, to, toEnd, on, via, condition, max }: GraphArrow, names: ReadonlyMap<string, string>): string {
  const label = [on.join(', '), condition, max === undefined ? undefined : `at most ${max}`, via === 'bound' ? 'used up' : undefined];
  const target = toEnd ? `end_${to}` : names.get(to);
  return `  ${names.get(from)} ${via === 'bound' ? '-.->' : '-->'}|"${quoted(label.filter((part) => part !== undefined).join('; '))}"| ${target}`;
}

/** Mermaid reads `#name;` inside quotes; anything that could end the quotes or start markup is written that way. */
function quoted(text: string): string {
  return text.replace(/[^\p{L}\p{N} _.,:;()'=+*/?!&|-]/gu, (character) => `#${character.codePointAt(0)};`);
}
